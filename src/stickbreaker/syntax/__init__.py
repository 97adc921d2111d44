"""Syntactic topic models: topics of the words of parsed sentences."""
