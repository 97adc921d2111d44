"""The search for the number of topics: what it finds, what it keeps, and that it goes on where it stopped."""

import json

import numpy as np
import pytest
from tests.tiers import sampled

from stickbreaker import HDP, Corpus, Hybrid, Online, UserError
from stickbreaker.engines import Interrupted
from stickbreaker.estimators import model_runs
from stickbreaker.estimators.search import with_last
from stickbreaker.saved import ModelDirectory
from stickbreaker.saved.manifest import encoded
from stickbreaker.testing import plant_topics
from stickbreaker.testing.estimators import StopAfter, begin, contents, untimed
from stickbreaker.testing.planted import matched
from stickbreaker.topics.search.search_points import SHORT, WHOLE, SearchPoint, points_from
from stickbreaker.topics.search.search_range import range_of
from stickbreaker.topics.search.topic_search import TopicSearch

BRIEF = {"max_iter": 3, "random_state": 0}


def planted_corpus(n_topics=4, n_documents=120, **settings):
    given = {"n_words": 80, "length": 60, "seed": 3, **settings}
    return plant_topics(n_documents=n_documents, n_topics=n_topics, **given)


def corpus_at(path):
    return Corpus.from_matrix(planted_corpus().counts).write(path)


@pytest.mark.slow
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
    short = [one for one in model.search_ if not (one.final or one.checks)]
    last = model.search_[-1]
    assert len({point.topics for point in short}) == len(short) >= 3
    assert short[0].topics == 100, "one for four documents"
    assert last.final
    assert last.used == model.n_topics_
    assert (last.bound, last.passes) == (model.bound_, model.n_iter_)
    assert last.bound >= max(point.bound for point in short)


@pytest.mark.slow
def test_the_planted_number_of_dense_topics_is_found():
    """Each has most of the words. From ten topics the bound is below that of a single topic."""
    planted = plant_topics(400, 15, n_words=120, length=80, alpha=2 / 15, eta=0.5, seed=3)
    model = HDP(random_state=0).fit(planted.counts)
    assert model.n_topics_ == 15
    assert matched(model.topic_word_, planted.topics)[1].min() > 0.8
    found = model.learned_.search_range
    assert (found.fewest, found.most, found.of) == (15, 15, WHOLE)
    assert not found.at_most


def test_a_run_of_the_grid_is_a_run_of_its_own():
    X = planted_corpus().counts
    model = HDP(**BRIEF).fit(X)
    assert len({point.topics for point in model.search_ if not point.final}) >= 3
    for point in model.search_[:2]:
        alone = HDP(point.topics, eta="learned", tol=0.0, **BRIEF).fit(X)
        assert (alone.n_topics_, alone.bound_) == (point.used, point.bound)


def test_a_number_given_is_one_run():
    model = HDP(4, **BRIEF).fit(planted_corpus().counts)
    assert model.search_ == ()
    assert model.n_topics_range_ is None
    assert model.eta_ == 0.01


def point(topics, score, final=False, used=None):
    return SearchPoint(topics, used or topics, score, None, 15, final)


GRID = [point(k, score) for k, score in ((20, -8.0), (10, -8.05), (5, -8.15), (40, -8.02), (80, -8.1))]


def short_run(topics):
    return {"n_topics": topics, "max_iter": 10, "tol": 0.0}


def by_bound(most=1000):
    """A search that tries so many topics at most."""
    return TopicSearch("bound", (4 if most <= 160 else 10) * most, 200.0 * most)


def test_short_runs_go_down_from_many_topics_until_the_bound_falls():
    search, points = by_bound(), []
    for topics, score, used in ((160, -8.02, 110), (80, -8.00, 70), (40, -8.004, 37), (20, -8.01, 19)):
        assert search.next_settings(points) == short_run(topics)
        points.append(point(topics, score, used=used))
    assert search.next_settings(points) == {"n_topics": 40}, "the smallest that is as good as the best"
    points.append(point(40, -7.99, final=True, used=36))
    assert search.next_settings(points) == {"n_topics": 80}, "and twice that"
    for bound in (-7.985, -7.995):
        ended = [*points, point(80, bound, final=True, used=66)]
        assert search.next_settings(ended) is None
        assert search.chosen(ended) is max(ended[-2:], key=lambda one: one.bound)


