"""Inference of documents given topics: mean-field, hybrid (sampled), franchise."""
