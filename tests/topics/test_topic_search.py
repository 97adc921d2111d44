"""The search for the number of topics: what it finds, what it keeps, and that it goes on where it stopped."""

import json

import numpy as np
import pytest

from stickbreaker import HDP, Corpus, Hybrid, Online, UserError
from stickbreaker.engines import Interrupted
from stickbreaker.estimators import fitting
from stickbreaker.estimators.search import with_last
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.manifest import encoded
from stickbreaker.testing import plant_topics
from stickbreaker.testing.estimators import StopAfter, contents, untimed
from stickbreaker.testing.planted import matched
from stickbreaker.topics.plain_hdp import PlainHDP
from stickbreaker.topics.search.search_points import (
    SHORT,
    WHOLE,
    SearchPoint,
    points_from,
)
from stickbreaker.topics.search.search_range import overruling, range_of
from stickbreaker.topics.search.topic_search import TopicSearch, overruled

BRIEF = {"max_iter": 3, "random_state": 0}


def planted_corpus(n_topics=4, n_documents=120, **settings):
    given = {"n_words": 80, "length": 60, "seed": 3, **settings}
    return plant_topics(n_documents=n_documents, n_topics=n_topics, **given)


def corpus_at(path):
    return Corpus.from_matrix(planted_corpus().counts).write(path)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("n_topics", [3, 8])
def test_the_planted_number_is_found_from_every_seed(n_topics, seed):
    planted = planted_corpus(n_topics, 400, n_words=200)
    model = HDP(random_state=seed).fit(planted.counts)
    assert model.n_topics_ == n_topics
    assert matched(model.topic_word_, planted.topics)[1].min() > 0.97
    fewest, most = model.n_topics_range_
    assert fewest <= n_topics <= most
    assert model.eta == None  # noqa: E711 (the parameter stays as given, and eta is learned)
    assert model.eta_ == pytest.approx(0.05, rel=0.5)
    grid, last = [one for one in model.search_ if not one.final and one.held_out is None], model.search_[-1]
    assert len(grid) < len(model.search_) - 1, "documents held out were looked at"
    assert model.overruled_bound() is None
    assert last.final
    assert len({point.topics for point in grid}) == len(grid) >= 4
    assert last.used == model.n_topics_
    assert (last.bound, last.passes) == (model.bound_, model.n_iter_)
    assert last.bound >= max(point.bound for point in grid)


def test_the_planted_number_of_dense_topics_is_found():
    """Each has most of the words. The bound of short runs rises from 20 topics to two, and to many."""
    planted = plant_topics(400, 15, n_words=120, length=80, alpha=2 / 15, eta=0.5, seed=3)
    model = HDP(random_state=0).fit(planted.counts)
    assert model.n_topics_ == 15
    assert matched(model.topic_word_, planted.topics)[1].min() > 0.8
    assert overruled(model.search_) is not None, "documents held out ask for more than the short runs' bound"
    assert model.overruled_bound() is None, "a run with moves has the better bound"
    runs = [one for one in model.search_ if one.final]
    assert [one.topics for one in runs] == [runs[0].topics] * 2
    assert runs[1].bound > max(one.bound for one in model.search_ if one.held_out is None and not one.final)
    found = model.search_range()
    assert (found.fewest, found.most, found.of) == (15, 15, WHOLE)


def test_a_run_of_the_grid_is_a_run_of_its_own():
    X = planted_corpus().counts
    model = HDP(**BRIEF).fit(X)
    assert len({point.topics for point in model.search_ if not point.final}) >= 4
    for point in model.search_[:2]:
        settings = {"eta": "learned", "schedule": "batch", "moves": None, "tol": 0.0}
        alone = HDP(point.topics, **settings, **BRIEF).fit(X)
        assert (alone.n_topics_, alone.bound_) == (point.used, point.bound)


def test_a_number_given_is_one_run():
    model = HDP(4, **BRIEF).fit(planted_corpus().counts)
    assert model.search_ == ()
    assert model.n_topics_range_ is None
    assert model.eta_ == 0.01


def point(topics, score, final=False, used=None):
    return SearchPoint(topics, used or topics, score, None, 15, final)


