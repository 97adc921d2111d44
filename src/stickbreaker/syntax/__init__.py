"""Topics that know grammar: syntactic topic models of parsed sentences."""
