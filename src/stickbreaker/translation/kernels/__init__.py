"""Compiled inner loops of word alignment."""