GRID = [point(k, score) for k, score in ((20, -8.0), (10, -8.05), (5, -8.15), (40, -8.02), (80, -8.1))]


def test_a_run_that_moves_bring_back_to_the_peak_is_the_last():
    search = TopicSearch("bound", 1000)
    peak = search.peak(GRID).topics
    assert 18 < peak < 25
    assert search.next_settings(GRID) == {"n_topics": 2 * peak}
    assert search.next_settings([*GRID, point(2 * peak, -7.99, final=True, used=peak + 1)]) is None
    assert TopicSearch("bound", peak + 3).next_settings([*GRID[:3], point(40, -8.06)])["n_topics"] <= peak + 3


def test_one_that_does_not_forget_its_start_is_followed_by_one_from_the_peak():
    search = TopicSearch("bound", 1000)
    peak = search.peak(GRID).topics
    high = [*GRID, point(2 * peak, -7.98, final=True, used=2 * peak - 3)]
    assert search.next_settings(high) == {"n_topics": peak}
    assert search.next_settings([*high, point(peak, -7.984, final=True)]) is None, "as good, with fewer"
    worse = [*high, point(peak, -7.99, final=True)]
    assert search.next_settings(worse) is None
    assert search.chosen(worse) is high[-1], "which was made already"
    assert search.settings_of(high[-1], worse) == {"n_topics": 2 * peak}


def test_of_runs_to_the_end_that_are_alike_the_fewest_topics_are_taken():
    """As `search-k` does; numbers are compared as runs end, whichever comes first."""
    search = TopicSearch("bound", 1000)
    for many, few, fewer_is_model in ((-7.98, -7.984, True), (-7.98, -7.986, False), (-7.984, -7.98, True)):
        ends = [point(80, many, final=True), point(40, few, final=True)]
        for order in (ends, ends[::-1]):
            assert search.chosen([*GRID, *order]) is ends[int(fewer_is_model)]
    equal = [point(80, -7.98, final=True, used=40), point(40, -7.981, final=True)]
    assert search.chosen([*GRID, *equal]) is equal[0], "of equal numbers the better score"


def test_documents_held_out_judge_no_moves():
    search = TopicSearch("held-out", 1000)
    grid = [SearchPoint(one.topics, one.used, -9.0, one.bound, 15, False) for one in GRID]
    last = search.next_settings(grid)
    assert last == {"n_topics": search.peak(grid).topics, "moves": None, "schedule": "batch"}
    assert search.next_settings([*grid, SearchPoint(22, 22, -9.0, -7.99, 30, True)]) is None


def test_what_is_below_the_grid_is_not_kept():
    search = TopicSearch("bound", 1000)
    peak = search.peak(GRID).topics
    low = [*GRID, point(2 * peak, -8.1, final=True, used=peak)]
    assert search.next_settings(low) == {"n_topics": peak}
    low = [*low, point(peak, -8.01, final=True)]
    assert search.next_settings(low) == {"n_topics": 20}, "the best of the grid, with moves"
    assert search.next_settings([*low, point(20, -7.99, final=True)]) is None
    low = [*low, point(20, -8.02, final=True)]
    again = search.next_settings(low)
    assert again == {"n_topics": 20, "moves": None, "schedule": "batch"}, "to its end: no max_iter"
    end = [*low, point(20, -8.0, final=True)]
    assert search.next_settings(end) is None
    assert search.chosen(end) is end[-1]
    assert search.settings_of(end[-1], end) == again
    end = [*low, point(20, -8.1, final=True)]
    assert search.next_settings(end) is None, "it ends in any case"
    assert search.chosen(end) is low[-2]


# A bound that asks for few


FEW = [point(k, score) for k, score in ((20, -8.2), (10, -8.1), (5, -8.05), (2, -8.0), (1, -8.04))]
PREDICTED = {2: -7.9, 1: -8.0, 5: -7.85, 10: -7.82, 20: -7.803, 40: -7.80, 80: -7.81, 160: -7.83}


def predicted(topics, score, used=None):
    """A run of the grid with documents held out."""
    return SearchPoint(topics, used or topics, -8.3, score, 15, False)


