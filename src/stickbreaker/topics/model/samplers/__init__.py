"""Chains over the topics of single tokens: collapsed Gibbs sampling, exact and delayed, for LDA and the
HDP."""
