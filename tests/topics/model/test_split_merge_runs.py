"""Runs with split and merge moves: planted numbers of topics, hostile input, lasting ids, the same bytes."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from tests.tiers import sampled

from stickbreaker import HDP, Memoised, Online, SplitMerge, UserError
from stickbreaker.contracts.table_view import RowBlock
from stickbreaker.core.edits import Split, apply_to_local
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Field
from stickbreaker.learning import moves
from stickbreaker.saved import ModelDirectory
from stickbreaker.testing import plant_topics
from stickbreaker.testing.estimators import untimed
from stickbreaker.testing.planted import matched
from stickbreaker.topics.model.moves import row_queries

IN_FIFTIES = Memoised(batch_size=50)


def bars(n_documents, length, side=10, seed=0):
    """Documents of a topic for each row and column of a square of words; shares ~ Dirichlet(1 / topics)."""
    square = np.eye(side)
    topics = np.vstack([np.kron(square, np.ones(side)), np.kron(np.ones(side), square)]) / side
    generator = stream(seed, "bars")
    theta = generator.dirichlet(np.full(2 * side, 0.5 / side), n_documents)
    counts = np.stack([generator.multinomial(length, row / row.sum()) for row in theta @ topics])
    return csr_matrix(counts.astype(float)), topics


# planted topics are found, and counted


@pytest.mark.parametrize("start", sampled([2, 10, 40], 1))
def test_bars_are_twenty(start):
    X, topics = bars(300, 120)
    model = HDP(start, random_state=0, schedule=Memoised(100), n_jobs=1).fit(X)
    assert model.n_topics_ == 20
    assert model.trace_[-1]["topics"] == model.trace_[-1]["used"] == 20
    assert matched(model.topic_word_, topics)[1].min() > 0.99


@pytest.mark.parametrize("inference", sampled(["mean-field", "hybrid"], 1))
@pytest.mark.parametrize("schedule", sampled([Memoised(100), "batch"], 1), ids=["memoised", "batch"])
@pytest.mark.parametrize("start", sampled([1, 2, 10], 1))
def test_five_planted_topics_are_five(inference, schedule, start):
    """From one topic too, where documents say nothing of alpha."""
    planted = plant_topics(n_documents=200, length=80, seed=1)
    settings = {"inference": inference, "schedule": schedule, "random_state": 0, "n_jobs": 1}
    model = HDP(start, **settings).fit(planted.counts)
    assert model.n_topics_ == 5
    assert model.converged_
    chosen, cosines = matched(model.topic_word_, planted.topics)
    assert cosines.min() > 0.95
    theta = model.transform(planted.counts)
    assert theta.sum(axis=1) == pytest.approx(np.ones(200))
    assert np.abs(theta[:, chosen] - planted.theta).mean() < 0.05
    assert 0.0 < model.topic_weights_.sum() < 1.0
    lda = model.to_lda()
    assert lda.topic_word_ == pytest.approx(model.topic_word_)
    if inference == "mean-field":
        assert lda.transform(planted.counts) == pytest.approx(theta, abs=1e-4)


@pytest.mark.parametrize("start", [1, 8])
def test_documents_of_one_kind_have_one_topic(start):
    generator = np.random.default_rng(0)
    X = generator.multinomial(60, generator.dirichlet(np.full(40, 0.5)), 150)
    model = HDP(start, random_state=0, schedule=IN_FIFTIES).fit(X)
    assert model.n_topics_ == model.trace_[-1]["topics"] == 1
    assert model.transform(X) == pytest.approx(np.ones((150, 1)))


# hostile input


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "rows",
    sampled(
        [
            [[3, 1, 0]],
            [[3, 1, 0]] * 12,
            [[1]] * 6,
            [[0, 0, 0], [5, 0, 1], [0, 0, 0], [0, 7, 1], [0, 0, 0]],
            [[1e-3, 0.0, 2e-3], [0.0, 1e-3, 0.0]],
        ],
        5,
    ),
    ids=["one document", "identical", "one word", "some empty", "weights below one"],
)
@pytest.mark.parametrize("batch_size", [1, 4, 100])
def test_small_and_strange_corpora(rows, batch_size):
    X = np.array(rows, float)
    model = HDP(6, random_state=0, max_iter=7, schedule=Memoised(batch_size)).fit(X)
    assert 1 <= model.n_topics_ <= max(6, len(rows))
    theta = model.transform(X)
    assert theta.sum(axis=1) == pytest.approx(np.ones(len(rows)))
    for nothing in np.flatnonzero(X.sum(axis=1) == 0.0):
        assert theta[nothing] == pytest.approx(model.alpha_ / model.alpha_.sum())
    for record in model.trace_:
        assert np.isfinite(record["score"])


def test_documents_without_a_word_are_refused():
    with pytest.raises(UserError, match="no document has a word to learn from"):
        HDP(6).fit(np.zeros((6, 3)))


def test_empty_documents_among_others_change_no_number_of_topics():
    X = plant_topics(n_documents=200, length=80).counts.tolil()
    X[::3] = 0
    model = HDP(2, random_state=0, schedule=IN_FIFTIES).fit(X.tocsr())
    assert model.n_topics_ == 5


# what is told


@pytest.fixture(scope="module")
def planted():
    return plant_topics(n_documents=200, length=50, seed=5).counts


@pytest.fixture(scope="module", params=[2, 9])
def model(planted, request):
    """A finished model that split topics, and one that merged some."""
    return HDP(request.param, random_state=0, schedule=IN_FIFTIES, n_jobs=1).fit(planted)


def test_topics_have_ids_that_the_trace_leads_to(model):
    """Edits replayed from the start: an id is new once, and the table's columns are those left, in order."""
    numbers, given, made = list(range(model.n_topics)), model.n_topics, 0
    for record in model.trace_:
        for edit in record.get("edits", []):
            made += 1
            assert edit["gain"] > 0.0
            assert edit["topic"] in numbers
            if edit["move"] == "split":
                assert edit["new"] == given
                numbers.append(edit["new"])
                given += 1
            else:
                assert edit["move"] == "merge"
                assert edit["gone"] != edit["topic"]
                assert set(edit.get("also", [])) <= set(numbers) - {edit["topic"], edit["gone"]}
                numbers.remove(edit["gone"])
            changed = {edit["topic"], *edit.get("also", []), edit.get("new", edit["topic"])}
            assert set(record["words"]) >= set(map(str, changed))
            before = {edit["topic"], *edit.get("also", []), edit.get("gone", edit["topic"])}
            assert set(record["before"]) >= set(map(str, before))
        assert record["topics"] == len(numbers)
        assert 1 <= record["used"] <= record["topics"]
    assert made >= 3
    assert numbers == list(model.state_.columns.numbers)
    assert model.topic_ids_ == [numbers[k] for k in model.topic_columns_]
    assert len(set(model.topic_ids_)) == len(model.topic_ids_) == model.n_topics_ == record["used"]


