"""Runs that learn topics: how they start, and what is kept while they go on."""