def test_short_runs_go_down_to_one_topic_but_not_below_the_number_in_use():
    search = by_bound(20)
    points = [point(topics, -8.0, used=1) for topics in (20, 10, 5, 2, 1)]
    for n in range(5):
        assert search.next_settings(points[:n]) == short_run(points[n].topics)
    assert search.next_settings(points) == {"n_topics": 1}
    points = [point(20, -8.0, used=8), point(10, -8.0, used=7), point(5, -8.0, used=6)]
    assert search.next_settings(points) == {"n_topics": 10}, "5 topics were split: moves start from above"


@pytest.mark.parametrize(("topics", "used", "half"), [(40, 20, 20), (41, 20, 20), (2, 1, 1)])
def test_short_runs_go_down_if_half_of_the_topics_are_in_use(topics, used, half):
    """Even if a larger number is better by far."""
    points = [point(2 * topics, -8.0), point(topics, -9.0, used=used)]
    assert by_bound().next_settings(points) == short_run(half)
    points = [point(2 * topics, -8.0), point(topics, -9.0, used=half + 1)]
    assert by_bound().next_settings(points) != short_run(half)


def test_short_runs_go_up_only_from_a_best_run_that_keeps_its_topics():
    for bound, used, most, following in (
        (-8.0, 120, 1000, 320),
        (-8.0, 119, 1000, None),
        (-8.0, 150, 300, None),
        (-8.03, 150, 1000, None),
    ):
        search = by_bound(most)
        points = [point(160, bound, used=used), point(80, -8.02, used=75), point(40, -8.1)]
        after = search.next_settings(points)
        assert ("max_iter" in after) == (following is not None)
        if following:
            assert after == short_run(following)
            points.append(point(320, -8.01, used=200))
            assert search.next_settings(points) == {"n_topics": 160}


def test_few_documents_have_few_topics():
    assert TopicSearch("bound", 100, 1e6).next_settings([]) == short_run(25)
    assert TopicSearch("bound", 10_000, 1e4).next_settings([]) == short_run(50)
    assert TopicSearch("bound", 100, 300.0).next_settings([]) == short_run(20), "of any length"
    assert TopicSearch("bound", 10_000, 1e6).next_settings([]) == short_run(160)
    assert by_bound(12).next_settings([]) == short_run(12)
    assert by_bound(1).next_settings([]) == short_run(1)
    assert by_bound(1).next_settings([point(1, -8.0)]) == {"n_topics": 1}
    assert by_bound(1).next_settings([point(1, -8.0), point(1, -8.0, final=True)]) is None


def test_documents_held_out_judge_no_moves():
    search = TopicSearch("held-out", 4000, 1e6)
    grid = [SearchPoint(one.topics, one.used, -9.0, one.bound, 15, False) for one in GRID]
    first = {"n_topics": 20, "max_iter": 15, "tol": 0.0, "moves": None, "schedule": "batch"}
    assert search.next_settings([]) == first
    last = search.next_settings(grid)
    assert last == {"n_topics": 24, "moves": None, "schedule": "batch"}, "the peak of a parabola"
    end = [*grid, SearchPoint(22, 22, -9.0, -7.99, 30, True)]
    assert search.next_settings(end) is None
    found = range_of("held-out", end)
    assert found.of == SHORT
    assert 10 < found.fewest < 20 < found.most < 40


def weak_topics(documents=400, topics=20, words=600, length=60, common=0.7, seed=0):
    """Documents most of whose words come from one distribution that all share."""
    generator = np.random.default_rng(seed)
    shared = generator.dirichlet(np.full(words, 0.5))
    own = generator.dirichlet(np.full(words, 0.02), topics)
    shares = generator.dirichlet(np.full(topics, 1 / topics), documents)
    return np.array(
        [generator.multinomial(length, common * shared + (1 - common) * one @ own) for one in shares]
    )


PREDICTED = {1: -8.0, 2: -7.9, 5: -7.85, 10: -7.82, 20: -7.803, 40: -7.80, 80: -7.81, 160: -7.83}
FEW = [
    point(20, -8.0, used=2),
    point(10, -8.1),
    point(20, -7.99, final=True, used=2),
    point(40, -8.0, True, 2),
]


def check(topics, score, used=None, final=False):
    """A run with documents held out."""
    return SearchPoint(topics, used or topics, -8.3, score, 15, final, checks=True)


