"""Moves that change topics: splits, merges and exchanges, proposed, evaluated and decided."""
