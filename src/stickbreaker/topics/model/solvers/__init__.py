"""How a document is inferred given topics: mean-field, hybrid (sampled), franchise."""
