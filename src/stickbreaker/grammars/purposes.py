"""The purposes of random streams in grammars: see `core/purposes.py`."""

GRAMMAR_TREES = "grammar trees"  # a sweep over the trees of a grammar's sentences, and the first trees
GRAMMAR_TABLES = "grammar tables"  # a sweep over the remembered subtrees
GRAMMAR_ORDER = "grammar order"  # the order of visits in both
GRAMMAR_PROCESSES = "grammar processes"  # discounts and concentrations
GRAMMAR_SAMPLES = "grammar samples"  # trees drawn for a sentence in an online step
GRAMMAR_PARSES = "grammar parses"  # trees drawn for a sentence by a learned grammar
