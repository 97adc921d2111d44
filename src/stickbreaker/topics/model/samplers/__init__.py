"""Chains over single tokens' topics: collapsed Gibbs sampling, exact and delayed, of LDA and the HDP."""