def test_topics_are_told_by_words_at_passes_that_double(model, planted):
    """All of them; at other steps those that an edit concerns."""
    whole = {}
    for record in model.trace_:
        for words in (record.get("words", {}), record.get("before", {})):
            for rows in words.values():
                assert len(rows) == len(set(rows)) == 10
                assert all(0 <= row < planted.shape[1] for row in rows)
        assert ("before" in record) == bool(record.get("edits"))
        if "words" in record and "before" not in record:
            whole[record["pass"]] = set(record["words"])
            assert len(record["words"]) == record["topics"]
    doubling = {number for number in (1, 2, 4, 8, 16, 32, 64) if number <= model.n_iter_}
    assert {1, 2} <= set(whole) <= doubling
    assert whole[1] == set(map(str, range(model.n_topics)))


def test_the_last_words_are_those_of_the_model(planted):
    model = HDP(2, random_state=0, schedule=IN_FIFTIES, max_iter=8, tol=0.0).fit(planted)
    words = model.trace_[-1]["words"]
    top = model.topic_word_.argsort(axis=1, kind="stable")[:, ::-1][:, :3]
    assert [words[str(number)][:3] for number in model.topic_ids_] == top.tolist()


# the same bytes: threads, files


def test_same_bytes_for_any_number_of_threads(planted):
    runs = [HDP(2, random_state=0, schedule=Memoised(100), n_jobs=n).fit(planted) for n in (1, 2, 3)]
    assert runs[0].n_topics_ == 5
    for run in runs[1:]:
        assert run.components_.tobytes() == runs[0].components_.tobytes()
        assert run.topic_weights_.tobytes() == runs[0].topic_weights_.tobytes()
        assert run.topic_ids_ == runs[0].topic_ids_
        assert untimed(run.trace_) == untimed(runs[0].trace_)
        assert run.transform(planted).tobytes() == runs[0].transform(planted).tobytes()


