"""What moves ask of the table is the same in whatever parts its rows come, and can be sent elsewhere."""

import inspect
import pickle
from functools import partial

import numpy as np
import pytest
from tests.tiers import sampled
from tests.topics.model.test_polylingual import aligned

from stickbreaker import HDP, Memoised, Online, SplitMerge
from stickbreaker.contracts.table_view import ReportRows, RowBlock, RowQuery
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Field, Rows, Stats
from stickbreaker.engines import LocalEngine
from stickbreaker.engines.table import Table
from stickbreaker.engines.table_view import LocalTableView
from stickbreaker.testing import plant_languages, plant_topics, unigram_mixture
from stickbreaker.testing.estimators import untimed
from stickbreaker.topics.model.moves import row_queries
from stickbreaker.topics.model.moves.row_queries import (
    DrawnColumns,
    Terms,
    WordsSlot,
    evidence,
    log_likelihood,
)
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary

N, TOPICS = 23, 4
SIZES = (1, 2, 7, N)
KINDS = {
    "one eta": ClosedVocabulary(N, 0.1),
    "eta by words": ClosedVocabulary(N, np.linspace(0.02, 0.4, N)),
    "two languages": ClosedVocabulary(N, 0.1, firsts=(0, 9)),
    "two languages, eta by words": ClosedVocabulary(N, np.linspace(0.02, 0.4, N), firsts=(0, 9)),
}


