"""The open vocabulary: a topic is a draw from a Dirichlet process over all strings (Zhai 2014, chapter 7).

Kernels are imported on use, so that models load without them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import CountTable, Step, Summary, TableSpec
from stickbreaker.core.edits import Drop, Edit, Grow, Reorder
from stickbreaker.core.records import Array, Field, Record, TruncatedCounts
from stickbreaker.core.topk import descending
from stickbreaker.corpus.spelling.string_prior import CharacterModel, code_points
from stickbreaker.topics.model.slots import TopicVocabulary, WordsOnTrial, WordTopics, WordWeights
from stickbreaker.topics.model.topic_words import Dense, TopicWords
from stickbreaker.topics.model.vocabularies.bloom import SeenBefore
from stickbreaker.topics.model.vocabularies.open_settings import OpenVocabulary
from stickbreaker.topics.settings import CONCENTRATIONS

if TYPE_CHECKING:
    from stickbreaker.kernels.sticks import OrderedCells, StickSums
    from stickbreaker.kernels.truncated_table import ByRow

WORTH = 3.0  # approximate counts that an outside word is worth, if `outside` is "constant" and a is not less
LEAST_SPELLING = -600.0  # lower limit of log G0 of long words, to avoid underflow
LOG_SPELLING = "log_spelling"  # of the params: log G0 of each word of the table
ENTERED = "entered"  # of the params: the step (from 0) in which each word was added


@dataclass(frozen=True, slots=True)
class OpenWords(TopicVocabulary[TruncatedCounts]):
    """An open vocabulary: each topic has a limited number of words in an order of its own, with a stick each.

    `settings`: what the user chose; `characters`: the initial base distribution G0 over spellings. During a
    run, the params have G0, and log G0 of every word.
    """

    name: ClassVar[str] = "open"
    grows: ClassVar[bool] = True
    dirichlet: ClassVar[bool] = False
    collapses: ClassVar[bool] = False
    table = TableSpec(keyed=True, truncated=True)
    point: ClassVar[bool] = False  # pyright: ignore[reportIncompatibleVariableOverride]

    settings: OpenVocabulary
    characters: CharacterModel | None = None
    _read: list[tuple[Array, CharacterModel]] = field(default_factory=list, init=False, repr=False)

    @property
    def learned(self) -> bool:  # type: ignore[override]
        return self.settings.concentration == "learned"

    def start(self) -> dict[str, Field]:
        a = 3_000.0 if self.learned else float(self.settings.concentration)
        params = {
            "concentration": Field(np.array(a), (), additive=False),
            LOG_SPELLING: Field(np.zeros(0), ("words",), additive=False),
            ENTERED: Field(np.zeros(0), ("words",), additive=False),
        }
        if self.settings.memory == "bloom":
            params["seen before"] = SeenBefore.empty().field()
        return params | (self.characters.to_fields() if self.characters else {})

    def seed(self, keys: Sequence[str], n_topics: int, tokens: float, seed: int) -> Array:
        """Initial counts (words × topics): random values near their mean, with a sum of about `tokens`."""
        from stickbreaker.topics.model.vocabularies.closed import flat_noise

        return flat_noise(keys, n_topics, tokens, seed)

    def with_first_words(self, words: Sequence[str]) -> "OpenWords":
        """The vocabulary with its base distribution G0 over spellings, learned when a run begins.

        It is learned from the list of words in the settings if there is one, otherwise from these words.
        """
        spelling = self.settings.spelling
        return replace(self, characters=CharacterModel.learn(spelling.word_list() or words, spelling))

    def prepare(self, params: Record, counts: TruncatedCounts) -> dict[str, Field]:
        """The params with values that `weights` needs, computed once per step from the whole table.

        They are each topic's words that have sticks, the same sorted by row, and sums along the sticks.
        """
        from stickbreaker.kernels.sticks import StickSums, dirichlet_process, stick_sums
        from stickbreaker.kernels.truncated_table import by_row

        n_topics, cells = len(counts.sizes), _cells(counts)
        if self.settings.memory == "keep":  # outside words are many, and have no stick
            cells = _inside(cells)
            found = by_row(cells.rows, cells.sizes, len(counts.keys))
        else:
            found = counts.by_row()
        sums = StickSums(np.zeros(cells.rows.shape), np.empty(n_topics), np.empty(n_topics))
        stick_sums(cells, dirichlet_process(float(params["concentration"].values), n_topics), sums)
        made = {**_to_fields("at", cells), **_to_fields("by", found), **_to_fields("sums", sums)}
        return {**params, **made}

    def weights(
        self, params: Record, counts: TruncatedCounts, totals: Array, rows: NDArray[np.int64] | None
    ) -> WordWeights:
        """exp E[log beta] of the words of these rows (None: all; -1: a new word) in each topic. The params
        must come from `prepare`.

        For a word that a topic lacks, it is exp E[log] of the part of the stick that no word of the topic
        has, times a factor: G0 of the word if `outside` is "spelling", otherwise that of `log_outside`.
        """
        from stickbreaker.kernels.sticks import stick_weights

        places = np.arange(len(counts.keys)) if rows is None else rows
        weights = np.empty((len(places), len(counts.sizes)), np.float32)
        log_scale = np.empty(len(places))
        outside = np.full(len(places), self.log_outside(params))  # log factor on the rest of the stick
        if self.settings.outside == "spelling":  # for new words any constant will do: no topic has them
            known = places >= 0
            outside[known] = params[LOG_SPELLING].values[places[known]]
        cells, by_row, sums = _prepared(params)
        stick_weights(places, cells, by_row, sums, outside, weights, log_scale)
        return WordWeights(weights, log_scale)

    def log_outside(self, params: Record) -> float:
        """The log of a factor for words that a topic lacks: their weight is this factor × the part of the
        stick that no word has.

        The factor is 1 if the setting `outside` is "stick", otherwise min(1, 3 / concentration).
        """
        a = float(params["concentration"].values)
        return float(np.log(1.0 if self.settings.outside == "stick" else min(1.0, WORTH / a)))

    def admit(self, params: Record, new_rows: Mapping[str, Array], step: Step) -> tuple[Edit, Record]:
        """The edit that adds the new words of a minibatch to the vocabulary, most frequent first, and the
        params that change.

        `new_rows`: the counts of each word by topic, and last the number of its documents. With a filter
        (memory "bloom"), only words seen in a second document are added.
        """
        keys, changed = sorted(new_rows, key=lambda key: (-float(new_rows[key][:-1].sum()), key)), {}
        if self.settings.memory == "bloom" and keys:
            code_points(keys)  # invalid words are refused now, not when they come again
            seen = SeenBefore.of(params["seen before"])
            keys = [key for key in keys if seen.add(key) or new_rows[key][-1] > 1.5]
            changed = {"seen before": seen.field()}
        if not keys:
            return (), changed
        entered = np.full(len(keys), float(step.number))
        for name, values in ((LOG_SPELLING, self.log_spelling(params, keys)), (ENTERED, entered)):
            changed[name] = params[name]._replace(values=np.concatenate([params[name].values, values]))
        return (Grow("words", len(keys), tuple(keys)),), changed

    def reorder(self, params: Record, counts: TruncatedCounts, step: Step) -> Edit:
        """The edit that sorts each topic's words by rank and drops words that no topic keeps.

        Words beyond the truncation are cut off or, with memory "keep", stay without a stick. This is done
        every `reorder_every` steps, and after a step that replaces all counts; at other steps there is no
        edit.
        """
        if (step.number + 1) % self.settings.reorder_every and step.rate < 1.0:
            return ()
        by_spelling = self.settings.rank_by == "spelling"
        logs = params[LOG_SPELLING].values if by_spelling else np.zeros(len(counts.keys))
        orders: list[NDArray[np.int64]] = []
        for column, size in enumerate(counts.sizes.tolist()):
            rows, values = counts.rows[column, :size].astype(np.int64), counts.values[column, :size]
            with np.errstate(divide="ignore"):
                ranks = np.log(values) + logs[rows]
            order = np.argsort(-ranks, kind="stable")[: int((values > 0.0).sum())]
            orders.append(rows[order])
        most = self.settings.truncation
        if self.settings.memory != "keep":
            orders = [order[:most] for order in orders]
        left = np.ones(len(counts.keys), np.bool_)
        for order in orders:
            left[order] = False
        change = Reorder("words", "topics", tuple(orders), tuple(min(most, len(order)) for order in orders))
        gone = tuple(np.flatnonzero(left).tolist())
        return (change, Drop("words", gone)) if gone else (change,)

    def summary(self, params: Record, counts: TruncatedCounts, first: int) -> Summary:
        """Sums over the words of each topic (topics), which `score`, `bounds` and `update` need.

        They are the number of its words that have sticks, the log evidence of their counts, the sum of n
        E[log beta], E[log] of the rest of its stick, and the sum of log G0.
        """
        from stickbreaker.kernels.sticks import dirichlet_process, stick_terms

        numbers, evidence, expected = (np.zeros(len(counts.sizes)) for _ in range(3))
        process = dirichlet_process(float(params["concentration"].values), len(counts.sizes))
        cells, _, sums = _prepared(params)
        stick_terms(cells, process, sums, numbers, evidence, expected)
        logs = params[LOG_SPELLING].values
        spelled = [
            float(logs[counts.rows[k, :size][counts.inside[k, :size]]].sum())
            for k, size in enumerate(counts.sizes.tolist())
        ]
        made = {"numbers": numbers, "evidence": evidence, "expected": expected}
        return made | {"leftover": sums.leftover, "spelled": np.array(spelled)}

    def score(self, params: Record, totals: Array, summary: Summary) -> float:
        """-KL(q || p) of sticks and words over all topics, in nats: the table's part of the bound."""
        return float((summary["evidence"] - summary["expected"] + summary["spelled"]).sum())

    def bounds(self, params: Record, summary: Summary, new_rows: Mapping[str, Array]) -> bool:
        """Whether the score is a lower bound: there are no new words, and every topic has every word of the
        table.

        For a word that a topic lacks, the part of the stick that is left is multiplied by a share f. No f
        makes this a bound for all words at once: such words are draws from DP(a, G0), whose probability is
        not a product over tokens.
        """
        n_words = len(params[LOG_SPELLING].values)
        return not new_rows and bool((summary["numbers"] == n_words).all())

    def update(
        self, params: Record, totals: Array, summary: Summary, n_topics: int, rate: float
    ) -> dict[str, Field]:
        """Move the concentration of the Dirichlet processes by `rate` towards the value that maximises the
        bound.

        That is the number of words in all topics, divided by -(sum over topics of E[log of the rest of the
        stick]). Returns no params if this sum is 0.
        """
        left = -float(summary["leftover"].sum())
        if left <= 0.0:
            return {}
        best = min(max(float(summary["numbers"].sum()) / left, CONCENTRATIONS[0]), CONCENTRATIONS[1])
        moved = (1.0 - rate) * float(params["concentration"].values) + rate * best
        return {"concentration": params["concentration"]._replace(values=np.array(moved))}

    def hyperparameter(self, params: Record) -> tuple[str, float | Array]:
        return "concentration", float(params["concentration"].values)

    def parameters(self, params: Record, counts: TruncatedCounts) -> Array:
        """The expected counts of words (words × topics); unlike in a closed vocabulary, no prior is added."""
        return counts.dense(counts.values * counts.scale)

    def word_totals(self, counts: TruncatedCounts) -> Array:
        """The expected tokens of each word, summed over topics (words)."""
        totals = np.zeros(len(counts.keys))
        for k, size in enumerate(counts.sizes.tolist()):
            totals[counts.rows[k, :size]] += counts.values[k, :size]
        return totals * counts.scale

    def rows_in_use(self, counts: TruncatedCounts) -> NDArray[np.int64]:
        return np.unique(counts.rows[counts.live() & counts.inside]).astype(np.int64)

    def topic_words(self, params: Record, table: CountTable, topics: NDArray[np.int64]) -> TopicWords:
        """E[beta] of these topics and of all words, in memory like the table."""
        counts = _whole(table)
        words = counts.dense(self.expected(params, counts)[0]).T[topics]
        return Dense(np.ascontiguousarray(words[:, self.rows_in_use(counts)]))

    def rests(self, params: Record, table: CountTable) -> Array:
        return self.expected(params, _whole(table))[1]

    def predictions(self, params: Record, table: CountTable, spelled: Sequence[str] | None) -> WordTopics:
        """A function that returns E[beta] (topics × words) of words given as indices into `spelled`, to
        predict documents.

        Part of each topic's probability is left for all strings, by G0. Words in the table also get their
        share of this; other words have nothing else.
        """
        assert spelled is not None
        counts = _whole(table)
        probabilities, rests = self.expected(params, counts)

        def of(rows: NDArray[np.integer]) -> Array:
            words = [spelled[int(row)] for row in rows]
            outside = self.spelling(params, words)[:, None] * rests
            return (counts.read(table.positions(words), probabilities) + outside).T

        return of

    def spelling(self, params: Record, words: Sequence[str]) -> Array:
        """The probability of words under G0, the distribution over all strings; at least
        exp(`LEAST_SPELLING`), to avoid underflow.
        """
        return np.exp(np.maximum(self.log_spelling(params, words), LEAST_SPELLING))

    def on_trial(
        self, params: Record, table: CountTable, words: NDArray[np.int64] | Sequence[str]
    ) -> WordsOnTrial:
        from stickbreaker.topics.model.vocabularies.words_on_trial import OpenWordsOnTrial

        spelled = [str(word) for word in words]
        return OpenWordsOnTrial.of(self, params, _whole(table), table.positions(spelled), spelled)

    def ranked(
        self, params: Record, counts: TruncatedCounts, topics: Sequence[int]
    ) -> list[tuple[NDArray[np.int64], Array]]:
        probabilities = self.expected(params, counts)[0]
        out: list[tuple[NDArray[np.int64], Array]] = []
        for k in topics:
            shares = probabilities[k, : int(counts.sizes[k])]
            order = descending(shares)
            order = order[: int((shares > 0.0).sum())]  # without those beyond the truncation
            out.append((counts.rows[k, order].astype(np.int64), shares[order]))
        return out

    def entered(self, params: Record) -> Array:
        return params[ENTERED].values

    def log_spelling(self, params: Record, words: Sequence[str]) -> Array:
        """The log probability of words under G0, the distribution over all strings (words, nats)."""
        alphabet = params["spelling_alphabet"].values
        if not self._read or self._read[0][0] is not alphabet:
            self._read[:] = [(alphabet, CharacterModel.from_fields(params))]
        return self._read[0][1].log_probability(words)

    def expected(self, params: Record, counts: TruncatedCounts) -> tuple[Array, Array]:
        """E[beta] of each topic's words, and the probability that is left for all strings (topics).

        E[beta] (topics × positions) is in the order of the table, 0 beyond the truncation.
        """
        from stickbreaker.kernels.sticks import dirichlet_process, expected_sticks

        probabilities, rests = np.zeros(counts.rows.shape), np.empty(len(counts.sizes))
        process = dirichlet_process(float(params["concentration"].values), len(counts.sizes))
        expected_sticks(_cells(counts), process, probabilities, rests)
        return probabilities, rests

    def expected_logs(self, params: Record, counts: TruncatedCounts) -> tuple[Array, Array]:
        """E[log beta] of each topic's words, and E[log] of the part of its stick that is left for other
        strings (topics).

        E[log beta] (topics × positions) is in the order of the table, and only valid within the truncation.
        """
        from scipy.special import psi

        from stickbreaker.kernels.sticks import StickSums, dirichlet_process, stick_sums

        n_topics = len(counts.sizes)
        sums = StickSums(np.zeros(counts.rows.shape), np.empty(n_topics), np.empty(n_topics))
        stick_sums(_cells(counts), dirichlet_process(float(params["concentration"].values), n_topics), sums)
        logs = psi(1.0 + counts.scale * counts.values) - sums.log_totals[:, None] - sums.before
        return np.asarray(logs), sums.leftover


