"""The report of a lexicon by topic."""