def checked(search, scores, score=-7.9):
    """The runs of a search up to its last, whose documents held out have these scores, and `score` by the
    bound's choice."""
    points = list(FEW)
    assert search.next_settings(points) == {"n_topics": 2 * search.peak(FEW).topics, "tol": 0.0}, "with moves"
    points.append(predicted(4, score, used=2))
    while "tol" in search.next_settings(points):
        number = search.next_settings(points)["n_topics"]
        points.append(predicted(number, scores[number]))
    return points


def test_a_bound_that_asks_for_few_topics_is_checked_by_documents_held_out():
    search = TopicSearch("bound", 1000)
    assert search.held_out(FEW[:4], 0.0) == 0.0
    assert search.held_out(FEW, 0.0) == 0.1
    points = checked(search, PREDICTED)
    assert [one.topics for one in points[len(FEW) :]] == [4, 2, 1, 5, 10, 20, 40, 80, 160]
    assert all(search.held_out(points[:n], 0.1) == 0.1 for n in range(len(FEW) + 1, len(points)))
    assert search.held_out(points, 0.1) == 0.0, "the last run learns from all"
    last = {"n_topics": 34, "moves": None, "schedule": "batch"}
    assert search.next_settings(points) == last, "the peak of the curve of documents held out"
    against = overruled(points)
    assert (against.few, against.topics) == (2, 34)
    assert against.fewest < 34 < against.most
    assert against.gain == pytest.approx(0.1)
    end = [*points, point(34, -8.15, final=True, used=12)]
    assert search.next_settings(end) is None, "so far below that moves would not reach the few"
    assert range_of("bound", end)[:3] == (12, against.most, SHORT)
    assert overruling("bound", end) == against


@pytest.mark.parametrize("bound", [-8.003, -7.97])
def test_a_bound_that_asks_for_many_in_runs_to_the_end_is_not_overruled(bound):
    """Short runs from many topics may be far below their bound, so that these seem to ask for few."""
    search = TopicSearch("bound", 1000)
    points = checked(search, PREDICTED)
    points += [point(34, -8.03, final=True)]
    assert search.next_settings(points) == {"n_topics": 34}, "once more, with moves"
    points += [point(34, bound, final=True, used=20)]
    assert search.next_settings(points) is None
    assert search.held_out(points, 0.1) == 0.0
    agrees = bound > -8.0
    assert search.chosen(points) is points[-1 if agrees else -2]
    ended = with_last(points, search.chosen(points))
    assert (overruling("bound", ended) is None) == agrees
    if agrees:
        assert range_of("bound", ended) == (20, 20, WHOLE, range_of("bound", FEW)[3], True)
    else:
        assert range_of("bound", ended).of == SHORT


def test_documents_held_out_that_are_not_clearly_better_change_nothing():
    search = TopicSearch("bound", 1000)
    for scores, score in ((PREDICTED, -7.815), ({1: -8.0, 2: -7.9, 5: -7.95, 10: -8.0}, -7.91)):
        points = checked(search, scores, score)
        assert overruled(points) is None
        assert search.peak(points) == search.peak(FEW)
        assert search.next_settings(points) == {"n_topics": 2 * search.peak(FEW).topics}
        end = [point(4, -7.99, final=True, used=2)]
        assert search.next_settings([*points, *end]) is None
        assert range_of("bound", [*points, *end]) == range_of("bound", [*FEW, *end])


def test_a_bound_is_not_checked_where_it_asks_for_many_or_documents_are_few():
    assert "tol" not in TopicSearch("bound", 1000).next_settings(GRID)
    assert "tol" not in TopicSearch("bound", 39).next_settings(FEW)
    assert TopicSearch("bound", 39).held_out(FEW, 0.0) == 0.0
    unknown = [*FEW, predicted(4, None, used=2)]
    assert "tol" not in TopicSearch("bound", 1000).next_settings(unknown), "nothing could be predicted"