def _whole(table: CountTable) -> TruncatedCounts:
    """The whole table as `TruncatedCounts`."""
    counts = table.whole()
    assert isinstance(counts, TruncatedCounts)
    return counts


def _cells(counts: TruncatedCounts) -> "OrderedCells":
    """The words and counts of each topic of a table, as kernels take them."""
    from stickbreaker.kernels.sticks import OrderedCells

    return OrderedCells(counts.rows, counts.values, counts.inside, counts.sizes, counts.scale)


def _inside(cells: "OrderedCells") -> "OrderedCells":
    """The words and counts of each topic that have a stick, without all others."""
    from stickbreaker.kernels.sticks import take_inside

    sizes = np.empty_like(cells.sizes)
    shape = len(sizes), int(cells.inside.sum(axis=1).max(initial=0))
    rows, values = np.zeros(shape, np.int32), np.zeros(shape)
    take_inside(cells, rows, values, sizes)
    return cells._replace(rows=rows, values=values, inside=np.ones(shape, np.bool_), sizes=sizes)


def _to_fields(name: str, arrays: NamedTuple) -> dict[str, Field]:
    """The arrays of a named tuple as fields of the params, from which `_prepared` restores it. name: part of
    the fields' names.
    """
    return {f"sticks {name} {part}": Field(np.asarray(values)) for part, values in arrays._asdict().items()}


def _prepared(params: Record) -> tuple["OrderedCells", "ByRow", "StickSums"]:
    """The values that `prepare` added to the params: topics' words in stick order, the same by row, and sums
    along the sticks.
    """
    from stickbreaker.kernels.sticks import OrderedCells, StickSums
    from stickbreaker.kernels.truncated_table import ByRow

    at, by, sums = (
        [params[f"sticks {name} {part}"].values for part in kind._fields]
        for name, kind in (("at", OrderedCells), ("by", ByRow), ("sums", StickSums))
    )
    return OrderedCells(*at)._replace(scale=float(at[-1])), ByRow(*by), StickSums(*sums)  # type: ignore[arg-type]
