"""Phrase-based decoding, and language models that follow topics."""
