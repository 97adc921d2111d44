"""Snapshots of a grammar during a run: the most used strings of each adapted symbol."""

from collections.abc import Callable, Sequence

import numpy as np

from stickbreaker.core.records import TruncatedCounts
from stickbreaker.core.topk import by_size
from stickbreaker.grammars.model.online_grammar import OnlineGrammar
from stickbreaker.learning.run import Run, RunState
from stickbreaker.learning.variational import VariationalRun, VariationalState
from stickbreaker.saved.evolution import ENTERED_WORDS, TOP_WORDS, Entered, Evolution, Moment, Top
from stickbreaker.saved.evolution_observer import Evolving, Moments


class SubtreeMoments(Moments):
    """Snapshots of a grammar during a run, stored in the format of topics and their top words.

    A "topic" is an adapted symbol (its number), its "words" are the strings that its subtrees span, and a
    string's probability is its share of the symbol's uses. "Entered" are strings that have come into the
    first fifty since the last snapshot. `join` joins symbols to a string.
    """

    def __init__(self, evolution: Evolution, join: Callable[[Sequence[str]], str]) -> None:
        super().__init__(evolution)
        self.join = join

    def look(self, job: VariationalRun, state: VariationalState, last: Moment | None) -> tuple[Top, Entered]:
        model, counts = job.model, job.engine.table.whole()
        assert isinstance(model, OnlineGrammar)
        assert isinstance(counts, TruncatedCounts)
        before = {} if last is None else last.top()
        top: dict[int, list[tuple[str, float]]] = {}
        entered: dict[int, list[tuple[int, str, float]]] = {}
        for place, found in enumerate(uses_of_strings(model, state, counts)):
            total = sum(found.values())
            texts = sorted(found)
            ranked = by_size(texts, [found[text] for text in texts])[:TOP_WORDS]
            words = [(self.join(text), found[text] / total) for text in ranked if found[text] > 0.0]
            known = {word for word, _ in before.get(place, ())}
            new = [(rank, *word) for rank, word in enumerate(words, 1) if word[0] not in known]
            top[place], entered[place] = words, [] if last is None else new[:ENTERED_WORDS]
        return top, entered


def uses_of_strings(
    model: OnlineGrammar, state: VariationalState, counts: TruncatedCounts
) -> list[dict[tuple[str, ...], float]]:
    """For each adapted symbol, the expected uses of each string that its remembered subtrees span.

    Subtrees of the same string are added up. counts: the table of remembered subtrees.
    """
    cache, terminals = model.cache(state.params, counts), model.grammar.terminals
    starts, letters = cache.trees.letter_starts, cache.trees.letters
    found: list[dict[tuple[str, ...], float]] = []
    for rows, uses, size in zip(
        cache.cells.rows, cache.cells.values, cache.cells.sizes.tolist(), strict=True
    ):
        sums: dict[tuple[str, ...], float] = {}
        order = np.argsort(-uses[:size], kind="stable")
        for tree, n in zip(cache.ids[rows[:size][order]].tolist(), uses[:size][order].tolist(), strict=True):
            text = tuple(terminals[letter] for letter in letters[starts[tree] : starts[tree + 1]].tolist())
            sums[text] = sums.get(text, 0.0) + n
        found.append(sums)
    return found


class EvolvingSubtrees(Evolving):
    """Takes snapshots after the steps 1, 2, 4, 8, … and, as for topics, four times per pass."""

    def is_due(self, job: Run, state: RunState) -> bool:
        return state.step & (state.step - 1) == 0 or super().is_due(job, state)
