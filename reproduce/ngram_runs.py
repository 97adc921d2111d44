"""Language models learned from one text and scored on another: perplexities, seconds, contexts."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from reproduce.kneser_ney import KneserNey, kneser_ney
from reproduce.ngram_texts import Split

from stickbreaker import Corpus, NgramModel
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.ngrams.model.contexts import Contexts, contexts_of, symbols_before, with_ends
from stickbreaker.ngrams.model.language_model import LanguageModel
from stickbreaker.ngrams.sentence_scores import all_scores
from stickbreaker.ngrams.word_numbers import WordNumbers

UNBOUNDED = "unbounded"
PITMAN_YOR, KNESER_NEY = "HPYLM", "Kneser-Ney"
SWEEPS, SAMPLES = 100, 10

Order = int | str
Integers = NDArray[np.int64]


class Perplexity(NamedTuple):
    """Perplexity of all words and ends of sentences, and of the known ones only.

    `samples`: the mean of the samples' own perplexities of all, if there are samples.
    """

    all_words: float
    known_words: float
    samples: float | None = None


class Run(NamedTuple):
    """A model of one split. Seconds are of CPU, those to predict of all parts.

    `contexts`: of a sample, those that a word uses; `stored`: in any sample. `lengths`: words of the text by
    the length of the context that they use, of an unbounded model.
    """

    method: str
    order: Order
    split: str
    reading: str
    scores: dict[str, Perplexity]  # by part
    learning: float
    predicting: float
    contexts: int
    stored: int
    lengths: list[float]

    @property
    def name(self) -> str:
        return f"{self.method}, {order_name(self.order)}"

    @classmethod
    def from_json(cls, held: list[Any]) -> "Run":
        """One of those that were written to a file."""
        run = cls(*held)
        return run._replace(scores={part: Perplexity(*score) for part, score in run.scores.items()})


class Sizes(NamedTuple):
    """Words that may come next (the marks included), documents, and words with ends of sentences."""

    split: str
    reading: str
    types: int
    documents: int
    train: int
    parts: dict[str, int]
    unknown: dict[str, float]  # share of a part's words and ends


def order_name(order: Order) -> str:
    """
    >>> order_name(3), order_name("unbounded")
    ('n = 3', 'unbounded')
    """
    return order if isinstance(order, str) else f"n = {order}"


def measure(
    split: Split, pitman_yor: tuple[Order, ...], smoothed: tuple[int, ...], sweeps: int = SWEEPS
) -> tuple[Sizes, list[Run]]:
    """The sizes of a split, and its models of these orders, printed as they end."""
    train, parts = split.corpora()
    sizes = sizes_of(split, train, parts)
    runs: list[Run] = []
    for order in smoothed:
        runs.append(measure_kneser_ney(split, train, parts, order))
        print(summary(runs[-1]), flush=True)
    for order in pitman_yor:
        runs.append(measure_pitman_yor(split, train, parts, order, sweeps))
        print(summary(runs[-1]), flush=True)
    return sizes, runs


def sizes_of(split: Split, train: Corpus, parts: dict[str, Corpus]) -> Sizes:
    """The sizes of a split, whose corpora are given."""
    numbers = WordNumbers.of(train.vocabulary, split.min_count, spelled=False)
    marked = {name: marked_words(part, numbers)[0] for name, part in parts.items()}
    return Sizes(
        split.name,
        split.reading,
        numbers.n_words,
        len(split.train),
        len(marked_words(train, numbers)[0]),
        {name: len(words) for name, words in marked.items()},
        {name: float((words == numbers.unknown).mean()) for name, words in marked.items()},
    )


def summary(run: Run) -> str:
    """A line of a run that has ended."""
    scores = [f"{part} {p.all_words:.1f} ({p.known_words:.1f})" for part, p in run.scores.items()]
    return (
        f"{run.split} ({run.reading}): {run.name}: {', '.join(scores)}; "
        f"{run.learning:.0f} s to learn, {run.predicting:.1f} to predict, {run.contexts:,} contexts"
    )


def measure_pitman_yor(
    split: Split, train: Corpus, parts: dict[str, Corpus], order: Order, sweeps: int = SWEEPS
) -> Run:
    """`NgramModel` with the paper's ten samples; predictions are means of their probabilities."""
    start = time.process_time()
    samples = min(SAMPLES, sweeps - sweeps // 2)
    model = NgramModel(order, min_count=split.min_count, max_iter=sweeps, samples=samples, random_state=0)
    model.fit(train)
    learning = time.process_time() - start
    seen = {name: part.with_vocabulary(model.vocabulary_) for name, part in parts.items()}
    start = time.process_time()
    scores = {name: model.learned_.part_scores(part) for name, part in seen.items()}
    predicting = time.process_time() - start
    perplexities = {
        name: Perplexity(
            *(float(np.exp(-nats / events)) for nats, events in (score["all"], score["known"])),
            _mean_of_samples(model, seen[name]),
        )
        for name, score in scores.items()
    }
    language_model = model.learned_.model
    return Run(
        PITMAN_YOR,
        order,
        split.name,
        split.reading,
        perplexities,
        learning,
        predicting,
        round(np.mean([(sample.totals[:, 0] > 0).sum() for sample in language_model.samples])),
        language_model.n_contexts,
        lengths_of_contexts(language_model) if order == UNBOUNDED else [],
    )


def _mean_of_samples(model: NgramModel, corpus: Corpus) -> float:
    """The mean of the samples' perplexities, each by itself."""
    learned = model.learned_
    scores = [all_scores(corpus, sample, learned.base) for sample in single_samples(learned.model)]
    return float(np.mean([np.exp(-np.concatenate([each.nats for each in one]).mean()) for one in scores]))


def single_samples(model: LanguageModel) -> Iterator[LanguageModel]:
    """A model of each sample alone."""
    for number in range(len(model.customers)):
        yield replace(
            model,
            customers=model.customers[[number]],
            tables=model.tables[[number]],
            discounts=model.discounts[[number]],
            concentrations=model.concentrations[[number]],
            ends=None if model.ends is None else model.ends[[number]],
        )


def lengths_of_contexts(model: LanguageModel) -> list[float]:
    """Words of the text by the length of the context that they use, from none on; means of the samples.

    A slot's customers are the words of the text that use its context, and one for each table of the same word
    in the contexts one word longer.
    """
    contexts = model.contexts
    inner = contexts.parents >= 0
    depths = contexts.depths[contexts.restaurants]
    totals = np.zeros(model.longest + 1)
    for customers, tables in zip(model.customers, model.tables, strict=True):
        own = customers.astype(np.float64)
        np.subtract.at(own, contexts.parents[inner], tables[inner].astype(np.float64))
        totals += np.bincount(depths, own, len(totals))
    return (totals / len(model.customers)).tolist()


def measure_kneser_ney(split: Split, train: Corpus, parts: dict[str, Corpus], order: int) -> Run:
    """Interpolated modified Kneser-Ney over the contexts, words and ends that `NgramModel` has."""
    start = time.process_time()
    smoothed = Smoothed.of(train, split.min_count, order)
    learning = time.process_time() - start
    start = time.process_time()
    scores: dict[str, Perplexity] = {}
    for name, part in parts.items():
        scored = smoothed.score(part)
        log_p = scored.log_p
        known = log_p[scored.words != smoothed.numbers.unknown]
        scores[name] = Perplexity(float(np.exp(-log_p.mean())), float(np.exp(-known.mean())))
    predicting = time.process_time() - start
    n_contexts = len(smoothed.model.contexts.depths)
    return Run(
        KNESER_NEY,
        order,
        split.name,
        split.reading,
        scores,
        learning,
        predicting,
        n_contexts,
        n_contexts,
        [],
    )


class Scored(NamedTuple):
    """The words of a text by number, with ends of sentences; log p of each; its slots (words × depths)."""

    words: Integers
    log_p: NDArray[np.float64]
    slots: Integers


class Smoothed(NamedTuple):
    """Kneser-Ney of a text, how its words are numbered, and the deepest slot of each word of it."""

    model: KneserNey
    numbers: WordNumbers
    deepest: Integers
    order: int

    @classmethod
    def of(cls, train: Corpus, min_count: int, order: int) -> "Smoothed":
        """The model of a text over the contexts, words and ends that `NgramModel` has."""
        numbers = WordNumbers.of(train.vocabulary, min_count, spelled=False)
        marked, positions = marked_words(train, numbers)
        before = symbols_before(marked, positions, numbers.end)
        contexts, deepest = contexts_of(marked, before, numbers.n_words, order - 1)
        return cls(kneser_ney(contexts, deepest), numbers, deepest, order)

    def score(self, corpus: Corpus) -> Scored:
        """The words of another text and their log p."""
        words, positions = marked_words(corpus, self.numbers)
        before = symbols_before(words, positions, self.numbers.end)
        symbols = [before(distance) for distance in range(1, self.order)]
        restaurants, slots = ways(self.model.contexts, words, symbols)
        return Scored(words, np.log(self.model.probability(restaurants, slots)), slots)


def marked_words(corpus: Corpus, numbers: WordNumbers) -> tuple[Integers, Integers]:
    """All words of a corpus by number, with the marks at the ends of sentences, and their positions there."""
    text = Sequences.join([corpus.sequences(block) for block in range(len(corpus.block_sizes))])
    return with_ends(numbers.numbered(text.words), text.starts, numbers.end)


def ways(contexts: Contexts, words: Integers, symbols: list[Integers]) -> tuple[Integers, Integers]:
    """Restaurants and slots of words (words × depths), the empty context's first; -1: there is none."""
    restaurants = [np.zeros(len(words), np.int64)]
    for symbol in symbols:
        restaurants.append(contexts.find_restaurants(restaurants[-1], symbol))
    slots = [contexts.find_slots(each, words) for each in restaurants]
    return np.stack(restaurants, axis=1), np.stack(slots, axis=1)
