"""The purposes of random streams in n-gram models: see `core/purposes.py`."""

NGRAMS = "n-grams"  # a sweep over the seating of an n-gram model, and its initial seating
NGRAM_HYPERPARAMETERS = "n-gram hyperparameters"  # its discounts and concentrations
NGRAM_SENTENCES = "n-gram sentences"  # sentences that it generates
NGRAM_RESCALING = "n-gram rescaling"  # the particles that follow a document's topics
NGRAM_REPORT = "n-gram report"  # the sentences that its report shows
TOPIC_NGRAMS = "topic n-grams"  # a sweep over the topics and the seating of a topic n-gram model
TOPIC_NGRAM_TABLES = "topic n-gram tables"  # its tables, moved in blocks
TOPIC_NGRAM_SWITCHES = "topic n-gram switches"  # its switches to the common topic
TOPIC_NGRAM_HYPERPARAMETERS = "topic n-gram hyperparameters"  # what else it draws in a sweep
TOPIC_NGRAM_PARTICLES = "topic n-gram particles"  # topics of new documents, updated word by word
