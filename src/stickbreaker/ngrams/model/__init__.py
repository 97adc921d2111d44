"""Language models of hierarchical Pitman-Yor restaurants."""
