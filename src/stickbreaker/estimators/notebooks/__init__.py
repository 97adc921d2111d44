"""What notebooks show of an estimator: a table of what was learned, and its report."""
