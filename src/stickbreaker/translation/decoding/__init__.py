"""A stack decoder of phrases, its language model, and the tuning of its weights."""
