"""Chains over single tokens' topics: collapsed Gibbs sampling, exact and delayed, for LDA and HDP."""
