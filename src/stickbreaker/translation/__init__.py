"""Phrase-based translation: from options for the phrases of a sentence to its best translations."""
