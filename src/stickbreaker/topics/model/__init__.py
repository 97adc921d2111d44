"""Topic models: one model with three slots (documents, words, local solver)."""