def test_documents_that_the_user_holds_out_check_the_bound():
    """All runs have scores, those of the bound's grid too: only numbers that are missing follow."""
    search = TopicSearch("bound", 1000)
    points = [SearchPoint(one.topics, one.used, one.bound, PREDICTED[one.topics], 15, False) for one in FEW]
    points += [predicted(4, -7.9, used=2)]
    assert search.next_settings(points)["n_topics"] == 40
    assert search.held_out(points, 0.3) == 0.3
    points += [predicted(n, PREDICTED[n]) for n in (40, 80, 160)]
    assert search.next_settings(points)["n_topics"] == 34
    assert search.held_out(points, 0.3) == 0.3


def weak_topics(documents=400, topics=20, words=600, length=60, common=0.7, seed=0):
    """Documents most of whose words come from one distribution that all share."""
    generator = np.random.default_rng(seed)
    shared = generator.dirichlet(np.full(words, 0.5))
    own = generator.dirichlet(np.full(words, 0.02), topics)
    shares = generator.dirichlet(np.full(topics, 1 / topics), documents)
    return np.array(
        [generator.multinomial(length, common * shared + (1 - common) * one @ own) for one in shares]
    )


def test_topics_that_the_bound_does_not_ask_for_are_found(tmp_path):
    """And a search that goes over to documents held out goes on where it stopped, as any does."""
    corpus = Corpus.from_matrix(weak_topics()).write(tmp_path / "corpus")
    model = HDP(random_state=0, max_iter=4).fit(corpus)
    against = model.overruled_bound()
    assert against.few < 10 < against.topics == model.search_[-1].topics
    assert against.topics / 2 < model.n_topics_
    held = round(model.components_.sum() - model.eta_ * model.components_.size)
    assert held == pytest.approx(corpus.n_tokens, rel=0.01), "the last run learns from all"
    for name in ("whole", "parts"):
        fitting.begin(PlainHDP(max_iter=4, random_state=0), corpus, tmp_path / name)
    fitting.resume(tmp_path / "whole", every=60.0, threads=1)
    assert HDP.load(tmp_path / "whole").search_ == model.search_
    assert ModelDirectory(tmp_path / "whole").manifest()["held_out"] == 0.0
    total = steps_of(model.search_)[0]
    done = 0
    while True:
        watch = StopAfter(7)
        try:
            fitting.resume(tmp_path / "parts", every=0.0, threads=2, watch=[watch], stopper=watch.take)
        except Interrupted:
            done += 1
            continue
        break
    assert done >= 5
    assert total > 30
    assert contents(tmp_path / "parts") == contents(tmp_path / "whole")


def test_the_range_is_of_the_curve_unless_moves_led_away():
    assert range_of("bound", [*GRID, point(22, -7.9, final=True)]) == range_of(
        "bound", [*GRID, point(22, -7.8, final=True)]
    )
    fewest, most, of, curve, disagree = range_of("bound", [*GRID, point(22, -7.9, final=True)])
    assert 10 < fewest < 20 < most < 40
    assert (of, curve, disagree) == (SHORT, (fewest, most), False)
    assert range_of("bound", [*GRID, point(22, -7.9, final=True, used=7)]) == (7, 7, WHOLE, curve, True)
    assert range_of("bound", [*GRID, point(22, -7.9, final=True, used=12)]).disagree is False
    ends = [
        point(9, -7.904, final=True),
        point(22, -7.91, final=True, used=50),
        point(22, -7.9, final=True, used=8),
    ]
    assert range_of("bound", [*GRID, *ends])[:3] == (8, 9, WHOLE), "not those that are worse"


def test_documents_held_out_judge_and_are_not_learned_from(tmp_path):
    corpus = corpus_at(tmp_path / "corpus")
    model = HDP(judge="held-out", **BRIEF).fit(corpus)
    grid = [one for one in model.search_ if not one.final]
    assert all(np.isfinite(one.held_out) for one in model.search_)
    assert len({one.held_out for one in grid}) == len(grid)
    held = round(model.components_.sum() - model.eta_ * model.components_.size)
    assert 0.8 < held / corpus.n_tokens < 0.97
    model.save(tmp_path / "model")
    assert ModelDirectory(tmp_path / "model").manifest()["held_out"] == 0.1
    assert HDP.load(tmp_path / "model").search_ == model.search_
    fitting.begin(PlainHDP(judge="held-out", **BRIEF), corpus, tmp_path / "run")
    fitting.resume(tmp_path / "run", every=60.0, threads=1)
    assert HDP.load(tmp_path / "run").search_ == model.search_


