"""Phrases of aligned sentences, with probabilities in both directions."""
