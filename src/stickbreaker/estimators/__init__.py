"""What the public estimators of all kinds of models share, and the list of these kinds."""