@pytest.mark.parametrize(
    "settings",
    [
        {"schedule": Online(batch_size=40)},
        {"inference": "gibbs"},
        {"inference": Hybrid(burn_in=1, samples=1)},
        {"representation": "franchise"},
        {"words": "open"},
    ],
)
def test_where_a_search_makes_no_sense_it_begins_with_fifty(settings):
    X = planted_corpus().counts
    model = HDP(**{**BRIEF, **settings}).fit(X)
    assert model.search_ == ()
    if "inference" not in settings or settings["inference"] != "gibbs":
        assert model.trace_[0]["topics"] == 50
    assert HDP(random_state=0).partial_fit(X).trace_[0]["topics"] == 50


def test_wrong_parameters_are_named():
    for settings in ({"judge": "npmi"}, {"n_topics": "many"}, {"n_topics": 0}):
        with pytest.raises(UserError, match=next(iter(settings))):
            HDP(**settings).fit([[1, 2], [2, 1]])


# In a directory


def steps_of(search):
    """Steps of all runs, and after how many of them each run but the last ended."""
    ends = np.cumsum([one.passes for one in search])
    return int(ends[-1]), ends[:-1].tolist()


def test_an_interrupted_search_ends_as_others_do(tmp_path):
    """Stopped in the first run, in the step that ends one, in the first of the next, and in the last."""
    corpus = corpus_at(tmp_path / "corpus")
    for name in ("whole", "halves"):
        fitting.begin(PlainHDP(schedule="batch", **BRIEF), corpus, tmp_path / name)
    told = []
    fitting.resume(tmp_path / "whole", every=60.0, threads=1, tell=told.append)
    whole = contents(tmp_path / "whole")
    learned = HDP.load(tmp_path / "whole")
    assert tuple(told) == learned.search_
    total, ends = steps_of(learned.search_)
    assert len(ends) >= 4
    for steps in (2, 2, 1, 4, total - 11):
        watch = StopAfter(steps)
        with pytest.raises(Interrupted):
            fitting.resume(tmp_path / "halves", every=0.0, threads=2, watch=[watch], stopper=watch.take)
        assert len(ModelDirectory(tmp_path / "halves").read().trace) <= 3
        partly = HDP.load(tmp_path / "halves")  # a model meanwhile: of the run under way
        assert partly.search_ == learned.search_[: len(partly.search_)]
    fitting.resume(tmp_path / "halves", every=60.0, threads=1)
    assert contents(tmp_path / "halves") == whole
    assert HDP(schedule="batch", **BRIEF).fit(corpus).search_ == learned.search_


def test_a_search_that_is_killed_between_two_runs_goes_on(tmp_path, monkeypatch):
    """Before the manifest names the next run the run before is whole, and after it the next is."""
    corpus = corpus_at(tmp_path / "corpus")
    for name in ("whole", "killed"):
        fitting.begin(PlainHDP(schedule="batch", **BRIEF), corpus, tmp_path / name)
    fitting.resume(tmp_path / "whole", every=60.0, threads=1)
    real = ModelDirectory.write

    class Killed(BaseException):
        pass

    for after in (False, True, False, True):

        def write(self, snapshot, after=after):
            if snapshot.manifest["run"]["step"] == 0:
                if after:
                    real(self, snapshot)
                else:  # the arrays are there already
                    from stickbreaker.saved import directory

                    def refuse(path, content):
                        raise Killed

                    with monkeypatch.context() as inner:
                        inner.setattr(directory, "write_atomic", refuse)
                        real(self, snapshot)
                raise Killed
            real(self, snapshot)

        with monkeypatch.context() as patched:
            patched.setattr(ModelDirectory, "write", write)
            with pytest.raises(Killed):
                fitting.resume(tmp_path / "killed", every=60.0, threads=1)
        ModelDirectory(tmp_path / "killed").read()
    fitting.resume(tmp_path / "killed", every=60.0, threads=1)
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")


