"""The page of a model of topics: what it gathers, chooses and draws."""
