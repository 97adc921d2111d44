"""Phrases: words that often stand together, found in a corpus and read as one."""
