"""Display of an estimator in notebooks: a table of what was learned, and its report."""
