"""Names of the purposes for which topic models draw random numbers; each has a stream of its own: see
`core/purposes.py`.
"""

SEED_DOCUMENTS = "documents"  # documents from which topics start
SEED_TOPICS = "topics"  # noise that distinguishes topics at the start, by word
DIRECTIONS = "directions"  # initial direction of a split, by word
BIRTHS = "births"  # documents from which a stream's new topics start
MERGES = "merges"  # documents that judge an online run's merges
HALVES = "halves"  # which half of the documents judges a move

GIBBS = "gibbs"  # a sweep of the Gibbs sampler, by visit
DELAYED_DOCUMENTS = "delayed gibbs, documents"  # a sweep of the delayed sampler over documents
DELAYED_WORDS = "delayed gibbs, words"  # and over words
HDP_GIBBS = "hdp gibbs"  # a sweep of the HDP's Gibbs sampler, by visit
HDP_WEIGHTS = "hdp weights"  # the weights of its topics

COMPLETION = "completion"  # how a scored document is split
SAMPLE = "sample"  # documents of a stream that are kept to rank words by
PREQUENTIAL = "prequential"  # documents of a stream that are predicted, and draws for them
LEFT_TO_RIGHT = "left-to-right"  # the order in which a document's words are predicted, and particles

INTRUSION = "intrusion"  # the topics of a quiz, and its intruders
EFFECTS = "effects"  # the topic shares that are regressed on metadata, by the draw's number
PREVALENCE = "prevalence"  # coefficients of a prior by metadata, for the intervals of expected shares
NEIGHBOURS_ON_MAP = "neighbours on the map"  # which of equally near documents are neighbours on the map
