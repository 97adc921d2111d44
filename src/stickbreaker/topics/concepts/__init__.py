"""Trees of concepts, built from dictionaries."""
