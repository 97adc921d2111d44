"""The search for the number of topics: what is kept of its runs, and which run is next."""
