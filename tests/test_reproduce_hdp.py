"""The generators, the scorer, the runs and the page of the HDP's reproduction, at tiny size."""

import sys

import numpy as np
import pytest

from stickbreaker import Corpus
from stickbreaker.topics.model.priors.hdp import HDPPrior

pytestmark = pytest.mark.usefixtures("reproduction")


def test_bars_are_rows_and_columns():
    from reproduce.hdp_data import bars

    world = bars(0.05)
    assert world.topics.shape == (20, 100)
    squares = world.topics.reshape(20, 10, 10)
    assert all((squares[k, k] == 0.1).all() and squares[k].sum() == pytest.approx(1) for k in range(10))
    assert all((squares[10 + k][:, k] == 0.1).all() for k in range(10))
    assert world.topics.sum(axis=1) == pytest.approx(1)
    assert world.alpha.sum() == pytest.approx(1)


def test_words_are_drawn_from_the_topics_of_their_tokens():
    from reproduce.hdp_data import World, draw

    apart = np.kron(np.eye(3), np.array([0.2, 0.3, 0.5]))  # every word has one topic
    batch = draw(World(apart, np.array([0.5, 1.0, 2.0]), 40, seed=3), 500, "train")
    by_topic = np.asarray(batch.counts.sum(axis=0)).reshape(3, 3)
    np.testing.assert_array_equal(by_topic.sum(axis=1), batch.topic_tokens)
    assert (np.asarray(batch.counts.sum(axis=1)) == 40).all()
    np.testing.assert_allclose(by_topic.sum(axis=1) / 20_000, np.array([0.5, 1, 2]) / 3.5, atol=0.05)
    np.testing.assert_allclose(
        by_topic / by_topic.sum(axis=1, keepdims=True), [[0.2, 0.3, 0.5]] * 3, atol=0.03
    )


def test_a_draw_depends_on_its_purpose_and_number_alone():
    from reproduce.hdp_data import bars, draw

    world = bars(0.05, side=4, length=20)
    first = draw(world, 5, "stream", 2).counts
    draw(world, 5, "stream", 1)
    assert (first != draw(world, 5, "stream", 2).counts).nnz == 0
    for other in (draw(world, 5, "stream", 3), draw(world, 5, "test", 2)):
        assert (first != other.counts).nnz > 0


def test_weights_of_the_prior_are_sticks():
    from reproduce.hdp_data import LEFT, hdp

    gamma = 3.0
    worlds = [hdp(gamma, 2.0, 0.5, 4, 10, seed) for seed in range(400)]
    weights = [world.alpha / 2.0 for world in worlds]
    assert all(one.sum() == pytest.approx(1.0, abs=1e-12) and (one >= 0).all() for one in weights)
    assert all(world.topics.sum(axis=1) == pytest.approx(1.0) for world in worlds)
    assert np.mean([(one**2).sum() for one in weights]) == pytest.approx(1 / (1 + gamma), rel=0.06)
    sticks = np.log(1 / LEFT) * gamma + 1  # breaks until so little is left are Poisson, and one more
    assert np.mean([len(one) for one in weights]) == pytest.approx(sticks, rel=0.03)


def test_topics_are_in_use_by_the_rule_of_the_library():
    from reproduce.hdp_data import in_use

    generator = np.random.default_rng(0)
    for _ in range(20):
        tokens = np.round(generator.gamma(0.1, 10_000.0, 30))
        np.testing.assert_array_equal(in_use(tokens), HDPPrior(30).in_use(tokens))


def test_the_score_is_that_of_the_definition():
    from reproduce.hdp_scoring import Scorer

    counts = np.array([[6, 5, 9, 0], [0, 10, 0, 20]])
    topics = np.array([[0.25, 0.75, 0.0, 0.0], [0.0, 0.0, 0.4, 0.6]])  # no word has two topics
    scorer = Scorer(Corpus.from_matrix(counts), alpha=3.0)
    nats = tokens = 0.0
    for document in range(2):
        seen, rest = np.zeros(4), np.zeros(4)
        for bags, out in ((scorer.seen, seen), (scorer.rest, rest)):
            place = slice(bags.offsets[document], bags.offsets[document + 1])
            out[bags.words[place]] = bags.counts[place]
        np.testing.assert_array_equal(seen + rest, counts[document])
        assert seen.sum() == 0.8 * counts[document].sum()
        gamma = 1.5 + np.array([seen[:2].sum(), seen[2:].sum()])
        words = gamma / gamma.sum() @ topics
        nats += float((rest * np.log(words)).sum())
        tokens += rest.sum()
    assert scorer.score(topics) == pytest.approx(nats / tokens, rel=1e-6)
    assert scorer.score(7 * topics) == pytest.approx(nats / tokens, rel=1e-6)
    assert scorer.score(np.ones((1, 4))) == pytest.approx(-np.log(4))
    frequencies = (counts.sum(axis=0) + 0.01) / (50 + 0.04)
    expected = (scorer.rest.counts * np.log(frequencies[scorer.rest.words])).sum() / tokens
    assert scorer.unigram(Corpus.from_matrix(counts)) == pytest.approx(expected)


