"""What n-gram models draw for: see `core/purposes.py`."""

NGRAMS = "n-grams"  # a sweep over the seating of an n-gram model, and where its words sit at first
NGRAM_HYPERPARAMETERS = "n-gram hyperparameters"  # its discounts and concentrations
NGRAM_SENTENCES = "n-gram sentences"  # what it generates
NGRAM_RESCALING = "n-gram rescaling"  # the particles that follow a document's topics
NGRAM_REPORT = "n-gram report"  # the sentences that its report shows
