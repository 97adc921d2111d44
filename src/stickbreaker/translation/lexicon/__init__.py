"""Lexicons whose translations follow the topics of a document."""