def best_before_last():
    """Documents of which the best run to the end is not the last that is made, and the parameters."""
    counts = plant_topics(n_documents=150, n_topics=12, n_words=80, length=60, eta=0.5, seed=3).counts
    return counts, {"max_iter": 6, "random_state": 0}


def test_no_run_of_a_search_is_made_twice(tmp_path):
    counts, settings = best_before_last()
    begun = []
    watch = {"callbacks": [lambda record: begun.append(record["seconds"]) if record["step"] == 1 else None]}
    model = HDP(**settings, **watch).fit(counts)
    ends = [one for one in model.search_ if one.final]
    assert len(begun) == len(model.search_) == len(set(model.search_))
    assert ends[-1].bound > ends[0].bound, "the model's is told last"
    assert ends[-1].topics > ends[0].topics, "though it was made first"
    last = model.search_[-1]
    assert (last.used, last.bound, last.passes) == (model.n_topics_, model.bound_, model.n_iter_)
    assert len(model.trace_) == last.passes
    alone = HDP(last.topics, eta="learned", **settings).fit(counts)
    np.testing.assert_array_equal(model.components_, alone.components_)
    corpus = Corpus.from_matrix(counts).write(tmp_path / "corpus")
    fitting.begin(PlainHDP(**settings), corpus, tmp_path / "run")
    told = []
    fitting.resume(tmp_path / "run", every=60.0, threads=1, tell=told.append)
    assert len(told) == len(model.search_)
    assert set(told) == set(model.search_)
    made = HDP.load(tmp_path / "run")
    assert made.search_ == model.search_
    assert untimed(made.trace_) == untimed(model.trace_)
    np.testing.assert_array_equal(made.components_, model.components_)


def test_runs_that_do_not_follow_from_each_other_are_refused():
    search = TopicSearch("bound", 1000)
    peak = search.peak(GRID).topics
    over = [*GRID, point(2 * peak, -7.99, final=True, used=peak), point(90, -7.9, final=True)]
    for points in (over, [*GRID, point(90, -7.9, final=True, used=peak)]):
        with pytest.raises(ValueError, match="does not follow"):
            search.settings_of(search.chosen(points), points)


def test_a_search_that_lost_its_best_run_makes_it_again(tmp_path):
    """One that goes on in another process, which does not have it, ends as others do."""
    counts, settings = best_before_last()
    corpus = Corpus.from_matrix(counts).write(tmp_path / "corpus")
    for name in ("whole", "parts"):
        fitting.begin(PlainHDP(schedule="batch", **settings), corpus, tmp_path / name)
    done = fitting.resume(tmp_path / "whole", every=60.0, threads=1)
    assert done[1].seed == 0
    stops = 0
    while True:
        watch = StopAfter(5)
        try:
            fitting.resume(tmp_path / "parts", every=0.0, threads=2, watch=[watch], stopper=watch.take)
        except Interrupted:
            stops += 1
            continue
        break
    assert stops >= 5
    assert contents(tmp_path / "parts") == contents(tmp_path / "whole")


GOOD = point(20, -8.0).to_json()


@pytest.mark.parametrize(
    "held",
    [
        {},
        [3],
        [{**GOOD, "topics": 0}],
        [{**GOOD, "used": -1}],
        [{**GOOD, "bound": "low"}],
        [{**GOOD, "held_out": True}],
        [{**GOOD, "final": 1}],
        [{**GOOD, "more": 1}],
        [{name: value for name, value in GOOD.items() if name != "passes"}],
    ],
)
def test_runs_of_a_search_of_others_are_looked_at(held, tmp_path):
    with pytest.raises(ValueError):
        points_from(held)
    assert points_from([GOOD]) == (point(20, -8.0),)
    HDP(**BRIEF).fit(planted_corpus().counts).save(tmp_path / "m")
    manifest = json.loads((tmp_path / "m/model.json").read_bytes())
    del manifest["digest"]
    (tmp_path / "m/model.json").write_bytes(encoded({**manifest, "search": held}))
    with pytest.raises(UserError) as error:
        HDP.load(tmp_path / "m")
    assert "\n" not in str(error.value)
