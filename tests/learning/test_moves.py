"""Plans are mapped again while their moves ask; edits are made, numbered and told; plans are stored."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from tests.core.test_edits import edits

from stickbreaker.contracts.contract import Accepted, Decision, Move, Proposal, Step
from stickbreaker.core.edits import Dissolve, Drop, Grow, Merge, Permute, Split, apply
from stickbreaker.core.records import Field, Stats, no_rows
from stickbreaker.engines import LocalEngine
from stickbreaker.engines.table import Table
from stickbreaker.engines.table_view import LocalTableView
from stickbreaker.learning import moves
from stickbreaker.learning.events import Columns, edit_columns, records_of, top_rows
from stickbreaker.learning.moves import Shape, flat_plans, followed, make, plans_from
from stickbreaker.topics.model.model import TopicModel
from stickbreaker.topics.model.priors.hdp import HDPPrior
from stickbreaker.topics.model.solvers.mean_field import MeanField
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary

STEP = Step(7, 1.0, 1.0, 70.0)
TABLE = np.array([[9.0, 0.0, 1.0], [5.0, 4.0, 0.0], [0.0, 6.0, 2.0], [1.0, 1.0, 8.0]])


# lasting numbers


def test_numbers_follow_each_kind_of_change():
    start = Columns((4, 7, 9), 10)
    for change, numbers, count in [
        (Split("topics", 1), (4, 7, 9, 10), 11),
        (Grow("topics", 2), (4, 7, 9, 10, 11), 12),
        (Merge("topics", 0, 1), (4, 9), 10),
        (Dissolve("topics", 2, (0, 1), (0.5, 0.5)), (4, 7), 10),
        (Drop("topics", (0, 2)), (7,), 10),
        (Permute("topics", (2, 0, 1)), (9, 4, 7), 10),
        (Drop("words", (0,)), (4, 7, 9), 10),
    ]:
        assert edit_columns(start, (change,), "topics") == Columns(numbers, count)


@given(edits(axes=("topics",)))
def test_numbers_follow_as_a_parameter_does(case):
    """Where a record's own entry ends up, its column's number does; new columns have numbers never given."""
    start, end, edit = case
    n = start["topics"]
    after = edit_columns(Columns(tuple(range(n)), n), edit, "topics")
    kept = Field(np.arange(float(n)), ("topics",), additive=False, fresh=-1.0)
    moved = apply(edit, {"numbers": kept})["numbers"].values
    assert len(after.numbers) == end["topics"] == len(moved)
    assert len(set(after.numbers)) == len(after.numbers)
    for number, own in zip(after.numbers, moved, strict=True):
        assert number == own or n <= number < after.given
    if not any(isinstance(change, Split | Grow) for change in edit):
        assert list(after.numbers) == moved.tolist()


def test_plans_follow_edits():
    marked = Proposal("split 2", {"topic": Field(np.array([0.0, 0.0, 1.0]), ("topics",), additive=False)}, 3)
    accepted = [
        Accepted("merge", (Merge("topics", 1, 0),), 2.0),
        Accepted("drop", (Drop("words", (0,)),), 0.0),
    ]
    [(number, after)] = followed([(5, marked)], accepted)
    assert (number, after.name, after.round) == (5, "split 2", 3)
    assert after.change["topic"].values.tolist() == [0.0, 1.0]


# what is stored of plans under way


def test_plans_are_stored_and_found_again():
    """More than ten, in order; names of any kind; the round; a plan without fields."""
    proposals = [
        (
            number % 3,
            Proposal(
                f"merge {number} of step 1/2 | all",
                {"topic": Field(np.full(2, float(number)), ("topics",), additive=False)},
                number,
            ),
        )
        for number in range(12)
    ]
    proposals.append((1, Proposal("drop", {})))
    back = plans_from({**flat_plans(proposals), "counts": np.ones(2), "plan b": np.ones(1)})
    assert [(number, plan.name, plan.round) for number, plan in back] == [
        (number, plan.name, plan.round) for number, plan in proposals
    ]
    for (_, one), (_, other) in zip(back, proposals, strict=True):
        assert one.change.keys() == other.change.keys()
        for name, item in one.change.items():
            assert item.values.tolist() == other.change[name].values.tolist()
            assert item[1:] == other.change[name][1:]
    assert plans_from({}) == []


# rounds


class Told:
    """An engine that counts what it is asked."""

    def __init__(self):
        self.calls = []

    def table_view(self, report):
        return LocalTableView(Table(TABLE, "words", "topics"), report)

    def retry(self, params, shards, seed, proposals):
        self.calls.append((seed, [(plan.name, plan.round) for plan in proposals]))
        return Stats(no_rows(3), trial={plan.name: Stats(no_rows(2), score=plan.round) for plan in proposals})


class Fitting(Move):
    """Asks for its plans until they have had so many rounds; accepts and remembers one thing a round."""

    def __init__(self, name, rounds):
        self.name, self.rounds, self.seen = name, rounds, []

    def propose(self, params, latest, table, step, seed):
        return [Proposal(self.name, {}), Proposal(f"{self.name} too", {})]

    def refine(self, params, stats, proposals, table, step):
        self.seen.append([plan.name for plan in proposals])
        again = tuple(replace(plan, round=plan.round + 1) for plan in proposals if plan.round < self.rounds)
        accepted = (Accepted(self.name, (), 1.0),) if again else ()
        return Decision(accepted, again, {self.name: Field(np.array(float(len(self.seen))))})

    def decide(self, params, stats, proposals, table, step):
        return Decision()


def refined(*own):
    model, engine = SimpleNamespace(moves=own), Told()
    proposals = moves.propose(model, {}, None, engine, STEP, 3)
    first = Stats(no_rows(3), trial={plan.name: Stats(no_rows(2), score=-1.0) for _, plan in proposals})
    return engine, proposals, moves.refine(model, engine, {}, first, proposals, [], STEP, 3)


def test_plans_are_mapped_again_while_their_own_move_asks():
    quick, slow = Fitting("quick", 1), Fitting("slow", 3)
    engine, proposals, (stats, last, accepted, changed) = refined(quick, slow)
    assert [plan.name for _, plan in proposals] == ["quick", "quick too", "slow", "slow too"]
    assert [names for _, names in engine.calls] == [
        [("quick", 1), ("quick too", 1), ("slow", 1), ("slow too", 1)],
        [("slow", 2), ("slow too", 2)],
        [("slow", 3), ("slow too", 3)],
    ]
    assert len({seed for seed, _ in engine.calls}) == 3, "every round draws anew"
    assert all(set(names) == {"quick", "quick too"} for names in quick.seen)
    assert {plan.name: (number, plan.round) for number, plan in last} == {
        "quick": (0, 1),
        "quick too": (0, 1),
        "slow": (1, 3),
        "slow too": (1, 3),
    }
    assert stats.trial["quick"].score == 1
    assert stats.trial["slow too"].score == 3, "the last round's"
    assert [item.plan for item in accepted] == ["quick", "slow", "slow", "slow"]
    assert changed["slow"].values == 4.0


def test_plans_that_their_move_drops_are_gone():
    """From then on: neither mapped again nor decided on; what is remembered of them stays."""

    class Choosy(Fitting):
        def refine(self, params, stats, proposals, table, step):
            verdict = super().refine(params, stats, proposals, table, step)
            return verdict if verdict.retry else verdict._replace(dropped=(f"{self.name} too",))

    choosy, slow = Choosy("choosy", 1), Fitting("slow", 3)
    _, _, (_, last, _, changed) = refined(choosy, slow)
    assert [plan.name for _, plan in last] == ["choosy", "slow", "slow too"]
    assert choosy.seen[:2] == [["choosy", "choosy too"]] * 2
    assert all(names == ["choosy"] for names in choosy.seen[2:])
    assert changed["choosy"].values == len(choosy.seen)


def test_a_move_that_always_asks_is_stopped():
    engine, _, (stats, last, *_) = refined(Fitting("endless", 10**9))
    assert len(engine.calls) == moves.MAX_ROUNDS
    assert last[0][1].round == moves.MAX_ROUNDS
    assert stats.trial["endless"].score == moves.MAX_ROUNDS


def test_moves_without_plans_are_not_asked():
    class Never(Fitting):
        def propose(self, params, latest, table, step, seed):
            return []

        def decide(self, params, stats, proposals, table, step):
            raise AssertionError

    never = Never("never", 3)
    refined(never, Fitting("quick", 1))
    assert never.seen == []


# edits are made and told


def begun():
    model = TopicModel(HDPPrior(3), ClosedVocabulary(4, 0.1), MeanField())
    engine = LocalEngine(1)
    engine.start(model, TABLE.copy())
    params = {**model.start(), "weights": Field(np.array([0.5, 0.2, 0.1]), ("topics",))}
    stats = Stats(no_rows(3), usage={"log_theta": Field(np.array([-1.0, -2.0, -3.0]), ("topics",))})
    return model, engine, Shape(params, stats, Columns((0, 1, 2), 3))


def test_a_split_is_made_and_told():
    model, engine, shape = begun()
    shares = np.array([0.0, 1.0, 0.5, 0.0])
    split = Accepted("split 1", (Split("topics", 1, 0.25, {"words": shares}),), 3.5)
    shape, events = make(model, engine, shape, [split])
    told = records_of(events, model.table)
    assert told == {
        "edits": [{"plan": "split 1", "gain": 3.5, "move": "split", "topic": 1, "new": 3}],
        "words": {"1": [2, 3, 0, 1], "3": [1, 2, 0, 3]},
        "before": {"1": [2, 1, 3, 0]},
    }
    assert list(told) == ["edits", "words", "before"], "as lines of the trace have them"
    assert list(told["edits"][0]) == ["plan", "gain", "move", "topic", "new"]
    components = replace(model.table, rows="paths", columns="components")
    [told] = [event._replace(axis="components") for event in events]
    assert records_of([told], components).keys() == {"edits", "paths", "before"}
    assert told.to_record(components)["component"] == 1
    assert engine.table.counts(slice(None))[:, [1, 3]].T.tolist() == [
        [0.0, 0.0, 3.0, 1.0],
        [0.0, 4.0, 3.0, 0.0],
    ]
    assert shape.params["weights"].values == pytest.approx([0.5, 0.15, 0.1, 0.05])
    assert shape.stats.usage["log_theta"].values.shape == (4,)
    assert shape.columns == Columns((0, 1, 2, 3), 4)


def test_a_topic_handed_over_is_told_as_a_merge_with_the_largest_part():
    model, engine, shape = begun()
    handed = Accepted("merge", (Dissolve("topics", 0, (1, 2), (0.4, 0.6)),), 1.25)
    shape, [event] = make(model, engine, shape, [handed])
    told = event.to_record(model.table)
    assert list(told) == ["plan", "gain", "move", "topic", "gone", "also"], "as lines of the trace have them"
    assert {name: told[name] for name in ("move", "topic", "gone", "also", "gain")} == {
        "move": "merge",
        "topic": 2,
        "gone": 0,
        "also": [1],
        "gain": 1.25,
    }
    assert set(event.rows) == {"1", "2"}
    assert set(event.rows_before) == {"0", "1", "2"}
    assert event.rows_before["0"] == [0, 1, 3, 2]
    assert engine.table.totals()[0] == pytest.approx([11.0 + 6.0, 11.0 + 9.0])
    model, engine, shape = begun()
    whole = handed._replace(edit=(Dissolve("topics", 0, (1,), (1.0,)),))
    shape, [event] = make(model, engine, shape, [whole])
    assert "also" not in event.to_record(model.table)
    assert event.column == 1


def test_edits_are_made_in_order_in_the_shape_that_those_before_leave():
    """A topic that is told keeps its number, whatever its place; rows that go leave no words to tell."""
    model, engine, shape = begun()
    shape, told = make(
        model,
        engine,
        shape,
        [
            Accepted("a", (Merge("topics", 1, 0),), 1.0),
            Accepted("b", (Split("topics", 0, 0.5),), 2.0),
            Accepted("c", (Merge("topics", 1, 2),), 3.0),
        ],
    )
    assert [(each.kind, each.column, each.gone, each.new) for each in told] == [
        ("merge", 1, 0, None),
        ("split", 1, None, 3),
        ("merge", 2, 3, None),
    ]
    assert shape.columns == Columns((1, 2), 4)
    assert engine.table.totals().sum() == pytest.approx(TABLE.sum())
    engine.table.keys = list("abcd")
    shape, [told] = make(model, engine, shape, [Accepted("d", (Drop("words", (0, 2)),), 0.0)])
    record = {"plan": "d", "gain": 0.0, "move": "drop", "axis": "words"}
    assert records_of([told], model.table) == {"edits": [record]}, "rows have come or gone"
    assert shape.columns == Columns((1, 2), 4)


def test_rows_with_keys_are_told_by_their_keys_though_rows_come_and_go():
    model, engine, shape = begun()
    engine.table.keys = list("abcd")
    accepted = [
        Accepted("x", (Drop("words", (0,)),), None),
        Accepted("y", (Merge("topics", 1, 0),), None),
    ]
    _, told = make(model, engine, shape, accepted)
    assert records_of(told, model.table) == {
        "edits": [
            {"plan": "x", "move": "drop", "axis": "words"},
            {"plan": "y", "move": "merge", "topic": 1, "gone": 0},
        ],
        "words": {"1": ["b", "c", "d"]},
        "before": {"0": ["a", "b", "d", "c"], "1": ["c", "b", "d", "a"]},
    }
    assert "gain" not in records_of(told, model.table)["edits"][0], "no bound judged it"


@pytest.mark.parametrize("size", [None, 1, 5])
def test_top_rows_are_told_by_lasting_number_the_first_of_equal_ones_first(size):
    counts = np.stack([np.arange(12.0), np.zeros(12), np.ones(12)], axis=1)
    table = LocalTableView(Table(counts, "words", "topics"), None, size)
    assert top_rows(table, None, Columns((3, 5, 8), 9), {3, 8}) == {
        "3": list(range(11, 1, -1)),
        "8": list(range(10)),
    }
    assert top_rows(table, None, Columns((3, 5, 8), 9), ()) == {}
    assert top_rows(table, list("abcdefghijkl"), Columns((3, 5, 8), 9), {8}) == {"8": list("abcdefghij")}


def test_what_moves_remember_is_in_the_small_part_before_their_edits():
    class Deciding(Fitting):
        def decide(self, params, stats, proposals, table, step):
            memory = {"failed": Field(np.array([1.0, 2.0, 4.0]), ("topics",), additive=False)}
            return Decision((Accepted(self.name, (Merge("topics", 0, 1),), 1.0),), params=memory)

    model, engine, shape = begun()
    model = replace(model, moves=(Fitting("quick", 1), Deciding("deciding", 1)))
    proposals = [(1, Proposal("deciding", {}))]
    shape, made, *_ = moves.decide(model, engine, shape, proposals, STEP)
    assert [each.plan for each in made] == ["deciding"]
    assert shape.params["failed"].values.tolist() == [1.0, 4.0]


def test_columns_of_several_edits_are_told_as_before_the_first_and_after_the_last():
    """Each with those that it touches; a column that comes and goes in between has no words."""
    model, engine, shape = begun()
    accepted = [
        Accepted("a", (Split("topics", 0, 0.5, {"words": np.array([1.0, 0.0, 0.0, 1.0])}),), 1.0),
        Accepted("b", (Merge("topics", 1, 2),), 2.0),
        Accepted("c", (Split("topics", 1, 0.5),), 3.0),
        Accepted("d", (Merge("topics", 1, 3),), 4.0),
    ]
    _, told = make(model, engine, shape, accepted)
    words, before = [each.rows for each in told], [each.rows_before for each in told]
    assert before[0] == {"0": [0, 1, 3, 2]}
    assert words[0] == {"0": [1, 0, 2, 3], "3": [0, 3, 1, 2]}
    assert before[1] == {"1": [2, 1, 3, 0], "2": [3, 2, 0, 1]}
    assert words[1] == words[2] == words[3] == {"1": [3, 2, 1, 0]}
    assert before[3] == {"1": [2, 1, 3, 0]}, "what was new in between was not there before"
