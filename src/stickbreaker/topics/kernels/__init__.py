"""Compiled inner loops of topic models."""