def checked(search, score, points=FEW):
    """The runs of a search and its check; the bound's choice predicts documents held out by `score`."""
    points = [*points]
    passes = max((one for one in points if one.final), key=lambda one: one.bound).passes
    first = {"n_topics": 20, "max_iter": passes, "tol": 0.0, "judge": "held-out"}
    assert search.next_settings(points) == first, "with moves"
    points.append(check(20, score, used=2))
    while "max_iter" in (settings := search.next_settings(points) or {}):
        assert (settings["moves"], settings["max_iter"]) == (None, 15)
        points.append(check(settings["n_topics"], PREDICTED[settings["n_topics"]]))
    return points


def test_a_bound_that_asks_for_few_topics_is_checked_by_documents_held_out():
    search = by_bound()
    assert search.held_out(FEW[:3], 0.0) == 0.0
    points = checked(search, -7.9)
    assert [one.topics for one in points[5:]] == [20, 10, 5, 40, 80, 160]
    assert all(search.held_out(points[:n], 0.1 * (n > 4)) == 0.1 for n in range(4, len(points)))
    assert search.held_out(points, 0.1) == 0.0, "the last run learns from all"
    settings = search.next_settings(points)
    assert settings == {"n_topics": 34, "moves": None, "schedule": "batch", "judge": "held-out"}
    points.append(check(34, None, used=30, final=True))
    assert search.next_settings(points) is None
    assert search.chosen(points) is points[-1]
    found = range_of("bound", points)
    assert (found.of, found.few) == (SHORT, 2)
    assert found.fewest <= 30 < 34 < found.most


def test_documents_held_out_that_are_not_clearly_better_change_nothing():
    search = by_bound()
    points = checked(search, -7.815)
    assert search.next_settings(points) is None
    assert search.chosen(points) is points[2]
    ended = with_last(points, points[2])
    assert range_of("bound", ended)[:-1] == range_of("bound", with_last(FEW, FEW[2]))[:-1]
    assert range_of("bound", ended)[:3] == (2, 2, WHOLE)
    assert not range_of("bound", ended).unchecked
    assert range_of("bound", with_last(FEW, FEW[2])).unchecked, "nothing was held out"


def test_documents_that_the_user_holds_out_check_the_bound_too():
    search = by_bound()
    points = [SearchPoint(one.topics, one.used, one.bound, -7.9, 10, one.final) for one in FEW]
    points = checked(search, -7.9, points)
    assert all(search.held_out(points[:n], 0.3) == 0.3 for n in range(len(points) + 1))


def test_a_bound_is_not_checked_if_it_asks_for_many_or_documents_are_few():
    many = [*FEW[:2], point(20, -7.99, final=True, used=11), FEW[3]]
    assert by_bound().next_settings(many) is None
    short = [point(15, -8.0, used=2), point(7, -8.1)]
    assert by_bound(15).next_settings([*short, point(15, -8.0, True, 2), point(7, -8.0, True, 2)]) is None
    assert by_bound().next_settings([*FEW, check(20, None, used=2)]) is None, "nothing could be predicted"


@pytest.mark.slow
def test_topics_that_the_bound_does_not_ask_for_are_found(tmp_path):
    """And a search that goes over to documents held out continues where it stopped, as any does."""
    corpus = Corpus.from_matrix(weak_topics()).write(tmp_path / "corpus")
    model = HDP(random_state=0, max_iter=4).fit(corpus)
    found = model.learned_.search_range
    assert found.few < 10 < model.n_topics_
    held = round(model.components_.sum() - model.eta_ * model.components_.size)
    assert held == pytest.approx(corpus.n_tokens, rel=0.01), "the last run learns from all"
    for name in ("whole", "parts"):
        begin(HDP(max_iter=4, random_state=0), corpus, tmp_path / name)
    model_runs.resume(tmp_path / "whole", every=60.0, threads=1)
    assert HDP.load(tmp_path / "whole").search_ == model.search_
    assert ModelDirectory(tmp_path / "whole").manifest()["held_out"] == 0.0
    done = 0
    while True:
        watch = StopAfter(7)
        try:
            model_runs.resume(tmp_path / "parts", every=0.0, threads=2, watch=[watch], stopper=watch.take)
        except Interrupted:
            done += 1
            continue
        break
    assert done >= 5
    assert contents(tmp_path / "parts") == contents(tmp_path / "whole")


