"""The purposes of random streams in syntactic topic models: see `core/purposes.py`."""

SYNTAX_TREES = "syntax trees"  # topics of a document's trees in a sweep
SYNTAX_START = "syntax start"  # topics before the first sweep
SYNTAX_WEIGHTS = "syntax weights"  # shares of documents, transitions, words and hyperparameters, in a sweep
SYNTAX_SHARES = "syntax shares"  # shares of new documents
SYNTAX_REPORT = "syntax report"  # documents and sentences that the report shows, and topics of their words
SYNTAX_PART = "syntax part"  # documents on which a variational run is started
