"""The dynamic topic model (Blei and Lafferty 2006) as tomotopy has it, on whole streams cut into epochs."""

import time
from collections import Counter
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from reproduce.open_data import Stream
from reproduce.open_scoring import TEN

MINIBATCHES = 10  # of an epoch
RARE = 20  # words in fewer documents are left out
VARIANCES = (0.001, 0.005, 0.01, 0.05)  # of a word's drift from epoch to epoch: the paper's tcv, de-news
VARIANCES_NEWSGROUPS = (0.01, 0.05, 0.1, 0.5)  # and 20 Newsgroups
RATE = 0.1  # of the sampler's first steps; with its default 0.01 topics had hardly separated after 200 sweeps


class Dynamic(NamedTuple):
    """A run: topics, documents of a minibatch, variance of the drift, sweeps, seed."""

    topics: int
    batch: int
    variance: float
    sweeps: int
    seed: int


class Dynamics(NamedTuple):
    """Shares (documents × topics); the topics' top words in each epoch; words and CPU seconds."""

    shares: NDArray[np.float64]
    tops: list[list[list[str]]]
    words: int
    seconds: float


def dynamic(settings: Dynamic, stream: Stream, rare: int = RARE) -> Dynamics:
    """The model of all documents, sampled (Bhadury et al. 2016) in one thread.

    Documents without a word have equal shares.
    """
    import tomotopy

    size = MINIBATCHES * settings.batch
    epochs = -(-len(stream.documents) // size)
    model = tomotopy.DTModel(
        k=settings.topics, t=epochs, phi_var=settings.variance, lr_a=RATE, seed=settings.seed
    )
    known = frequent(stream.documents, rare)
    since = time.process_time()
    numbers: list[int] = []
    for number, tokens in enumerate(stream.documents):
        kept = [token for token in tokens if token in known]
        if kept:
            model.add_doc(kept, timepoint=number // size)
            numbers.append(number)
    model.train(settings.sweeps, workers=1)
    shares = np.full((len(stream.documents), settings.topics), 1.0 / settings.topics)
    shares[numbers] = [document.get_topic_dist() for document in model.docs]
    tops = [
        [
            [word for word, _ in model.get_topic_words(topic, timepoint=epoch, top_n=TEN)]
            for topic in range(settings.topics)
        ]
        for epoch in range(epochs)
    ]
    return Dynamics(shares, tops, len(known), time.process_time() - since)


def there() -> bool:
    """Whether tomotopy is installed; a line says so where it is not."""
    if find_spec("tomotopy") is not None:
        return True
    print("left out: dtm needs tomotopy, which is not installed", flush=True)
    return False


def frequent(documents: list[list[str]], rare: int) -> set[str]:
    """The words that occur in at least that many documents.

    >>> sorted(frequent([["a", "b"], ["b", "b", "c"], ["c"]], 2))
    ['b', 'c']
    """
    counts = Counter(token for tokens in documents for token in set(tokens))
    return {word for word, number in counts.items() if number >= rare}
