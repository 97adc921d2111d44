"""Priors of documents' topic shares: Dirichlet, HDP, franchise."""
