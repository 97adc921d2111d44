"""What draws are for: the purposes that `stream` and its like in `core/random_streams.py` are given.

They are data: another string draws other numbers from the same seed. So they keep their spelling whatever
becomes of the code around them, and a new draw gets a purpose of its own here.
"""

START = "start"  # the seed of each start of a run, but the first
CHAIN = "chain"  # the seed of each chain of a sampler, but the first
STEP = "step"  # the seed of a step of a run
MOVES = "moves"  # the seed of what a move tries in a step
AGAIN = "again"  # the seed of a further round of what moves try
SHUFFLE = "shuffle"  # the order of documents in a pass

SEED_DOCUMENTS = "documents"  # the documents that topics start from
SEED_TOPICS = "topics"  # the noise that tells topics apart at the start, by word
DIRECTIONS = "directions"  # the direction in which a topic is split, by word
HALVES = "halves"  # which half of the documents judges a move

ASSIGNMENTS = "assignments"  # topics of a document's tokens in the hybrid local step
GIBBS = "gibbs"  # a sweep of the Gibbs sampler, by visit
DELAYED_DOCUMENTS = "delayed gibbs, documents"  # a sweep of the delayed sampler over documents
DELAYED_WORDS = "delayed gibbs, words"  # and over words
HDP_GIBBS = "hdp gibbs"  # a sweep of the HDP's Gibbs sampler, by visit
HDP_WEIGHTS = "hdp weights"  # the weights of its topics

COMPLETION = "completion"  # how a document that is scored is cut in two
PREQUENTIAL = "prequential"  # the documents of a stream that are predicted, and what is drawn for them
LEFT_TO_RIGHT = "left-to-right"  # the order in which a document's words are predicted, and particles

PLANTED = "planted"  # documents drawn from a planted model
PLANTED_LANGUAGES = "planted languages"  # and in several languages

NGRAMS = "n-grams"  # a sweep over the seating of an n-gram model, and where its words sit at first
NGRAM_HYPERPARAMETERS = "n-gram hyperparameters"  # its discounts and concentrations
NGRAM_SENTENCES = "n-gram sentences"  # what it generates
NGRAM_REPORT = "n-gram report"  # the sentences that its report shows

NEIGHBOURS_ON_MAP = "neighbours on the map"  # which of equally near documents the map has as neighbours

GRAMMAR_TREES = "grammar trees"  # a sweep over the trees of a grammar's sentences, and the first ones
GRAMMAR_TABLES = "grammar tables"  # and over the subtrees that it remembers
GRAMMAR_ORDER = "grammar order"  # the order in which both are visited
GRAMMAR_PROCESSES = "grammar processes"  # its discounts and concentrations
GRAMMAR_SAMPLES = "grammar samples"  # trees drawn of a sentence in an online step
GRAMMAR_PARSES = "grammar parses"  # trees drawn for a sentence by a grammar that was learned
