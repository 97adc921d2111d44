"""Purposes of random draws: the strings passed to `stream` and its relatives in `core/random_streams.py`.

They are data: another string draws other numbers from the same seed, so they never change when code is
renamed. Each draw has its own purpose: here if several kinds of models need it, otherwise in the kind's
`purposes.py`. No string is in two of these files.
"""

START = "start"  # the seed of each start of a run except the first
CHAIN = "chain"  # the seed of each chain of a sampler except the first
STEP = "step"  # the seed of a step of a run
MOVES = "moves"  # the seed of what a move tries in a step
AGAIN = "again"  # the seed of a further round of what moves try
SHUFFLE = "shuffle"  # the order of documents in a pass
ASSIGNMENTS = "assignments"  # what a document's tokens are assigned to in the hybrid local step
