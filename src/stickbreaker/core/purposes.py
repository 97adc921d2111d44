"""What draws are for: the purposes that `stream` and its like in `core/random_streams.py` are given.

They are data: another string draws other numbers from the same seed. So they keep their spelling whatever
becomes of the code around them, and a new draw gets a purpose of its own: here if more than one kind of
models needs it, otherwise in the kind's `purposes.py`. No string is in two of these files.
"""

START = "start"  # the seed of each start of a run, but the first
CHAIN = "chain"  # the seed of each chain of a sampler, but the first
STEP = "step"  # the seed of a step of a run
MOVES = "moves"  # the seed of what a move tries in a step
AGAIN = "again"  # the seed of a further round of what moves try
SHUFFLE = "shuffle"  # the order of documents in a pass
ASSIGNMENTS = "assignments"  # what a document's tokens are assigned to in the hybrid local step