def test_saved_and_loaded(model, planted, tmp_path):
    model.save(tmp_path / "model")
    loaded = HDP.load(tmp_path / "model")
    assert loaded.topic_ids_ == model.topic_ids_
    assert loaded.get_params() == model.get_params() | {"n_jobs": loaded.n_jobs}
    assert loaded.topic_weights_.tobytes() == model.topic_weights_.tobytes()
    assert loaded.transform(planted).tobytes() == model.transform(planted).tobytes()
    arrays = ModelDirectory(tmp_path / "model").read().arrays
    told = [name for name in arrays if name.startswith(("kept/", "local/", "plan"))]
    assert told == [], "what serves a run alone is not in its model"


# refusals


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"moves": SplitMerge("exact"), "schedule": "online"}, "does not go with schedule='online'"),
        ({"moves": SplitMerge("halves")}, "needs an online schedule"),
        ({"moves": SplitMerge("halves"), "schedule": "batch"}, "does not go with schedule='batch'"),
        ({"moves": SplitMerge(), "inference": "gibbs"}, "Gibbs sampling"),
        ({"moves": SplitMerge(), "representation": "franchise"}, "franchise"),
        ({"eta": np.full((4, 2), 0.1), "n_topics": 4}, "eta differs between topics"),
        ({"moves": "split"}, "moves='split'"),
    ],
)
def test_what_does_not_go_together_is_told_in_one_line(settings, told):
    with pytest.raises(UserError, match=told) as error:
        HDP(**settings).fit([[1, 2], [2, 1]])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("bad", [{"accept": "x"}, {"splits": -1}, {"merges": 2.5}])
def test_moves_of_no_sense_are_refused(bad):
    with pytest.raises(UserError, match="SplitMerge"):
        SplitMerge(**bad)


def test_gibbs_and_the_franchise_have_no_moves_unless_asked(planted):
    for settings in ({"inference": "gibbs"}, {"representation": "franchise"}, {"moves": None}):
        model = HDP(3, random_state=0, max_iter=3, tol=0.0, **settings).fit(planted[:40])
        assert not any("edits" in record for record in model.trace_)


@pytest.mark.parametrize(("start", "splits", "merges", "ends"), [(4, 9, 0, 5), (4, 0, 9, 4), (9, 0, 9, 5)])
def test_only_splits_and_only_merges(planted, start, splits, merges, ends):
    """A run does not wait for what is never tried."""
    chosen = SplitMerge(splits=splits, merges=merges)
    model = HDP(start, moves=chosen, random_state=0, schedule=Memoised(100)).fit(planted)
    assert model.trace_[-1]["topics"] == ends
    assert model.converged_


@pytest.mark.parametrize("chosen", ["split-merge", SplitMerge(splits=0, merges=0)])
def test_a_run_in_which_nothing_can_be_tried_ends(chosen):
    """Topics too small to split and to merge, or moves that may do neither."""
    X = [[1, 2]] if chosen == "split-merge" else plant_topics(n_documents=60).counts
    assert HDP(5, moves=chosen, random_state=0).fit(X).converged_


def test_what_failed_is_tried_again_after_its_wait(monkeypatch):
    """Also where everything failed at once, so that all of it waits."""
    cohorts, real = [], moves.propose

    def plan(model, params, latest, engine, step, seed):
        planned = real(model, params, latest, engine, step, seed)
        cohorts.extend([step.number] if planned else [])
        return planned

    monkeypatch.setattr(moves, "propose", plan)
    X = plant_topics(n_documents=100, length=80, seed=1).counts
    model = HDP(5, random_state=0, schedule=IN_FIFTIES, max_iter=30, tol=0.0).fit(X)
    assert model.n_topics_ == 5
    assert 3 <= len(cohorts) <= 15
    assert np.diff(cohorts)[-1] > np.diff(cohorts)[0], "ever more seldom"


@pytest.mark.slow
def test_a_stream_goes_on_from_a_model_without_moves():
    """Moves are asked for afterwards: the two topics become the planted five."""
    X = plant_topics(n_documents=600).counts
    model = HDP(2, random_state=0, moves=None, max_iter=3, tol=0.0).fit(X)
    model.set_params(moves=SplitMerge("halves"), schedule=Online(kappa=0.5, tau0=1.0))
    for start in range(30):
        first = 20 * start % 400
        model.partial_fit(X[first : first + 200])
    assert model.n_topics_ == 5
    assert {edit["move"] for record in model.trace_ for edit in record.get("edits", [])} >= {"split"}


