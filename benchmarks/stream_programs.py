"""One program on one stream: learned from a minibatch at a time, each scored before it is learned from.

The process reads a stream that `stream_data.write_stream` wrote. All programs have one scorer: topic shares
of a document are inferred from a random half of its tokens by the program's own inference; the other half is
scored with topics of the program's expected counts plus `ETA`, over the words that closed programs know.
"""

import time
from collections import Counter
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from benchmarks.processes import answer
from benchmarks.stream_data import known_words, read_stream
from numpy.typing import NDArray

Array = NDArray[np.float64]
Tokens = list[list[str]]

ETA = 0.01  # added to the counts of topics that score
DECAYS = (0.9, 0.95, 0.97, 0.99, 1.0)  # per step, of running unigrams; the best of them is reported
TWINS = 0.9  # cosine of two topics' words above which they are one topic twice
IN_USE = 0.001  # share of a topic that counts among twins
FIRST = 2  # minibatches that are learned from before the first is scored
PATIENCE = 600  # CPU seconds of learning after which a program is stopped
KAPPA, TAU0, ALPHA = 0.6, 32.0, 0.2  # of peers, in addition to their own defaults


class Program(Protocol):
    """A program that learns from a stream."""

    def learn(self, batch: Tokens) -> None: ...

    def counts(self) -> Array | None:
        """Topics × known words, expected counts; None if it does not report them."""
        ...

    def shares(self, documents: Tokens) -> Array:
        """Documents × topics."""
        ...


class Ours:
    """`LDA.partial_fit`; with moves or without."""

    def __init__(
        self, known: list[str], n_topics: int, seed: int, n: int, batch: int, **settings: Any
    ) -> None:
        from stickbreaker import LDA, Online, Vocabulary

        self.known, self.vocabulary = known, Vocabulary.of(known)
        self.is_open = settings["words"] == "open"
        schedule = Online(batch_size=batch)
        self.model = LDA(n_topics, random_state=seed, n_jobs=1, schedule=schedule, **settings)

    def learn(self, batch: Tokens) -> None:
        self.model.partial_fit(self._read(batch))

    def counts(self) -> Array:
        eta = 0.0 if self.is_open else self.model.eta_
        found = self.model.components_ - eta
        if not self.is_open:
            return found
        at = self.model.vocabulary_.lookup(self.known)
        return np.where(at >= 0, found[:, np.maximum(at, 0)], 0.0)

    def shares(self, documents: Tokens) -> Array:
        return self.model.transform(self._read(documents))

    def facts(self) -> dict[str, Any]:
        edits = [edit for record in self.model.trace_ for edit in record.get("edits", ())]
        return {"exchanges": sum(edit["move"] == "split" for edit in edits)}

    def _read(self, batch: Tokens) -> Any:
        from stickbreaker import Corpus

        return batch if self.is_open else Corpus.from_tokens(batch, vocabulary=self.vocabulary)


