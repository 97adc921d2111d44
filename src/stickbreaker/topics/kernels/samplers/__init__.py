"""The sweeps of collapsed Gibbs sampling, compiled."""
