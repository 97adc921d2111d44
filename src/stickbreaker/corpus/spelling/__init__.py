"""How probable a string is as a word."""