class Refitted:
    """A batch run on all documents so far, repeated after every tenth of the stream."""

    def __init__(self, known: list[str], n_topics: int, seed: int, n: int, batch: int) -> None:
        from stickbreaker import LDA, Vocabulary

        self.vocabulary, self.every = Vocabulary.of(known), max(batch, n // 10)
        self.model = LDA(n_topics, random_state=seed, n_jobs=1)
        self.seen: Tokens = []
        self.fitted = 0

    def learn(self, batch: Tokens) -> None:
        self.seen += batch
        if not self.fitted or len(self.seen) >= self.fitted + self.every:
            self.model.fit(self._read(self.seen))
            self.fitted = len(self.seen)

    def counts(self) -> Array:
        return self.model.components_ - self.model.eta_

    def shares(self, documents: Tokens) -> Array:
        return self.model.transform(self._read(documents))

    def _read(self, batch: Tokens) -> Any:
        from stickbreaker import Corpus

        return Corpus.from_tokens(batch, vocabulary=self.vocabulary)


class Matrices:
    """Counts of known words, the input of scikit-learn and gensim."""

    def __init__(self, known: list[str]) -> None:
        self.place = {word: place for place, word in enumerate(known)}

    def bags(self, documents: Tokens) -> list[list[tuple[int, int]]]:
        found = [Counter(self.place[word] for word in line if word in self.place) for line in documents]
        return [sorted(bag.items()) for bag in found]

    def matrix(self, documents: Tokens) -> Any:
        from scipy.sparse import csr_matrix

        bags = self.bags(documents)
        offsets = np.cumsum([0, *map(len, bags)])
        words = np.array([word for bag in bags for word, _ in bag], np.int64)
        values = np.array([n for bag in bags for _, n in bag], np.float64)
        return csr_matrix((values, words, offsets), shape=(len(bags), len(self.place)))


class Sklearn(Matrices):
    def __init__(
        self, known: list[str], n_topics: int, seed: int, n: int, batch: int, **settings: Any
    ) -> None:
        from sklearn.decomposition import LatentDirichletAllocation

        super().__init__(known)
        self.model = LatentDirichletAllocation(
            n_topics, learning_method="online", total_samples=n, random_state=seed, n_jobs=1, **settings
        )

    def learn(self, batch: Tokens) -> None:
        self.model.partial_fit(self.matrix(batch))

    def counts(self) -> Array:
        return np.maximum(self.model.components_ - self.model.topic_word_prior_, 0.0)

    def shares(self, documents: Tokens) -> Array:
        return self.model.transform(self.matrix(documents))


class Gensim(Matrices):
    def __init__(
        self, known: list[str], n_topics: int, seed: int, n: int, batch: int, **settings: Any
    ) -> None:
        from gensim.models import LdaModel

        super().__init__(known)
        words = dict(enumerate(known))
        self.model = LdaModel(
            id2word=words,
            num_topics=n_topics,
            chunksize=batch,
            random_state=seed,
            eval_every=None,
            **settings,
        )

    def learn(self, batch: Tokens) -> None:
        self.model.update(self.bags(batch))

    def counts(self) -> Array:
        return np.maximum(self.model.state.get_lambda() - self.model.eta, 0.0)

    def shares(self, documents: Tokens) -> Array:
        gamma, _ = self.model.inference(self.bags(documents))
        return gamma / gamma.sum(axis=1, keepdims=True)


class River:
    """river counts each word once per document and reports no counts of words."""

    def __init__(
        self, known: list[str], n_topics: int, seed: int, n: int, batch: int, **settings: Any
    ) -> None:
        from river.preprocessing import LDA

        self.n_topics = n_topics
        self.model = LDA(n_components=n_topics, number_of_documents=n, seed=seed, **settings)

    def learn(self, batch: Tokens) -> None:
        for line in batch:
            self.model.learn_one(dict(Counter(line)))

    def counts(self) -> None:
        return None

    def shares(self, documents: Tokens) -> Array:
        found = [self.model.transform_one(dict(Counter(line))) for line in documents]
        shares = np.array([[share[k] for k in range(self.n_topics)] for share in found]) + 1e-9
        return shares / shares.sum(axis=1, keepdims=True)


PROGRAMS: dict[str, tuple[Any, dict[str, Any]]] = {
    "ours": (Ours, {}),
    "ours, no moves": (Ours, {"moves": None}),
    "ours, refitted": (Refitted, {}),
    "scikit-learn": (Sklearn, {}),
    "scikit-learn, our rate": (
        Sklearn,
        {"learning_decay": KAPPA, "learning_offset": TAU0, "doc_topic_prior": ALPHA, "topic_word_prior": ETA},
    ),
    "gensim": (Gensim, {}),
    "gensim, our rate": (Gensim, {"decay": KAPPA, "offset": TAU0, "alpha": "auto", "eta": ETA}),
    "river": (River, {}),
    "river, our rate": (River, {"kappa": KAPPA, "tau": TAU0, "alpha_theta": ALPHA}),
}


def run_program(program: str, path: Path, settings: dict[str, Any]) -> dict[str, Any]:
    """The figures of a program on a stream, or {"error": why it failed}."""
    return answer(measure_file, program, str(path), settings)


def measure_file(program: str, path: str, settings: dict[str, Any]) -> dict[str, Any]:
    """The figures of a program on a written stream."""
    return measure(program, read_stream(Path(path)), **settings)


class Unigrams:
    """Running unigram counts that fade, one for each of `DECAYS`."""

    def __init__(self, n_words: int) -> None:
        self.counts = [np.zeros(n_words) for _ in DECAYS]
        self.nats = np.zeros(len(DECAYS))

    def score(self, words: NDArray[np.int64]) -> None:
        for place, counts in enumerate(self.counts):
            total = counts.sum() + 0.5 * len(counts)
            self.nats[place] += np.log((counts[words] + 0.5) / total).sum()

    def learn(self, words: NDArray[np.int64]) -> None:
        for place, decay in enumerate(DECAYS):
            self.counts[place] *= decay
            self.counts[place] += np.bincount(words, minlength=len(self.counts[place]))


def measure(
    program: str, documents: Tokens, topics: int, seed: int, batch: int, first: int | None = None, **ours: Any
) -> dict[str, Any]:
    """Learn from the stream in order; returns its figures."""
    documents = documents[:first]
    known = known_words(documents)
    place = {word: number for number, word in enumerate(known)}
    make, settings = PROGRAMS[program]
    given = {**(ours if make is Ours else {}), **settings}
    n = len(documents)
    if make is Ours:  # kernels are compiled before the clock runs
        warm = make(known, topics, seed, n, batch, **given)
        for start in (0, batch, 2 * batch):
            warm.learn(documents[start : start + batch])
    model: Program = make(known, topics, seed, n, batch, **given)
    unigrams, draw = Unigrams(len(known)), np.random.default_rng(0)
    nats, tokens, at_half = 0.0, 0.0, (0.0, 0.0, np.zeros(len(DECAYS)))
    seconds = 0.0
    last, of_documents = np.zeros(topics), np.zeros(topics)
    for number, start in enumerate(range(0, n, batch)):
        part = documents[start : start + batch]
        halves = [np.array(line)[draw.permutation(len(line))] for line in part]
        observed = [half[: len(half) // 2].tolist() for half in halves]
        asked = [[place[w] for w in half[len(half) // 2 :].tolist() if w in place] for half in halves]
        if start < n / 2:
            at_half = nats, tokens, unigrams.nats.copy()
        if number >= FIRST:
            flat = np.array([w for line in asked for w in line], np.int64)
            unigrams.score(flat)
            tokens += len(flat)
            counts = model.counts()
            if counts is not None:
                nats += _score(counts, model.shares(observed), asked)
        began = time.process_time()
        model.learn(part)
        seconds += time.process_time() - began
        if seconds > PATIENCE:
            raise RuntimeError(f"stopped after {start + batch} of {n} documents, {seconds:.0f} CPU s")
        unigrams.learn(np.array([place[w] for line in part for w in line if w in place], np.int64))
        if start + batch > 0.9 * n:
            found = model.shares(part)
            last += np.array([len(line) for line in part]) @ found
            of_documents += found.sum(axis=0)
    shares = last / last.sum()
    counts = model.counts()
    return {
        "documents": n,
        "largest": float(shares.max()),
        "of documents": float(of_documents.max() / of_documents.sum()),
        "effective": float(np.exp(-(shares * np.log(np.maximum(shares, 1e-12))).sum())),
        "S": None if counts is None else nats / tokens,
        "unigram": float(unigrams.nats.max() / tokens),
        "gain": None if counts is None else gain((nats, tokens, unigrams.nats), at_half),
        "twins": None if counts is None else twins(counts, shares),
        "seconds": seconds,
        **(model.facts() if isinstance(model, Ours) else {}),
    }


def gain(end: tuple[float, float, Array], at_half: tuple[float, float, Array]) -> float:
    """Nats per word above the best unigram in the second half of a stream, from sums at its end and its
    half."""
    nats, tokens = end[0] - at_half[0], end[1] - at_half[1]
    return float((nats - (end[2] - at_half[2]).max()) / tokens)


def _score(counts: Array, shares: Array, asked: list[list[int]]) -> float:
    """Log probability of the words of all documents given their topic shares, in nats."""
    topics = counts + ETA
    topics /= topics.sum(axis=1, keepdims=True)
    return float(
        sum(np.log(share @ topics[:, line]).sum() for share, line in zip(shares, asked, strict=True) if line)
    )


def twins(counts: Array, shares: Array) -> int:
    """How many topics in use have the words of a larger one."""
    used = np.flatnonzero(shares >= IN_USE)
    unit = counts[used] / np.maximum(np.linalg.norm(counts[used], axis=1, keepdims=True), 1e-300)
    alike = np.tril(unit @ unit.T > TWINS, -1)
    return int(alike.any(axis=1).sum())
