"""Estimators in the style of scikit-learn: the public classes and what they share."""
