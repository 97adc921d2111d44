"""The runs and the page of `stickbreaker search-k`."""
