"""What grammars draw for: see `core/purposes.py`."""

GRAMMAR_TREES = "grammar trees"  # a sweep over the trees of a grammar's sentences, and the first ones
GRAMMAR_TABLES = "grammar tables"  # and over the subtrees that it remembers
GRAMMAR_ORDER = "grammar order"  # the order in which both are visited
GRAMMAR_PROCESSES = "grammar processes"  # its discounts and concentrations
GRAMMAR_SAMPLES = "grammar samples"  # trees drawn of a sentence in an online step
GRAMMAR_PARSES = "grammar parses"  # trees drawn for a sentence by a grammar that was learned