def test_the_range_is_that_of_runs_to_the_end():
    ends = [point(40, -7.904, final=True, used=36), point(80, -7.9, final=True, used=66)]
    assert range_of("bound", [*GRID, *ends])[:4] == (36, 66, WHOLE, 2)
    assert range_of("bound", [*GRID, *ends]).range == (36, 66)
    alone = range_of("bound", [*GRID, point(40, -7.906, True, 36), ends[1]])
    assert alone.runs == 1
    assert alone.range is None, "one run's own number is no range"


def test_two_runs_go_to_their_end_even_if_the_largest_number_is_best():
    search = by_bound(90)
    points = [point(90, -8.0), point(45, -8.1), point(90, -7.9, True)]
    assert search.next_settings(points) == {"n_topics": 45}
    assert search.next_settings([*points, point(45, -8.0, True)]) is None


def test_documents_held_out_may_choose_any_number_up_to_theirs():
    """Even with a few words per topic; a best number that is the largest of all says so."""
    search = TopicSearch("held-out", 30, 240.0)
    points = []
    while "tol" in (settings := search.next_settings(points)):
        points.append(
            SearchPoint(
                settings["n_topics"], settings["n_topics"], -9.0, -8.0 / settings["n_topics"], 15, False
            )
        )
    assert max(one.topics for one in points) == 30
    assert settings["n_topics"] > 20
    assert range_of("held-out", [*points, SearchPoint(30, 30, -9.0, -0.3, 30, True)]).at_most
    assert not range_of(
        "held-out",
        [*points, SearchPoint(40, 40, -9.0, -0.9, 15, False), SearchPoint(30, 30, -9.0, -0.3, 30, True)],
    ).at_most


def test_a_model_from_the_largest_number_that_was_tried_says_so():
    for used, at_most in ((140, True), (100, False)):
        points = [point(160, -8.0, used=used), point(80, -8.1), point(160, -7.9, final=True, used=used)]
        assert range_of("bound", points).at_most is at_most
    points = [point(160, -8.0, used=140), point(80, -8.0), point(80, -7.9, final=True)]
    assert not range_of("bound", points).at_most


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
    begin(HDP(judge="held-out", **BRIEF), corpus, tmp_path / "run")
    model_runs.resume(tmp_path / "run", every=60.0, threads=1)
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


def in_order(told, model):
    """The runs that were told, as the model has them: its own the last."""
    own = model.search_[-1] if model.search_ else None
    return (*(one for one in told if one != own), *([own] if own else []))


def test_an_interrupted_search_ends_as_others_do(tmp_path):
    """Stopped in the first run, in the step that ends one, in the first of the next, and in the last."""
    corpus = corpus_at(tmp_path / "corpus")
    for name in ("whole", "halves"):
        begin(HDP(schedule="batch", **BRIEF), corpus, tmp_path / name)
    told = []
    model_runs.resume(tmp_path / "whole", every=60.0, threads=1, tell=told.append)
    whole = contents(tmp_path / "whole")
    learned = HDP.load(tmp_path / "whole")
    assert in_order(told, learned) == learned.search_
    total, ends = steps_of(learned.search_)
    assert len(ends) >= 4
    for steps in (2, 2, 1, 4, total - 11):
        watch = StopAfter(steps)
        with pytest.raises(Interrupted):
            model_runs.resume(tmp_path / "halves", every=0.0, threads=2, watch=[watch], stopper=watch.take)
        assert len(ModelDirectory(tmp_path / "halves").read().trace) <= 3
        partly = HDP.load(tmp_path / "halves")  # a model meanwhile: of the run under way
        assert in_order(told[: len(partly.search_)], partly) == partly.search_
    model_runs.resume(tmp_path / "halves", every=60.0, threads=1)
    assert contents(tmp_path / "halves") == whole
    assert HDP(schedule="batch", **BRIEF).fit(corpus).search_ == learned.search_


def test_a_search_that_is_killed_between_two_runs_goes_on(tmp_path, monkeypatch):
    """Before the manifest names the next run the run before is whole, and after it the next is."""
    corpus = corpus_at(tmp_path / "corpus")
    for name in ("whole", "killed"):
        begin(HDP(schedule="batch", **BRIEF), corpus, tmp_path / name)
    model_runs.resume(tmp_path / "whole", every=60.0, threads=1)
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
                model_runs.resume(tmp_path / "killed", every=60.0, threads=1)
        ModelDirectory(tmp_path / "killed").read()
    model_runs.resume(tmp_path / "killed", every=60.0, threads=1)
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")


