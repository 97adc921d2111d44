"""The probability of a string as a word."""
