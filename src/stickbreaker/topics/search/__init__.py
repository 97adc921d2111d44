"""The search for the number of topics: records of its runs, and the choice of the next run."""
