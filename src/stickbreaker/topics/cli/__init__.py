"""The program's verbs for models of topics."""
