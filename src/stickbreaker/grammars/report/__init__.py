"""The report of a learned grammar: its records, where they come from, and what the page is drawn from."""