def best_before_last():
    """Documents of which the best run to the end is not the last that is made, and the parameters."""
    return planted_corpus().counts, {"max_iter": 3, "random_state": 0}


def test_no_run_of_a_search_is_made_twice(tmp_path):
    counts, settings = best_before_last()
    begun = []
    watch = {"callbacks": [lambda record: begun.append(record["seconds"]) if record["step"] == 1 else None]}
    model = HDP(**settings, **watch).fit(counts)
    ends = [one for one in model.search_ if one.final]
    assert len(begun) == len(model.search_) == len(set(model.search_))
    assert ends[-1].bound > ends[0].bound, "the model's is told last"
    assert ends[-1].topics < ends[0].topics, "though it was made first"
    last = model.search_[-1]
    assert (last.used, last.bound, last.passes) == (model.n_topics_, model.bound_, model.n_iter_)
    assert len(model.trace_) == last.passes
    alone = HDP(last.topics, eta="learned", **settings).fit(counts)
    np.testing.assert_array_equal(model.components_, alone.components_)
    corpus = Corpus.from_matrix(counts).write(tmp_path / "corpus")
    begin(HDP(**settings), corpus, tmp_path / "run")
    told = []
    model_runs.resume(tmp_path / "run", every=60.0, threads=1, tell=told.append)
    assert len(told) == len(model.search_)
    assert set(told) == set(model.search_)
    made = HDP.load(tmp_path / "run")
    assert made.search_ == model.search_
    assert untimed(made.trace_) == untimed(model.trace_)
    np.testing.assert_array_equal(made.components_, model.components_)


def test_runs_that_do_not_follow_from_each_other_are_refused():
    search, short = by_bound(), [point(160, -8.0, used=90), point(80, -8.1)]
    over = [*short, point(160, -7.99, final=True), point(320, -7.99, final=True), point(90, -7.9, final=True)]
    for points in (over, [*short, point(90, -7.9, final=True)]):
        with pytest.raises(ValueError, match="does not follow"):
            search.settings_of(search.chosen(points), points)


def test_a_search_that_lost_its_best_run_makes_it_again(tmp_path):
    """One that goes on in another process, which does not have it, ends as others do."""
    counts, settings = best_before_last()
    corpus = Corpus.from_matrix(counts).write(tmp_path / "corpus")
    for name in ("whole", "parts"):
        begin(HDP(schedule="batch", **settings), corpus, tmp_path / name)
    done = model_runs.resume(tmp_path / "whole", every=60.0, threads=1)
    assert done[1].seed == 0
    stops = 0
    while True:
        watch = StopAfter(2)
        try:
            model_runs.resume(tmp_path / "parts", every=0.0, threads=2, watch=[watch], stopper=watch.take)
        except Interrupted:
            stops += 1
            continue
        break
    assert stops >= 5
    assert contents(tmp_path / "parts") == contents(tmp_path / "whole")


GOOD = point(20, -8.0).to_json()


@pytest.mark.parametrize(
    "held",
    sampled(
        [
            {},
            [3],
            [{**GOOD, "checks": 1}],
            [{**GOOD, "topics": 0}],
            [{**GOOD, "used": -1}],
            [{**GOOD, "bound": "low"}],
            [{**GOOD, "held_out": True}],
            [{**GOOD, "final": 1}],
            [{**GOOD, "more": 1}],
            [{name: value for name, value in GOOD.items() if name != "passes"}],
        ],
        3,
    ),
)
def test_runs_of_a_search_of_others_are_looked_at(held, tmp_path):
    with pytest.raises(ValueError):
        points_from(held)
    assert points_from([GOOD]) == (point(20, -8.0),)
    older = {name: value for name, value in GOOD.items() if name != "checks"}
    assert points_from([older]) == (point(20, -8.0),)
    HDP(**BRIEF).fit(planted_corpus().counts).save(tmp_path / "m")
    manifest = json.loads((tmp_path / "m/model.json").read_bytes())
    del manifest["digest"]
    (tmp_path / "m/model.json").write_bytes(encoded({**manifest, "search": held}))
    with pytest.raises(UserError) as error:
        HDP.load(tmp_path / "m")
    assert "\n" not in str(error.value)
