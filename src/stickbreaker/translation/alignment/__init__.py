"""Which words of two sentences are linked: learned from pairs of sentences, or read."""
