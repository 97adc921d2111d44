"""The report of syntactic topics: its records, where they come from, and what the page is drawn from."""
