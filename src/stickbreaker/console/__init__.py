"""The options that several verbs share, and what they make of them."""
