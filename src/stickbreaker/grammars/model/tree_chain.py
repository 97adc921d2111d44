"""The Markov chain over the trees of an adaptor grammar's sentences (Johnson, Griffiths & Goldwater 2007)."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import Fitted, Sampler, Score
from stickbreaker.core.errors import UserError
from stickbreaker.core.random_streams import numbered_keys, stream
from stickbreaker.core.records import Array, Field, Record
from stickbreaker.grammars import purposes
from stickbreaker.grammars.kernels.grammar_chart import (
    TABLES,
    TABLES_USED,
    Chart,
    Draft,
    Memory,
    Weights,
)
from stickbreaker.grammars.kernels.grammar_trees import (
    count_cuts,
    mistake_in,
    number_of_strings,
    ordered_tables,
    read_lists,
    written,
)
from stickbreaker.grammars.kernels.tree_sampling import (
    Counts,
    Process,
    Room,
    State,
    Task,
    start_random,
    sweep,
)
from stickbreaker.grammars.model.chart_texts import (
    chart_fits,
    chart_text,
    draft_entries,
    why_too_long,
)
from stickbreaker.grammars.model.compiled import Compiled, Integers
from stickbreaker.grammars.model.derivations import derivations_of
from stickbreaker.grammars.model.processes import (
    draw_process,
    log_gamma_ratio,
    log_prior,
    log_seating,
)

MOST = 2.0**300  # of the scale of terminals


@dataclass(frozen=True)
class Moves:
    """How a chain starts, and what it does besides resampling every sentence's tree.

    incremental: at the start, sentences are added one by one, each given those before it; else all first
    trees are drawn by the rules alone. relabel: subtrees of tables are resampled too. learn_processes:
    discounts and concentrations are drawn. learn_rules: rule weights are integrated out; else they are fixed.
    hottest, cooling: the temperature of the first sweep, and the sweeps until it is 1.
    """

    incremental: bool = False
    relabel: bool = True
    learn_processes: bool = True
    learn_rules: bool = True
    hottest: float = 1.0
    cooling: int = 0

    def heat(self, number: int) -> float:
        """The inverse temperature of sweep `number` (from 0); the temperature falls linearly to 1."""
        if number >= self.cooling:
            return 1.0
        return 1.0 / (self.hottest + (1.0 - self.hottest) * number / self.cooling)


class TreeLists(NamedTuple):
    """The trees of a chain's state in arrays, as they are saved: of sentences, and of tables (subtrees).

    trees, subtrees: lists of rules and -1 - table, concatenated; tree_starts, subtree_starts: where each list
    begins; for each table, places: its adapted symbol, positions and lengths: of its string in the text.
    """

    trees: Integers
    tree_starts: NDArray[np.int64]
    subtrees: Integers
    subtree_starts: NDArray[np.int64]
    places: Integers
    positions: Integers
    lengths: Integers


class AdaptorChain(Sampler):
    """A Markov chain over the trees of all sentences, with rule weights integrated out.

    Its state also has the seating: which uses of an adapted symbol share a remembered subtree. A sweep draws
    each sentence's tree given all others, then the subtrees of tables, each symbol before those below it,
    then discounts and concentrations. Sweeps are sequential and use one thread. Raises UserError for a
    sentence that cannot be parsed.
    """

    def __init__(
        self,
        grammar: Compiled,
        letters: Integers,
        starts: NDArray[np.int64],
        seed: int,
        moves: Moves = Moves(),
        given: Record = MappingProxyType({}),
        *,
        start: bool = True,
    ) -> None:
        """Prepare a chain on sentences, and draw their first trees.

        letters: terminals of all sentences by number; starts (sentences + 1): where each begins. `given`:
        further params of the model; they become part of `fitted`. start: whether to draw first trees;
        without, call `restore`.
        """
        self._grammar, self._seed, self._moves, self.given = grammar, seed, moves, given
        self._text, self._n_strings = chart_text(grammar, letters, starts)
        self._frequencies = frequencies_of(letters, starts, len(grammar.terminals))
        self._ratio = 1.0  # nats of the text by the chain / by the frequencies of its terminals
        self._nats = np.empty(0)  # log p of all sentences in the last sweep: one number, or none yet
        self._kept = 0
        self._cuts = np.zeros((len(grammar.adapted), len(letters)), np.uint16)
        self._roots = np.full(len(starts) - 1, -1, np.int32)
        self._processes = Process(
            grammar.discounts.copy(), grammar.concentrations.copy(), float(moves.learn_rules)
        )
        self._room = _room(grammar, starts)
        self._empty(len(letters) // 2 + 1000, 4 * len(letters) + 1000)
        if start:
            self._begin()

    def _begin(self) -> None:
        """Draw the first trees: each given those before it, or all by the rules alone (see `Moves`)."""
        order = stream(self._seed, purposes.GRAMMAR_ORDER, 0).permutation(len(self._roots))
        if self._moves.incremental:
            self._run(order, 1.0, purposes.GRAMMAR_TREES, 0)
        else:
            room = self._room
            self._room = room._replace(nothing=np.zeros_like(self._state.memory.masses))
            self._run(order, 1.0, purposes.GRAMMAR_TREES, 0, alone=True)
            self._room = room
        self._recount()

    def sweep(self, number: int, threads: int) -> None:
        heat = self._moves.heat(number)
        orders = stream(self._seed, purposes.GRAMMAR_ORDER, number + 1)
        self._room.tally[:] = 0.0
        order = orders.permutation(len(self._roots))
        self._run(order, heat, purposes.GRAMMAR_TREES, number + 1)
        self._nats = self._room.tally[1:2].copy()
        self._ratio = float(np.clip(self._nats[0] / min(self._typical(), -1e-9), 0.01, 100.0))
        if self._moves.relabel:
            for place in range(len(self._grammar.adapted)):
                tables = ordered_tables(self._state.memory)
                tables = orders.permutation(tables[self._state.memory.places[tables] == place])
                self._run(tables, heat, purposes.GRAMMAR_TABLES, number + 1, place)
        if self._moves.learn_processes:
            generator = stream(self._seed, purposes.GRAMMAR_PROCESSES, number)
            for place, sizes in enumerate(self._sizes()):
                a, b = (float(held[place]) for held in self._processes[:2])
                drawn = draw_process(a, b, sizes, generator)
                self._processes.discounts[place], self._processes.concentrations[place] = drawn
        self._recount()

    def _typical(self) -> float:
        """log p of all sentences in nats, if terminals were drawn independently by their frequencies."""
        return float(self._frequencies @ np.diff(self._text.starts))

    def learn(self) -> None:
        """Do nothing, since discounts and concentrations are already drawn in every sweep."""

    def score(self) -> Score:
        """log p(sentences, trees, seating) of the present state, in nats.

        If concentrations are learned, the log density of their prior is added.
        """
        nats = 0.0
        a, b = self._processes.discounts, self._processes.concentrations
        for place, sizes in enumerate(self._sizes()):
            nats += log_seating(a[place], b[place], sizes)
            nats += log_prior(b[place]) if self._moves.learn_processes else 0.0
        rules, prior = self._grammar.rules, self._grammar.weights
        uses = self._uses()
        if self._moves.learn_rules:
            counted = rules.counted
            n = len(self._grammar.names)
            totals = np.bincount(rules.parents[counted], prior[counted], n)
            sums = np.bincount(rules.parents[counted], uses[counted], n)
            nats += float(log_gamma_ratio(prior + uses, prior, uses)[counted].sum())
            used = totals > 0.0
            totals, sums = totals[used], sums[used]
            nats -= float(log_gamma_ratio(totals + sums, totals, sums).sum())
        else:
            totals = np.bincount(rules.parents, prior, len(self._grammar.names))
            nats += float(uses @ np.log(prior / totals[rules.parents]))
        return Score(nats, float(len(self._text.letters)), "joint")

    def figures(self) -> Mapping[str, float]:
        """For progress lines and the trace: the number of tables, and "nats_per_symbol" of the last sweep.

        The latter is log p of each sentence given the trees of all others, taken when its tree was resampled,
        per symbol. It is missing before the first sweep.
        """
        tables = {"tables": int(self._state.memory.free[TABLES_USED])}
        if not len(self._nats):
            return tables
        return {**tables, "nats_per_symbol": float(self._nats[0]) / max(1, len(self._text.letters))}

    def keep(self) -> None:
        """Add the present state to the sums over samples: where subtrees of adapted symbols begin or end."""
        memory, starts = self._state.memory, self._text.starts
        marks = np.zeros(self._cuts.shape, np.int32)
        stack = np.zeros((len(self._room.new.values) + 1, 3), np.int32)
        grammar = self._grammar
        count_cuts(self._roots, starts, marks, stack, grammar.rules, grammar.symbols, memory, self._cuts)
        self._kept += 1

    def fitted(self) -> Fitted:
        """The result as params: the last state, and the sums over samples.

        The state has the remembered subtrees and the uses of rules; the sums count at each place of the text
        in how many samples subtrees of each adapted symbol begin or end there ("cuts"; "kept": samples).
        """
        tables = ordered_tables(self._state.memory)
        memory = self._state.memory
        names = np.zeros(len(memory.customers), np.int32)
        names[tables] = np.arange(len(tables))
        values, starts = written(memory.contents[tables], names, memory)
        found = derivations_of(values, starts, memory.places[tables], memory.customers[tables])
        fields = {
            "uses": Field(self._grammar.of_grammar(self._uses()), ("rules",)),
            "discounts": Field(self._processes.discounts.copy(), ("symbols",)),
            "concentrations": Field(self._processes.concentrations.copy(), ("symbols",)),
            "customers": Field(found.customers, ("derivations",)),
            "tables": Field(found.tables, ("derivations",)),
            "sizes": Field(np.diff(found.starts), ("derivations",)),
            "entries": Field(found.values, ("entries",)),
            "letters": Field(self._text.letters, ("letters",)),
            "lengths": Field(np.diff(self._text.starts), ("sentences",)),
            "cuts": Field(self._cuts.copy(), ("symbols", "letters")),
            "kept": Field(np.array(self._kept), ()),
        }
        parameters = {name: item._replace(additive=False) for name, item in fields.items()}
        return Fitted({**parameters, **self.given})

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """What a checkpoint stores: trees of sentences and tables in a canonical order, parameters, sums."""
        memory = self._state.memory
        tables = ordered_tables(memory)
        names = np.zeros(len(memory.customers), np.int32)
        names[tables] = np.arange(len(tables))
        trees, tree_starts = written(self._roots, names, memory)
        subtrees, subtree_starts = written(memory.contents[tables], names, memory)
        return {
            "trees": trees,
            "tree_sizes": np.diff(tree_starts),
            "subtrees": subtrees,
            "subtree_sizes": np.diff(subtree_starts),
            "places": memory.places[tables],
            "positions": memory.positions[tables],
            "lengths": memory.lengths[tables],
            "discounts": self._processes.discounts.copy(),
            "concentrations": self._processes.concentrations.copy(),
            "nats": self._nats.copy(),
            "ratio": np.array(self._ratio),
            "cuts": self._cuts.copy(),
            "kept": np.array(self._kept),
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        like = self.snapshot()
        for name in like:
            same = arrays[name].dtype == like[name].dtype and arrays[name].ndim == like[name].ndim
            if not same:
                raise ValueError(f"{name} belongs to another chain")
        for name in ("discounts", "concentrations", "cuts", "ratio", "kept", "tree_sizes"):
            if arrays[name].shape != like[name].shape:
                raise ValueError(f"{name} belongs to another chain")
        discounts, concentrations = arrays["discounts"].copy(), arrays["concentrations"].copy()
        if not ((discounts >= 0.0) & (discounts < 1.0) & (concentrations > -discounts)).all():
            raise ValueError("discounts or concentrations are out of range")
        if not np.isfinite(concentrations).all() or not 0.0 < arrays["ratio"] <= 100.0:
            raise ValueError("a number is out of range")
        if arrays["nats"].shape not in ((0,), (1,)) or not np.isfinite(arrays["nats"]).all():
            raise ValueError("the score of the last sweep is invalid")
        if int(arrays["kept"]) < 0 or (arrays["cuts"] > int(arrays["kept"])).any():
            raise ValueError("sums belong to other samples")
        lists = TreeLists(
            *_checked(arrays, "trees", "tree_sizes"),
            *_checked(arrays, "subtrees", "subtree_sizes"),
            *(arrays[name].copy() for name in ("places", "positions", "lengths")),
        )
        self._refuse_trees(lists)
        self._processes = self._processes._replace(discounts=discounts, concentrations=concentrations)
        self._set(lists)
        self._nats, self._ratio = arrays["nats"].copy(), float(arrays["ratio"])
        self._cuts, self._kept = arrays["cuts"].copy(), int(arrays["kept"])
        self._recount()

    # Trees from arrays

    def _refuse_trees(self, lists: TreeLists) -> None:
        """Raise ValueError if the lists are not trees of this text by this grammar."""
        trees, tree_starts, subtrees, subtree_starts, places, positions, lengths = lists
        text, grammar = self._text, self._grammar
        n = len(subtree_starts) - 1
        if not len(places) == len(positions) == len(lengths) == n:
            raise ValueError("tables belong to another chain")
        if n and not (places.min() >= 0 and places.max() < len(grammar.adapted)):
            raise ValueError("tables belong to another grammar")
        numbers = number_of_strings(text.strings, text.spans, text.starts, text.sentences, positions, lengths)
        order = places.astype(np.int64) * self._n_strings + numbers
        if (numbers < 0).any() or (np.diff(order) < 0).any():
            raise ValueError("tables belong to another text")
        yields = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        texts = np.concatenate(
            [np.empty(0, np.int32)]
            + [text.letters[p : p + m] for p, m in zip(positions.tolist(), lengths.tolist(), strict=True)]
        )
        stack = np.zeros(2 * len(self._room.new.values) + 2, np.int32)
        held = grammar.rules, grammar.symbols, (places, yields, texts), stack
        for table in range(n):
            content = subtrees[subtree_starts[table] : subtree_starts[table + 1]]
            letters = texts[yields[table] : yields[table + 1]]
            place = int(places[table])
            mistake = mistake_in(content, int(grammar.adapted[place]), place, letters, *held)
            if mistake >= 0 or len(content) > 2 * len(letters) * (grammar.symbols.unary + 1):
                raise ValueError("a subtree belongs to another grammar")
        for s in range(len(tree_starts) - 1):
            content = trees[tree_starts[s] : tree_starts[s + 1]]
            letters = text.letters[text.starts[s] : text.starts[s + 1]]
            mistake = mistake_in(content, grammar.start, -1, letters, *held)
            if mistake >= 0 or len(content) > 2 * len(letters) * (grammar.symbols.unary + 1):
                raise ValueError("a tree belongs to another sentence")
        used = np.concatenate([trees[trees < 0], subtrees[subtrees < 0]])
        if (np.bincount(-1 - used.astype(np.int64), minlength=n) == 0).any():
            raise ValueError("a table has no customers")

    def _set(self, lists: TreeLists) -> None:
        """Set the state's trees of sentences and tables from lists in the order of `snapshot`.

        Counts of rules and masses are not set: call `_recount` afterwards.
        """
        trees, tree_starts, subtrees, subtree_starts, places, positions, lengths = lists
        n = len(places)
        room = len(self._text.letters)
        self._empty(n + room // 2 + 1000, len(trees) + len(subtrees) + 4 * room + 1000)
        memory, text = self._state.memory, self._text
        read_lists(trees, tree_starts, self._roots, memory)
        read_lists(subtrees, subtree_starts, memory.contents[:n], memory)
        memory.places[:n], memory.positions[:n], memory.lengths[:n] = places, positions, lengths
        numbers = number_of_strings(text.strings, text.spans, text.starts, text.sentences, positions, lengths)
        memory.strings[:n], memory.parts[:n] = numbers, 1
        used = -1 - np.concatenate([trees[trees < 0], subtrees[subtrees < 0]]).astype(np.int64)
        memory.customers[:n] = np.bincount(used, minlength=n)
        together = (np.diff(places) == 0) & (np.diff(numbers) == 0)
        memory.following[:n] = np.where(np.append(together, False), np.arange(1, n + 1), -1)
        memory.before[:n] = np.where(np.append(False, together)[:n], np.arange(-1, n - 1), -1)
        heads = memory.before[:n] < 0
        memory.first[places[heads], numbers[heads]] = np.flatnonzero(heads)
        memory.free[TABLES] = memory.free[TABLES_USED] = n
        np.add.at(self._state.counts.customers, places, memory.customers[:n])
        np.add.at(self._state.counts.tables, places, 1.0)

    # Helpers

    def _empty(self, n_tables: int, n_entries: int) -> None:
        """Set a state without trees, with room for `n_tables` tables and `n_entries` entries of trees."""
        grammar = self._grammar
        n = len(grammar.adapted)
        self._state = State(
            Memory(
                **{name: np.zeros(n_tables, np.int32) for name in Memory._fields[:9]},
                first=np.full((n, self._n_strings), -1, np.int32),
                masses=np.zeros((n, self._n_strings)),
                values=np.zeros(n_entries, np.int32),
                onward=np.zeros(n_entries, np.int32),
                free=np.array([-1, 0, -1, 0, 0, 0], np.int32),
            ),
            _prior(grammar),
            self._processes,
        )

    def _run(
        self,
        order: NDArray[Any],
        heat: float,
        purpose: str,
        step: int,
        place: int | None = None,
        *,
        alone: bool = False,
    ) -> None:
        """Draw trees of the sentences in `order`, or subtrees of tables of the adapted symbol at `place`.

        Memory is enlarged if needed. heat: inverse temperature; purpose, step, place: of the random stream;
        alone: draw first trees, each by the rules alone. Raises Unparsed for a sentence that cannot be
        parsed.
        """
        random = start_random(numbered_keys(self._seed, purpose, step, np.array([place or 0]))[0])
        grammar, at = self._grammar, 0
        text = self._text._replace(scales=np.minimum(np.exp(-self._frequencies * self._ratio), MOST))
        symbol = -1 if place is None else int(grammar.adapted[place])
        task = Task(text, self._roots, grammar.rules, grammar.symbols, symbol, alone, heat)
        order = order.astype(np.int64)
        while at < len(order):
            at = sweep(order, at, task, self._room, self._state, random)
            if at < 0:
                raise Unparsed(-1 - at)
            if at < len(order):
                self._grow()

    def _grow(self) -> None:
        """Enlarge the memory for tables and entries by half, and by what resampling one tree needs."""
        memory, need = self._state.memory, len(self._room.new.values)
        n_tables, n_entries = (len(held) * 3 // 2 + 2 * need for held in (memory.customers, memory.values))

        def grown(values: NDArray[Any], size: int) -> NDArray[Any]:
            return np.concatenate([values, np.zeros(size - len(values), values.dtype)])

        tables = {name: grown(getattr(memory, name), n_tables) for name in Memory._fields[:9]}
        entries = {name: grown(getattr(memory, name), n_entries) for name in ("values", "onward")}
        self._state = self._state._replace(memory=memory._replace(**tables, **entries))

    def _recount(self) -> None:
        """Compute again the sums that are updated in place, to remove their rounding errors.

        So results do not depend on whether a run was interrupted and resumed.
        """
        memory, a = self._state.memory, self._processes.discounts
        tables = ordered_tables(memory)
        tables = tables[memory.strings[tables] > 0]
        where = memory.places[tables], memory.strings[tables]
        memory.masses[:] = 0.0
        customers, number = np.zeros_like(memory.masses), np.zeros_like(memory.masses)
        np.add.at(customers, where, memory.customers[tables])
        np.add.at(number, where, 1.0)
        memory.masses[:] = customers - a[:, None] * number
        rules, symbols = _prior(self._grammar)[:2]
        uses = self._uses() * self._processes.learned
        self._state.counts.rules[:] = rules + uses
        parents = self._grammar.rules.parents
        self._state.counts.symbols[:] = symbols + np.bincount(parents, uses, len(self._grammar.names))

    def _sizes(self) -> list[NDArray[np.int64]]:
        """For each adapted symbol, the number of tables with 0, 1, 2, … customers."""
        memory = self._state.memory
        tables = ordered_tables(memory)
        places, customers = memory.places[tables], memory.customers[tables]
        return [np.bincount(customers[places == place]) for place in range(len(self._grammar.adapted))]

    def _uses(self) -> Array:
        """(rules) The uses of each rule, in trees of sentences and subtrees of tables."""
        memory = self._state.memory
        tables = ordered_tables(memory)
        names = np.zeros(len(memory.customers), np.int32)
        heads = np.concatenate([self._roots, memory.contents[tables]])
        values, _ = written(heads, names, memory)
        uses = np.bincount(values[values >= 0], minlength=len(self._grammar.weights))
        return np.asarray(uses * self._grammar.rules.counted, np.float64)


class Unparsed(UserError):
    """Raised for a sentence that the grammar cannot parse; `sentence`: its number from 0."""

    def __init__(self, sentence: int) -> None:
        super().__init__(f"sentence {sentence + 1} cannot be parsed by the grammar")
        self.sentence = sentence


def _checked(arrays: Mapping[str, NDArray[Any]], name: str, sizes: str) -> tuple[Integers, NDArray[np.int64]]:
    """Read lists from a checkpoint's arrays: their values, concatenated, and where each list begins.

    name: of the array with the values; sizes: of the array with the length of each list. Raises ValueError if
    the lengths do not fit.
    """
    values, each = arrays[name], arrays[sizes].astype(np.int64)
    if (each < 1).any() or int(each.sum()) != len(values):
        raise ValueError(f"{name} is incomplete or too long")
    return values.copy(), np.concatenate([[0], np.cumsum(each)])


def frequencies_of(letters: Integers, starts: NDArray[np.int64], n_terminals: int) -> Array:
    """(sentences,) The mean log frequency of each sentence's terminals in all sentences, in nats.

    It is a rough log p per symbol, by which probabilities in charts are scaled.
    """
    counts = np.bincount(letters, minlength=n_terminals)
    nats = np.log(np.maximum(counts, 1) / max(1, len(letters)))
    sums = np.add.reduceat(nats[letters], starts[:-1]) if len(letters) else np.zeros(len(starts) - 1)
    return sums / np.maximum(np.diff(starts), 1)


def new_draft(grammar: Compiled, longest: int) -> Draft:
    """Memory in which a tree of a sentence with up to `longest` terminals is drawn."""
    n = int(draft_entries(grammar, longest))
    return Draft(
        **{name: np.zeros(n, np.int32) for name in Draft._fields[:6]},
        nats=np.zeros(n),
        stack=np.zeros((n, 4), np.int32),
        number=np.zeros(1, np.int64),
    )


def new_chart(grammar: Compiled, longest: int) -> Chart:
    """Memory for a chart of up to `longest` terminals. Raises UserError if it would need too much."""
    if not chart_fits(grammar, np.array([longest]))[0]:
        raise UserError(why_too_long(grammar, longest), remedy="cut long texts into sentences")
    return chart_room(grammar, longest)


def chart_room(grammar: Compiled, longest: int) -> Chart:
    """Memory for a chart of up to `longest` terminals; whether it fits is not checked (see `new_chart`)."""
    shape = (len(grammar.names), longest + 1, longest + 1)
    return Chart(np.zeros(shape), np.zeros(shape), np.zeros(shape[0], np.bool_))


def _room(grammar: Compiled, starts: NDArray[np.int64]) -> Room:
    longest = int(np.diff(starts).max(initial=1))
    old, new = new_draft(grammar, longest), new_draft(grammar, longest)
    n, n_adapted = len(new.values), len(grammar.adapted)
    weights = Weights(
        np.zeros(len(grammar.weights)),
        np.zeros(n_adapted),
        np.zeros(n_adapted),
        np.zeros(grammar.n_closures),
    )
    return Room(
        old,
        new,
        new_chart(grammar, longest),
        weights,
        np.zeros(n, np.int32),
        np.zeros(n, np.int32),
        np.zeros((n, 3), np.int32),
        np.zeros((n, 3), np.int32),
        np.zeros(len(grammar.names), np.int32),
        _prior(grammar),
        np.zeros((n_adapted, 0)),
        np.zeros(3),
    )


def _prior(grammar: Compiled) -> Counts:
    """The counts before any use: the prior weights of rules, and their sums by symbol."""
    n, weights = len(grammar.adapted), grammar.weights
    sums = np.bincount(grammar.rules.parents, weights, len(grammar.names))
    return Counts(weights.copy(), np.asarray(sums, np.float64), np.zeros(n), np.zeros(n))
