"""The report of a language model: its records, where they come from, and what the page is drawn from."""