def test_a_saved_stream_goes_on_as_the_stream_does(tmp_path):
    """Also where its moves are for streams only, and without passing through `fit`."""
    X = plant_topics(n_documents=600).counts
    model = HDP(2, random_state=0, moves=SplitMerge("halves"))
    for start in range(0, 420, 30):
        model.partial_fit(X[start : start + 150])
    model.save(tmp_path / "model")
    loaded = HDP.load(tmp_path / "model")
    for each in (model, loaded):
        each.partial_fit(X[:300]).partial_fit(X[300:])
    assert loaded.components_.tobytes() == model.components_.tobytes()
    assert loaded.topic_ids_ == model.topic_ids_


def test_a_memoised_run_that_is_cut_short_has_a_score():
    X = plant_topics(n_documents=200).counts
    stop = [lambda record: record["step"] == 6]
    cut = HDP(4, random_state=0, schedule=IN_FIFTIES, callbacks=stop).fit(X)
    assert cut.bound_ < -1.0


def test_edits_of_one_decision_move_records_by_their_own_shares():
    local = {
        "gamma": Field(np.full((2, 2), 10.0), ("documents", "topics")),
        "shares of a": Field(np.array([0.9, 0.1]), ("documents",), additive=False),
        "shares of b": Field(np.array([0.9, 0.1]), ("documents",), additive=False),
    }
    for source, trial in ((0, "a"), (1, "b")):
        local = apply_to_local((Split("topics", source, 0.5, trial=trial),), local)
    assert local["gamma"].values == pytest.approx(np.array([[1.0, 1, 9, 9], [9, 9, 1, 1]]))
    assert set(local) == {"gamma"}


def test_handovers_that_lose_much_by_a_minibatch_are_given_up(monkeypatch):
    """Of the planted topics most, before the other documents try them; memory has them as failed."""
    planned, judged = set(), set()
    propose, decide = moves.propose, moves.decide

    def plan(*given):
        found = propose(*given)
        planned.update(item.name for _, item in found if item.name.startswith("merge"))
        return found

    def look(model, engine, shape, proposals, step):
        judged.update(item.name for _, item in proposals if item.name.startswith("merge"))
        return decide(model, engine, shape, proposals, step)

    monkeypatch.setattr(moves, "propose", plan)
    monkeypatch.setattr(moves, "decide", look)
    X = plant_topics(n_documents=200, length=80, seed=1).counts
    model = HDP(5, random_state=0, schedule=IN_FIFTIES, max_iter=6, tol=0.0).fit(X)
    assert model.n_topics_ == 5
    assert judged <= planned
    assert len(judged) < len(planned) / 2
    assert (model.params_["failed"].values > 0.0).any()


def test_a_topic_handed_over_to_one_is_foreseen_as_it_would_be():
    counts = np.random.default_rng(1).gamma(0.5, 3.0, (6, 4))
    for tokens in (1e-6, 30.0):
        held = {"log_words": np.random.default_rng(2).normal(size=(6, 1))}
        foreseen = row_queries.union_foreseen(
            RowBlock(0, len(counts), counts, held), 1, [3], np.array([tokens])
        )
        assert foreseen.counts == pytest.approx(
            np.stack([counts[:, 3] + counts[:, 1], counts[:, 3], counts[:, 1]], axis=1)
        )


def test_words_of_a_topic_go_where_they_are_likely():
    """By tokens and E[log beta] of the targets, and nothing is made or lost."""
    counts = np.full((2, 3), 8.0)
    held = {"log_words": np.log([[0.1, 0.3], [0.5, 0.5]])}
    foreseen = row_queries.union_foreseen(
        RowBlock(0, len(counts), counts, held), 0, [1, 2], np.array([3.0, 1.0])
    ).counts
    assert foreseen[:, :2] == pytest.approx(np.array([[12.0, 12.0], [14.0, 10.0]]))
    assert foreseen[:, 2:] == pytest.approx(np.full((2, 3), 8.0))


@pytest.mark.parametrize("start", [5, 12])
def test_an_online_run_keeps_planted_topics_unless_moves_are_asked_for(start):
    """Only merges by documents by default: every planted topic is there at the end, from as many and more."""
    planted = plant_topics(n_documents=1500, length=60, seed=1)
    model = HDP(start, random_state=0, schedule="online", max_iter=4, tol=0.0).fit(planted.counts)
    assert model.learned_.model.moves == ()
    assert 5 <= model.n_topics_ <= start
    assert matched(model.topic_word_, planted.topics)[1].min() > 0.9


def test_the_first_online_step_keeps_the_seeds():
    X = plant_topics(n_documents=600).counts
    first = [lambda record: record["step"] == 1]
    model = HDP(5, random_state=0, schedule="online", callbacks=first).fit(X)
    assert model.trace_[0]["rate"] < 0.1
