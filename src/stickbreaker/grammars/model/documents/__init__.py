"""Grammars in which the weights of some rules are each document's own."""
