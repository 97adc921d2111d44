"""What topic models draw for: see `core/purposes.py`."""

SEED_DOCUMENTS = "documents"  # the documents that topics start from
SEED_TOPICS = "topics"  # the noise that tells topics apart at the start, by word
DIRECTIONS = "directions"  # the direction in which a topic is split, by word
BIRTHS = "births"  # the documents that a stream's new topics start from
HALVES = "halves"  # which half of the documents judges a move

GIBBS = "gibbs"  # a sweep of the Gibbs sampler, by visit
DELAYED_DOCUMENTS = "delayed gibbs, documents"  # a sweep of the delayed sampler over documents
DELAYED_WORDS = "delayed gibbs, words"  # and over words
HDP_GIBBS = "hdp gibbs"  # a sweep of the HDP's Gibbs sampler, by visit
HDP_WEIGHTS = "hdp weights"  # the weights of its topics

COMPLETION = "completion"  # how a document that is scored is cut in two
PREQUENTIAL = "prequential"  # the documents of a stream that are predicted, and what is drawn for them
LEFT_TO_RIGHT = "left-to-right"  # the order in which a document's words are predicted, and particles

INTRUSION = "intrusion"  # the topics that a quiz asks about, and the words that intrude
EFFECTS = "effects"  # the topic shares that are regressed on metadata, by the draw's number
NEIGHBOURS_ON_MAP = "neighbours on the map"  # which of equally near documents the map has as neighbours