def test_true_topics_score_best():
    from reproduce.hdp_data import bars, draw
    from reproduce.hdp_scoring import Scorer

    world = bars(0.1, side=4, length=60)
    scorer = Scorer(Corpus.from_matrix(draw(world, 60, "test").counts), float(world.alpha.sum()))
    truth = scorer.score(world.topics)
    assert truth > scorer.score(world.topics[:4]) + 0.3  # the columns are missing
    assert truth > scorer.score(0.8 * world.topics + 0.2 / 16) + 0.05


def test_scoring_on_the_way_does_not_disturb_a_run():
    from reproduce.hdp_data import bars, draw
    from reproduce.hdp_runs import BATCH, GIBBS, ONLINE, Curve, estimator, follow
    from reproduce.hdp_scoring import Scorer

    world = bars(0.1, side=3, length=30)
    train = Corpus.from_matrix(draw(world, 64, "train").counts)
    scorer = Scorer(Corpus.from_matrix(draw(world, 10, "test").counts), 1.0)
    for method in (ONLINE, BATCH, GIBBS):
        curve = follow(Curve("toy", method, 4, 1), train, scorer, batch=16, passes=3)
        alone = estimator(method, 4, 1, batch=16, passes=3).fit(train)
        assert curve.held_out[-1] == scorer.score(alone.topic_word_)
        assert (curve.documents[-1], curve.used[-1]) == (192, alone.n_topics_)
        assert curve.documents == sorted(set(curve.documents))
        lengths = {len(getattr(curve, name)) for name in ("seconds", "held_out", "used", "large", "splits")}
        assert lengths == {len(curve.documents)}


def test_split_merge_runs_count_their_edits():
    from reproduce.hdp_data import bars, draw
    from reproduce.hdp_runs import MEMOISED, Curve, follow
    from reproduce.hdp_scoring import Scorer

    world = bars(0.1, side=3, length=50)
    train = Corpus.from_matrix(draw(world, 200, "train").counts)
    scorer = Scorer(Corpus.from_matrix(draw(world, 20, "test").counts), 0.6)
    curve = follow(Curve("toy", MEMOISED, 2, 0), train, scorer, batch=200, passes=12)
    assert curve.splits[-1] > 0
    assert curve.used[-1] <= 2 + curve.splits[-1] - curve.merges[-1]
    assert curve.held_out[-1] > curve.held_out[0] + 0.1
    assert 0 < len(curve.divided) <= curve.splits[-1]
    for split in curve.divided:
        assert 0 < split["seen"] <= curve.documents[-1]
        assert len(split["words"]) == len(split["shares"]) == 2
        first = [set(words[:3]) for words in split["words"]]
        assert first[0] != first[1], "bars have three words, and two bars share one at most"
        assert set(split["before"]) & set(split["words"][0])
        assert set(split["before"]) & set(split["words"][1])


def test_a_stream_comes_again_in_the_second_pass_and_is_learned_from():
    from reproduce.hdp_data import hdp
    from reproduce.hdp_stream import Size, measure, section, stream_of

    size = Size(60, 1.5, 20, 20, 30, gamma=1.0, start=2, fixed=(3, 5))
    world = hdp(1.0, 5.0, 0.1, 30, 25, seed=0)
    batches = list(stream_of(world, size))
    assert [batch.shape for batch in batches] == [(20, 30)] * 4
    assert (batches[0] != batches[3]).nnz == 0
    assert (batches[0] != batches[1]).nnz > 0
    data = measure(False, size)
    assert [run["documents"] for run in data["runs"]] == [[20.0, 40.0, 60.0, 80.0]] * 3
    assert len(section(data).blocks) == 7


