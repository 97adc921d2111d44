"""Grammars in which documents have weights of their own for some rules."""
