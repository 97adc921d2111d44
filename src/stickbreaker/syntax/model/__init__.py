"""The syntactic topic model: inference of the topics of trees, and predictions."""
