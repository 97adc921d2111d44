"""Learning from documents as they arrive, into a model's directory."""
