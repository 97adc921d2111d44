"""The kit for reports, from which the pages of all kinds of models are made."""
