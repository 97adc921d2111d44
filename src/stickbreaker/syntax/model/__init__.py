"""The syntactic topic model: a chain over the topics of trees, and what it predicts."""