def test_claims_say_what_came():
    from reproduce.hdp_bars import FIXED, STARTS, section
    from reproduce.hdp_runs import MEMOISED, ONLINE, PAPER, Curve
    from reproduce.pages import Table

    def run(method, start, score, used):
        points = {"documents": [1.0, 3.0, 4.0], "seconds": [1.0] * 3, "held_out": [-4.0, score, score]}
        counts = dict.fromkeys(("large", "splits", "merges"), [0] * 3)
        return vars(Curve("sparse bars", method, start, 0, **points, used=[start, used, used], **counts))

    def holds(missed):
        runs = [run(MEMOISED, start, -3.0005, 20) for start in STARTS]
        runs += [run(PAPER, start, -3.1 if start in missed else -3.0, 20) for start in STARTS]
        runs += [run(ONLINE, start, -3.05, start + 1) for start in FIXED]
        blocks = section({"sparse": {"truth": -3.0, "unigram": -4.0, "runs": runs}}).blocks
        table = blocks[-1]
        assert isinstance(table, Table)
        return [row[-1] for row in table.rows]

    assert holds(()) == [True, True, True, True, True, True]
    assert holds((2, 5)) == ["in 6 of 8", True, True, True, False, True]
    assert holds(STARTS) == [False, True, True, True, False, True]


def test_parts_are_chosen_by_name_and_those_without_corpora_left_out(monkeypatch, tmp_path, capsys):
    from reproduce import texts
    from reproduce.pages import Section, Table
    from reproduce.parts import Part, Study, main

    def part(needs):
        def section(data):
            return Section("a < b", [Table(("full",), [[data["full"]]])])

        return Part(needs, (3, 300), lambda full: {"full": full}, section)

    study = Study("toy", "Toy", lambda dates: [dates], {"one": part(()), "two": part(("NIPS",))})
    monkeypatch.setattr(texts, "DATA", tmp_path / "nowhere")
    monkeypatch.setattr(sys, "argv", ["toy", "--full", "--out", str(tmp_path / "out")])
    main(study, "")
    told = capsys.readouterr().out
    assert "MISSING: NIPS" in told
    assert "left out: two\none: about 5 hours on two idle cores" in told
    assert "| yes |" in told
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["toy.html", "toy.json", "toy.md"]
    assert "a &lt; b" in (tmp_path / "out/toy.html").read_text(encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["toy", "three"])
    with pytest.raises(SystemExit):
        main(study, "")
    assert "there is no part 'three'; the parts are one, two" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", ["toy", "two"])
    with pytest.raises(SystemExit, match="nothing to do"):
        main(study, "")


def test_every_part_has_a_section_and_the_page_is_made(tmp_path):
    from reproduce.hdp import STUDY
    from reproduce.hdp_prior import Size, measure
    from reproduce.parts import write

    data = measure(False, Size((1.0,), (0,), 60, 10, 40, 3))
    write(STUDY, tmp_path, {"dates": {"prior": "2026-11-21"}, "parts": {"prior": data}})
    text = (tmp_path / "hdp.md").read_text(encoding="utf-8")
    world = data["worlds"][0]
    assert f"| 1 | 0 | {world['runs'][0]['start']} | {world['true']} |" in text
    assert set(STUDY.parts) == {"bars", "nips", "nips-long", "stream", "auto", "prior"}


@pytest.mark.slow
def test_the_part_about_the_number_of_topics_is_measured_and_told(tmp_path, monkeypatch):
    from reproduce import hdp_auto
    from reproduce.hdp import STUDY
    from reproduce.parts import write

    monkeypatch.setattr(hdp_auto, "texts", lambda name: ["river bank boat", "money bank loan"] * 30)
    size = hdp_auto.Size({"toy": 40}, (0, 1), (2,), (3,), (0,), 60)
    data = hdp_auto.measure(False, size)
    assert [run["judge"] for run in data["texts"]["toy"]["runs"]] == ["bound"] * 2 + ["held-out"] * 2 + [
        "from 2"
    ]
    assert [run["true"] for run in data["planted"]] == [20, 20, 3]
    assert all(run["search"] > 0.0 < run["last"] for run in data["planted"])
    write(STUDY, tmp_path, {"dates": {"auto": "2026-11-23"}, "parts": {"auto": data}})
    assert "search against the last run" in (tmp_path / "hdp.md").read_text(encoding="utf-8")


def test_draws_of_a_number_of_topics_have_none_too_small_to_be_known():
    from reproduce.hdp_auto import LEAST, hdp_of

    for n_topics in (5, 37):
        world = hdp_of(n_topics, seed=1)
        assert len(world.topics) == len(world.alpha) == n_topics
        assert (world.alpha / world.alpha.sum()).min() >= LEAST


def test_a_number_is_near_within_a_tenth_or_one():
    from reproduce.hdp_prior import near

    assert near(22, 20)
    assert not near(23, 20)
    assert near(3, 2)
    assert not near(4, 2)
