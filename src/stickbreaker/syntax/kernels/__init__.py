"""Compiled inner loops of syntactic topic models."""
