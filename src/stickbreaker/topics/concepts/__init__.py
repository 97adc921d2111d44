"""Trees of concepts, from dictionaries."""