def some(n, columns, generator):
    """Rows that a report told: some of them, one of which has nothing."""
    positions = np.sort(generator.choice(n, n // 2, replace=False))
    values = generator.gamma(0.5, 2.0, (len(positions), columns))
    values[3] = 0.0
    return Rows(positions, values)


def case(kind):
    """A table, a report with two trials, arrays over rows, and the words slot."""
    generator = np.random.default_rng(3)
    words = KINDS[kind]
    table = Table(generator.gamma(0.3, 9.0, (N, TOPICS)), "words", "topics", groups=words.groups())
    trials = {name: Stats(some(N, 2, generator)) for name in ("split", "merge")}
    arrays = {
        "shares": generator.random(N),
        "start": generator.gamma(0.5, 2.0, (N, 2)),
        "log_words": generator.normal(size=(N, 2)),
    }
    params = {name: Field(item.values) for name, item in words.start().items()}
    return table, Stats(some(N, TOPICS, generator), trial=trials), arrays, WordsSlot(words, params)


def every_ask(table, report, arrays, words):
    """Each function that moves ask, by its name: sums, and those of arrays over rows."""
    told, fresh = {"trial": ReportRows("split")}, {"fresh": ReportRows()}
    merged = {"trial": ReportRows("merge")}
    tokens, totals = report.trial["split"].rows.values.sum(axis=0), table.totals()
    sums = {
        "products": RowQuery(partial(row_queries.products, totals=totals.sum(axis=0))),
        "moments": RowQuery(row_queries.moments, told),
        "halves": RowQuery(partial(row_queries.halves, words=words, topic=1, tokens=tokens), told),
        "report_totals": RowQuery(partial(row_queries.report_totals, words=words), fresh),
        "halves_terms": RowQuery(partial(unigram_mixture.halves_terms, eta=0.5), told),
    }
    two = np.array([[7.0, 2.0]] * len(totals))
    fields = {
        "seconds": RowQuery(partial(row_queries.seconds, tokens=tokens, smooth=0.0), told),
        "handed": RowQuery(partial(row_queries.handed, amounts=False), merged),
        "random_scores": RowQuery(partial(row_queries.random_scores, seed=5, step=2, topic=1)),
        "targets": RowQuery(
            partial(row_queries.targets, words=words, topics=[0, 3], totals=totals[:, [0, 3]])
        ),
        "centred": RowQuery(partial(row_queries.centred, moments=np.array([9.0, 1.0, 8.0])), told),
        "proposed": RowQuery(
            partial(row_queries.proposed, words=words, topic=1, tokens=tokens, totals=two), told
        ),
        "first_counts": RowQuery(
            partial(row_queries.first_counts, words=words, topic=2, keep=0.6, add=0.4, totals=two), fresh
        ),
        "seconds_after": RowQuery(
            partial(row_queries.seconds_after, rate=0.4, scale=3.0), {**told, "start": arrays["start"]}
        ),
        "trial_halves": RowQuery(unigram_mixture.trial_halves, told),
        "second_share": RowQuery(partial(unigram_mixture.second_share, share=0.3), told),
        "row_tokens": RowQuery(unigram_mixture.row_tokens),
    }
    columns = {
        "split": RowQuery(partial(row_queries.split, topic=1, tokens=tokens), told),
        "split_as_fitted": RowQuery(
            partial(row_queries.split_as_fitted, topic=1), {**told, "shares": arrays["shares"]}
        ),
        "split_after": RowQuery(
            partial(row_queries.split_after, topic=1, rate=0.4, scale=3.0),
            {**told, **fresh, "start": arrays["start"]},
        ),
        "union": RowQuery(partial(row_queries.union, topic=1, into=[0, 3], amounts=True), merged),
        "union_foreseen": RowQuery(
            partial(row_queries.union_foreseen, topic=1, into=[0, 3], tokens=tokens),
            {"log_words": arrays["log_words"]},
        ),
        "union_after": RowQuery(
            partial(row_queries.union_after, topic=1, into=[0, 3], scale=3.0), {**merged, **fresh}
        ),
    }
    return sums | {
        name: RowQuery(Terms(words, ask.function), ask.held) for name, ask in columns.items()
    }, fields


def functions_of_parts(module):
    """The names of a module's own functions of a part."""
    return {
        name
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        and next(iter(inspect.signature(function).parameters.values())).annotation is RowBlock
    }


def test_every_function_of_parts_is_among_those_tested():
    sums, fields = every_ask(*case("one eta"))
    assert (
        functions_of_parts(row_queries) | functions_of_parts(unigram_mixture) == sums.keys() | fields.keys()
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", SIZES)
def test_parts_of_any_size_give_what_the_whole_gives(kind, size):
    """Also those that two groups share; and functions that went to another process and back."""
    table, report, arrays, words = case(kind)
    sums, fields = every_ask(table, report, arrays, words)
    sent = [
        {name: RowQuery(again(ask.function), ask.held) for name, ask in each.items()}
        for each in (sums, fields)
    ]
    whole, parts = LocalTableView(table, report), LocalTableView(table, report, size)
    for expected, found in (
        (whole.add(sums), parts.add(sent[0])),
        (whole.fields(fields), parts.fields(sent[1])),
    ):
        assert found.keys() == expected.keys()
        for name in expected:
            assert found[name].keys() == expected[name].keys()
            for key, values in expected[name].items():
                assert found[name][key] == pytest.approx(values, rel=1e-12, abs=1e-12), (name, key)
    for made in whole.fields(fields).values():
        assert all(len(values) == N for values in made.values())
    assert parts.top(range(TOPICS), 6) == [np.argsort(-x, kind="stable")[:6].tolist() for x in table.values.T]


@pytest.mark.parametrize("drawn", [5, 23, 100])
def test_scores_to_start_from_are_the_same_in_any_parts(monkeypatch, drawn):
    """And the first ones do not depend on how many a stream draws."""
    monkeypatch.setattr(row_queries, "DRAWN", drawn)

    def scores_of(first, size):
        part = RowBlock(first, N, np.zeros((min(size, N - first), 1)), {})
        return row_queries.random_scores(part, seed=5, step=2, topic=1)["direction"]

    scores = [np.concatenate([scores_of(at, size) for at in range(0, N, size)]) for size in SIZES]
    assert all((each == scores[0]).all() for each in scores)
    assert len(np.unique(scores[0])) == N
    assert (scores[0][:5] == stream(5, "directions", 2, 1).standard_normal(N)[:5]).all()


def again(function):
    return pickle.loads(pickle.dumps(function))


def drawn_from(part):
    """Two columns, and what is drawn from them."""
    return DrawnColumns(part.counts[:, :2], part.counts[:, 2:])


@pytest.mark.parametrize("kind", KINDS)
def test_terms_are_those_of_the_bound(kind):
    """By the Dirichlets' definitions, a group at a time."""
    from scipy.special import gammaln, psi

    table, report, _, words = case(kind)
    [sums] = LocalTableView(table, report, 5).add({"": RowQuery(Terms(words, drawn_from))}).values()
    log_b, logs = np.zeros(2), np.zeros(2)
    for group in words.slot.ranges():
        eta = np.broadcast_to(words.slot.eta, N)[group, None]
        lam = table.values[group, :2] + eta
        log_b += gammaln(lam).sum(axis=0) - gammaln(lam.sum(axis=0))
        log_b -= gammaln(eta).sum(axis=0) - gammaln(eta.sum(axis=0))
        logs += (table.values[group, 2:] * (psi(lam) - psi(lam.sum(axis=0)))).sum(axis=0)
    assert evidence(words, sums) == pytest.approx(log_b, rel=1e-9)
    assert log_likelihood(words, sums) == pytest.approx(logs, rel=1e-9)


def test_rows_that_were_not_told_are_zero_and_an_empty_table_has_one_empty_part():
    table, report, *_ = case("one eta")
    told = LocalTableView(table, report, 7).fields(
        {"": RowQuery(unigram_mixture.trial_halves, {"trial": ReportRows("split")})}
    )[""]["halves"]
    rows = report.trial["split"].rows
    assert told[rows.positions].tolist() == rows.values.tolist()
    assert np.delete(told, rows.positions, axis=0).sum() == 0.0
    nothing = LocalTableView(Table(np.empty((0, 2)), "words", "topics", []), None)
    assert nothing.fields({"": RowQuery(unigram_mixture.row_tokens)})[""]["tokens"].shape == (0,)
    assert nothing.top([0, 1], 3) == [[], []]
    assert nothing.add({}) == nothing.fields({}) == {}


# whole runs


RUNS = {
    "exact": (HDP(8, schedule=Memoised(50), max_iter=6, tol=0.0), 200),
    "exact, from two": (HDP(2, eta="learned", schedule=Memoised(50), max_iter=8, tol=0.0), 200),
    "halves": (
        HDP(3, moves=SplitMerge("halves"), schedule=Online(batch_size=100), max_iter=3, tol=0.0),
        1000,
    ),
    "paper": (
        HDP(6, moves=SplitMerge("paper"), schedule=Online(batch_size=100), max_iter=1, tol=0.0),
        1000,
    ),
    "two languages": (HDP(8, schedule=Memoised(60), max_iter=6, tol=0.0), 0),
    "two languages, paper": (
        HDP(6, moves=SplitMerge("paper"), schedule=Online(batch_size=30), max_iter=2, tol=0.0),
        0,
    ),
}


def data(n_documents):
    """Of 200 words; two languages where no number of documents is asked for."""
    if n_documents:
        return plant_topics(n_documents=n_documents, length=60, seed=5).counts
    return aligned(plant_languages((120, 80), n_documents=120, length=20, seed=2).counts)


def in_parts(monkeypatch, size, kind=LocalTableView):
    monkeypatch.setattr(LocalEngine, "table_view", lambda self, report: kind(self.table, report, size))


@pytest.mark.parametrize("name", sampled(RUNS, 2))
def test_runs_are_the_same_in_parts_of_fifty_rows(name, monkeypatch):
    """The same edits, and numbers to 1e-9; there is more than one topic's edit to compare."""
    model, n_documents = RUNS[name]
    traces, tables = [], []
    for size in (None, 50):
        in_parts(monkeypatch, size)
        model.set_params(random_state=0, n_jobs=1).fit(data(n_documents))
        traces.append(untimed(model.trace_))
        tables.append(model.components_)
    assert sum(len(record.get("edits", [])) for record in traces[0]) >= 1
    for one, other in zip(*traces, strict=True):
        assert one.keys() == other.keys()
        assert one["score"] == pytest.approx(other["score"], rel=1e-9)
        for first, second in zip(one.get("edits", []), other.get("edits", []), strict=True):
            assert second == {**first, "gain": pytest.approx(first["gain"], rel=1e-9)}
        assert one.get("words") == other.get("words")
    assert tables[0] == pytest.approx(tables[1], rel=1e-9)


class Counted(LocalTableView):
    """Sees to what is asked, and how often: an ask may go over a whole cluster."""

    asks = 0

    def __init__(self, *given):
        super().__init__(*given)
        self.calls = set()

    def once(self, kind, asks):
        assert kind not in self.calls or not asks, "asked twice where once would do"
        self.calls.add(kind)
        for name, ask in asks.items():
            Counted.asks += 1
            assert len(pickle.dumps(ask.function)) < 4000, f"{name} brings rows along"

    def add(self, asks):
        self.once("add", asks)
        return super().add(asks)

    def fields(self, asks):
        self.once("fields", asks)
        return super().fields(asks)


@pytest.mark.parametrize("name", ["exact", "halves", "paper"])
def test_a_move_asks_at_most_twice_at_a_time_and_sends_no_rows_along(name, monkeypatch):
    """Once for sums and once for arrays, whatever the number of plans; a row array here has 16,000 bytes."""
    in_parts(monkeypatch, None, Counted)
    X = plant_topics(n_documents=400, n_words=2000, length=60, seed=5).counts
    monkeypatch.setattr(Counted, "asks", 0)
    RUNS[name][0].set_params(random_state=0, n_jobs=1).fit(X)
    assert Counted.asks > 30
