"""The program's verbs for adaptor grammars."""
