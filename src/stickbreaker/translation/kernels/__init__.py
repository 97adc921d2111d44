"""Compiled inner loops of translation."""
