"""The kit for reports: what the pages of all kinds of models are made with."""
