"""What estimators of topics share: parameters, runs, and what was learned."""
