"""The program's verbs for language models."""
