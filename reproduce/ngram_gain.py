"""Where Pitman-Yor smoothing gains on Kneser-Ney, and where it loses: by the longest n-gram seen before."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from reproduce.ngram_runs import Smoothed
from reproduce.ngram_texts import TOKEN, Split, document, split_sentences
from reproduce.pages import Section, Table
from reproduce.texts import rows

from stickbreaker import NgramModel
from stickbreaker.core.random_streams import stream
from stickbreaker.ngrams.sentence_scores import all_scores

NAMES = ("AP", "Brown", "film reviews")
WAYS = ("documents", "sentences")  # what is held out
TOKENS = 900_000  # of each text, so that sizes do not differ
ORDER, MIN_COUNT, SWEEPS, SAMPLES = 3, 2, 60, 10
COUNTS = (1, 2, 3, 5, 10)  # least counts of a trigram


class Gain(NamedTuple):
    """Perplexities of both, and how much of the gain is due to what: (share of words, nats per word).

    `seen`: by the length of the longest n-gram of the text that ends at the word, from one; `trigrams`: those
    of length three, by how often the trigram was seen.
    """

    text: str
    held_out: str
    words: int
    kneser_ney: float
    pitman_yor: float
    seen: list[tuple[float, float]]
    trigrams: list[tuple[float, float]]

    @property
    def nats(self) -> float:
        """Nats per word by which the Pitman-Yor model predicts better."""
        return float(np.log(self.kneser_ney / self.pitman_yor))


def documents(name: str) -> list[list[list[str]]]:
    """Some documents of a text in random order, about `TOKENS`, as sentences in lower case."""
    read = rows(name)
    found: list[list[list[str]]] = []
    tokens = 0
    for place in stream(0, "gain documents").permutation(len(read)).tolist():
        text = read[place]["text"].lower()
        sentences = (
            [line.split() for line in text.split("\n")]
            if name == "Brown"
            else split_sentences(TOKEN.findall(text))
        )
        found.append([sentence for sentence in sentences if sentence])
        tokens += sum(map(len, found[-1]))
        if tokens > TOKENS:
            break
    return found


def split_of(name: str, units: list[list[list[str]]], held_out: str) -> Split:
    """The `documents` of a text with a tenth held out: whole documents, or sentences from everywhere."""
    if held_out == "sentences":
        units = [[sentence] for own in units for sentence in own]
        units = [units[place] for place in stream(0, "gain sentences").permutation(len(units)).tolist()]
    cut = len(units) // 10
    listed = [document(number, own) for number, own in enumerate(units)]
    return Split(name, held_out, listed[cut:], {"test": listed[:cut]}, MIN_COUNT)


def measure_all(full: bool) -> list[Gain]:
    """Every text, held out both ways."""
    gains = []
    for name in NAMES:
        read = documents(name)
        for held_out in WAYS:
            gains.append(gain_of(split_of(name, read, held_out)))
            one = gains[-1]
            print(
                f"{name}, {held_out}: Kneser-Ney {one.kneser_ney:.1f}, HPYLM {one.pitman_yor:.1f}", flush=True
            )
    return gains


def gain_of(split: Split, sweeps: int = SWEEPS) -> Gain:
    """Both models of a split, compared word by word."""
    train, parts = split.corpora()
    smoothed = Smoothed.of(train, split.min_count, ORDER)
    words, log_p, slots = smoothed.score(parts["test"])
    samples = min(SAMPLES, sweeps - sweeps // 2)
    model = NgramModel(
        ORDER, min_count=split.min_count, max_iter=sweeps, samples=samples, random_state=0
    ).fit(train)
    seen = parts["test"].with_vocabulary(model.vocabulary_)
    scored = np.concatenate([one.nats for one in all_scores(seen, model.learned_.model, model.learned_.base)])
    difference = scored - log_p
    longest = (slots >= 0).sum(axis=1)
    counts = np.bincount(smoothed.deepest, minlength=len(smoothed.model.contexts.slot_keys))
    times = counts[np.maximum(slots[:, -1], 0)]
    upper = (*COUNTS[1:], np.inf)
    trigram = slots[:, -1] >= 0
    return Gain(
        split.name,
        split.reading,
        len(words),
        float(np.exp(-log_p.mean())),
        float(np.exp(-scored.mean())),
        [_due(difference, longest == length) for length in range(1, ORDER + 1)],
        [
            _due(difference, trigram & (times >= least) & (times < most))
            for least, most in zip(COUNTS, upper, strict=True)
        ],
    )


def _due(difference: np.ndarray, those: np.ndarray) -> tuple[float, float]:
    """The share of some words, and the nats per word of the whole text that they contribute."""
    return float(those.mean()), float(difference[those].sum() / len(difference))


def section(data: Sequence[Sequence[Any]]) -> Section:
    """The gain, and what it is due to."""
    gains = [Gain(*held) for held in data]

    def table(first: str, columns: Sequence[str], parts: str) -> Table:
        return Table(
            (first, "held out", *columns),
            [
                [
                    one.text,
                    one.held_out,
                    *(f"{share:.1%}, {nats:+.4f}" for share, nats in getattr(one, parts)),
                ]
                for one in gains
            ],
        )

    lengths = ("the word alone", "after the word before", "the trigram")
    upper = [f" to {most - 1}" if most - least > 1 else "" for least, most in pairwise(COUNTS)]
    times = [f"{least}{end}" for least, end in zip(COUNTS, [*upper, " or more"], strict=True)]
    return Section(
        "Where the gain comes from",
        [
            f"Trigrams of about {TOKENS:,} tokens of each text in lower case, words that occur once are one "
            f"word to both, {SWEEPS} sweeps. A tenth is held out: whole documents, or sentences from "
            "everywhere, whose documents have been seen otherwise.",
            Table(
                ("text", "held out", "words", "Kneser-Ney", "HPYLM", "nats per word better"),
                [
                    [one.text, one.held_out, f"{one.words:,}", f"{one.kneser_ney:.1f}",
                     f"{one.pitman_yor:.1f}", f"{one.nats:+.4f}"]
                    for one in gains
                ],
            ),
            "By the longest n-gram that was seen in the text learned from: the share of words, and what they "
            "contribute to the nats per word by which HPYLM is better.",
            table("text", lengths, "seen"),
            "The words whose trigram was seen, by how often it was.",
            table("text", times, "trigrams"),
        ],
    )  # fmt: skip
