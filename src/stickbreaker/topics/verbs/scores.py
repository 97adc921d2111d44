"""The scores of a topic model, as a record and as text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.estimators.document_scores import learned_from_lines
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.topics.evaluation.classification import Accuracy
from stickbreaker.topics.evaluation.coherence import Coherence
from stickbreaker.topics.verbs.coherence_counts import counted_line
from stickbreaker.topics.verbs.spelled_words import SpelledShare

if TYPE_CHECKING:
    import pyarrow as pa

MEASURES = {"npmi": "NPMI", "umass": "UMass", "c_v": "C_v"}


@dataclass(frozen=True)
class Measure:
    """A measure of coherence: its mean, its value for each topic, and how many pairs of words never meet."""

    mean: float
    per_topic: tuple[float, ...]
    unseen_pairs: int

    @classmethod
    def of(cls, scores: Coherence) -> Self:
        """The measure as evaluation returns it."""
        return cls(scores.mean, tuple(scores.per_topic.tolist()), scores.unseen_pairs)


@dataclass(frozen=True, kw_only=True)
class LeftToRightScores:
    """Log probability of whole documents, each word predicted from those before it."""

    particles: int
    scored_tokens: float
    nats_per_word: float
    perplexity: float
    unigram_nats_per_word: float
    unigram_perplexity: float
    spelled: SpelledShare | None
    seconds: float


@dataclass(frozen=True)
class BoundScore:
    """The lower bound on log p of the documents, in nats per token, and the number of their known tokens."""

    tokens: float
    nats_per_token: float


@dataclass(frozen=True, kw_only=True)
class CoherenceScores:
    """Whether the top words of each topic occur together, in one language.

    `reference`: what the corpus is called in which words were counted; None: the documents scored. `by`: how
    words are ranked. `documents`, `windows` and `text_windows` of `words_per_text_window` words are what
    UMass, C_v and NPMI have counted (None: the order of words is unknown). `held_out`: only documents that
    the model had held out were counted; `learned_from`: the share of them that it learned from.
    """

    reference: str | None
    by: str
    language: str | None
    documents: int
    windows: int | None
    text_windows: int | None
    words_per_text_window: int | None
    held_out: bool
    learned_from: float | None
    npmi: Measure
    umass: Measure
    c_v: Measure


@dataclass(frozen=True, kw_only=True)
class DiversityScores:
    """`diversity`: the share of distinct words among the `top_words` of all topics; `effective_topics`: the
    exponential of the entropy of their shares."""

    top_words: int
    diversity: float
    topics: int
    effective_topics: float
    unused_topics: tuple[int, ...]


@dataclass(frozen=True)
class LabelPredictions:
    """How well topics, words, and always choosing the most frequent label predict a field of metadata."""

    field: str
    topics: Accuracy
    words: Accuracy
    majority: Accuracy
    documents: int
    classes: int
    left_out: int


@dataclass(frozen=True)
class LanguagePair:
    """How well topics agree on documents with texts in two languages.

    `mrr`: mean reciprocal rank of a document's other side, by `chance` if it were drawn.
    """

    languages: tuple[str, str]
    documents: int
    mrr: float
    chance: float
    cross_lingual_npmi: Measure


@dataclass(frozen=True, kw_only=True, repr=False)
class CompletionScores(VerbResult):
    """Document completion: the rest of each document's words, predicted from the share `completion` of them.

    Log probabilities are means in nats per word, by the topics and by a unigram model. `spelled`: the part of
    words that no topic has, None if they were ignored. `learned_from`: the share of the documents that the
    model has learned from; None: not known.
    """

    documents: int
    empty_documents: int
    completion: float
    scored_tokens: float
    nats_per_word: float
    perplexity: float
    unigram_nats_per_word: float
    unigram_perplexity: float
    unseen_share: float
    spelled: SpelledShare | None
    learned_from: float | None

    def lines(self) -> list[str]:
        """The scores as lines of text."""
        return [
            f"{counted(self.documents, 'document')}, {counted(self.scored_tokens, 'word')} predicted, "
            f"{100 * self.unseen_share:.1f} % of the words unseen",
            *learned_from_lines(self.learned_from),
            *_held_out_lines(self, ""),
        ]

    def __str__(self) -> str:
        return "\n".join(self.lines())


@dataclass(frozen=True, kw_only=True, repr=False)
class TopicScores(CompletionScores):
    """All scores of a topic model; those that were not asked for are None.

    `diagnostics`: a table (pyarrow) with a row per topic.
    """

    left_to_right: LeftToRightScores | None
    bound: BoundScore | None
    coherence: tuple[CoherenceScores, ...]
    diversity: DiversityScores
    labels: LabelPredictions | None
    language_pairs: tuple[LanguagePair, ...]
    diagnostics: "pa.Table | None" = None

    def as_json(self) -> JsonObject:
        values = super().as_json()
        del values["diagnostics"]
        return values

    def __str__(self) -> str:
        lines = self.lines()
        whole = self.left_to_right
        if whole is not None:
            words, particles = counted(whole.scored_tokens, "word"), counted(whole.particles, "particle")
            lines += ["", f"Left to right: {words}, {particles}"]
            lines += _held_out_lines(whole, f"  ({whole.seconds:.1f} s)")
        if self.bound is not None:
            nats = self.bound.nats_per_token
            lines += ["", f"Bound on log p of whole documents: {nats:.4f} nats/token"]
        for one in self.coherence:
            lines += ["", *_coherence_lines(one)]
        lines += ["", _diversity_line(self.diversity)]
        if self.labels is not None:
            lines += ["", *_label_lines(self.labels)]
        for pair in self.language_pairs:
            lines += ["", *_pair_lines(pair)]
        return "\n".join(lines)


def _held_out_lines(scores: CompletionScores | LeftToRightScores, after: str) -> Sequence[str]:
    return [
        *([] if scores.spelled is None else [scores.spelled.line()]),
        f"             nats/word  perplexity{after}",
        f"  model      {scores.nats_per_word:9.4f}  {scores.perplexity:10.1f}",
        f"  unigram    {scores.unigram_nats_per_word:9.4f}  {scores.unigram_perplexity:10.1f}",
    ]


def _coherence_lines(scores: CoherenceScores) -> list[str]:
    place = f" of {scores.reference}" if scores.reference else ""
    language = f" in {scores.language}" if scores.language else ""
    documents = counted(scores.documents, "document")
    lines = [
        f"Coherence of top words{language}, in {documents}{place}, {_learned(scores)}",
        f"  {counted_line(vars(scores))}",
        "                  mean     lowest    highest  pairs that never meet",
    ]
    for name, label in MEASURES.items():
        one: Measure = getattr(scores, name)
        low, high = min(one.per_topic), max(one.per_topic)
        lines.append(f"  {label:<10} {one.mean:9.3f}  {low:9.3f}  {high:9.3f}  {one.unseen_pairs:>9}")
    return lines


def _learned(scores: CoherenceScores) -> str:
    """Whether the model has learned from the documents in which coherence counted words, as text."""
    if scores.held_out:
        return "held out when the model was learned"
    share = scores.learned_from
    if share is None:
        return "perhaps learned from (unknown)"
    if share == 0.0:
        return "not learned from"
    part = "" if share == 1.0 else f"{max(0.1, 100 * share):.1f} % of them "
    return f"{part}learned from, where the words were chosen: expect less in others"


def _diversity_line(spread: DiversityScores) -> str:
    topics = counted(spread.topics, "topic")
    return (
        f"Diversity: {100 * spread.diversity:.0f} % of the {spread.top_words} top words of all topics "
        f"are distinct; {spread.effective_topics:.1f} of {topics} in effective use, "
        f"{len(spread.unused_topics)} unused"
    )


def _label_lines(scores: LabelPredictions) -> list[str]:
    left_out = f", {scores.left_out} left out" if scores.left_out else ""
    lines = [
        f"Labels by {scores.field}: {counted(scores.documents, 'document')}, "
        f"{counted(scores.classes, 'label')}{left_out}",
        "             accuracy  macro F1",
    ]
    for name in ("topics", "words", "majority"):
        one: Accuracy = getattr(scores, name)
        lines.append(f"  {name:<10} {one.accuracy:9.3f} {one.macro_f1:9.3f}")
    return lines


def _pair_lines(pair: LanguagePair) -> list[str]:
    first, second = pair.languages
    return [
        f"{first} and {second}: {counted(pair.documents, 'document')} with both sides",
        f"  the other side's mean reciprocal rank {pair.mrr:.3f} (by chance {pair.chance:.3f})",
        f"  cross-lingual NPMI {pair.cross_lingual_npmi.mean:.3f}, "
        f"{pair.cross_lingual_npmi.unseen_pairs} pairs never meet",
    ]
