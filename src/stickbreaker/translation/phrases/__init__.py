"""Phrase models: phrase tables, features and weights, translation and tuning."""
