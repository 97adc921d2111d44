"""Compiled inner loops of language models."""
