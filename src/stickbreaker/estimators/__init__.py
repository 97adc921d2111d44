"""The front doors: scikit-learn-style estimators."""
