"""Compiled inner loops of word alignment, phrase extraction and decoding."""
