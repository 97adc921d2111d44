"""The texts, runs and page of the topic n-grams' reproduction, at tiny size."""

import gzip
import json
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("reproduction")

LINES = {
    "a": ("the old man saw the sea .", "the sea was old in 1952 .", "a man sat by the sea and saw it ."),
    "b": ("the stocks fell in 1952 .", "bonds rose and stocks fell .", "the bonds of the old bank rose ."),
}


def lines_of(number):
    generator = np.random.default_rng(number)
    lines = LINES["ab"[number % 2]]
    return [lines[place] for place in generator.integers(0, len(lines), 12)]


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Tiny corpora where ../shared would be."""
    from reproduce import ngram_texts, texts, topic_ngram_texts

    for name, rows in {
        "brown/brown": [{"label": "ab"[n % 2], "text": "\n".join(lines_of(n))} for n in range(12)],
        "nips-text/docs": [{"text": "Networks learn.\nThey learn 10 bits!\n" * (n + 3)} for n in range(8)],
    }.items():
        path = tmp_path / f"{name}.jsonl.gz"
        path.parent.mkdir()
        path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    (tmp_path / "wikitext-2").mkdir()
    for number, part in enumerate(("train", "valid", "test")):
        text = f" = {part} = \n" + "".join(f" {line} <unk> . \n\n" for line in lines_of(number) * 3)
        (tmp_path / f"wikitext-2/{part}.txt.gz").write_bytes(gzip.compress(text.encode()))
    monkeypatch.setattr(texts, "DATA", tmp_path)
    monkeypatch.setattr(ngram_texts, "DATA", tmp_path)
    monkeypatch.setattr(topic_ngram_texts, "PAPERS", (6, 2))
    monkeypatch.setattr(topic_ngram_texts, "SENTENCES", 20)


def tiny(**settings):
    from reproduce.topic_ngram_parts import Size

    held = {"topics": (2, 3), "middle": 2, "table": 2, "sweeps": 6, "language": 6, "lda": 4, "early": 2}
    return Size(**{**held, "times": 2, "naive": 8, "samples": 2, **settings})


def plan_of(model, **settings):
    from reproduce.topic_ngram_runs import Plan

    held = {"text": "Brown", "number": 0, "topics": 2, "order": 3, "sweeps": 6, "samples": 2}
    return Plan(model=model, **{**held, **settings})


def test_a_text_is_cut_every_hundred_sentences(data):
    from reproduce.topic_ngram_texts import WIKITEXT, cut_every, text_of

    documents = cut_every(["= A =", *[f"word{n} and more ." for n in range(201)]], 100)
    assert [len(each.sentences) for each in documents] == [100, 100, 1]
    text = text_of(WIKITEXT, 0)
    assert [text.train.n_documents, text.test.n_documents] == [4, 4]
    assert "train" not in text.train.vocabulary.words


def test_splits_of_brown_are_those_of_the_language_models(data):
    from reproduce.ngram_texts import PROTOTYPE, brown
    from reproduce.topic_ngram_texts import BROWN, text_of

    for number, split in enumerate(brown((0, 1), PROTOTYPE)):
        text = text_of(BROWN, number)
        assert [each.id for each in text.split.parts["test"]] == [each.id for each in split.parts["test"]]
        sizes = text.sizes()
        assert sizes.parts["test"] == len(text.documents().words)
        assert sizes.train == sum(len(each.tokens) + len(each.sentences) for each in split.train)


def test_a_run_is_what_the_model_scores(data):
    from reproduce.topic_ngram_runs import HPYLM, PRIORS, Run, learn
    from reproduce.topic_ngram_texts import text_of

    from stickbreaker import NgramModel, TopicNgramModel

    text = text_of("Brown", 0)
    for name in (HPYLM, *PRIORS):
        run = learn(plan_of(name, early=2, topics=2 if name in PRIORS else 0))
        settings = {"min_count": 1, "max_iter": 6, "samples": 2, "random_state": 0}
        if name in PRIORS:
            prior, moves = PRIORS[name]
            model = TopicNgramModel(2, prior=prior, moves=moves, **settings).fit(text.train)
        else:
            model = NgramModel(**settings).fit(text.train)
        nats, events = model.learned_.log_probability(text.test.with_vocabulary(model.vocabulary_))
        assert run.perplexity == pytest.approx(np.exp(-nats / events))
        assert (sum(run.nats), sum(run.words)) == (pytest.approx(nats), events)
        assert run.averaged >= run.perplexity  # Jensen
        early = learn(plan_of(name, sweeps=2, samples=1, topics=run.plan.topics))
        assert run.early == pytest.approx(early.perplexity)
        assert 0 < run.contexts <= run.rooms
        assert Run.from_json(json.loads(json.dumps(run))) == run


def test_rescaling_is_the_library_s_and_each_sample_s_own(data):
    from reproduce.topic_ngram_rescaling import nats_by_sample, rescaled
    from reproduce.topic_ngram_texts import text_of

    from stickbreaker import LDA, NgramModel

    text = text_of("Brown", 0)
    settings = {"min_count": 1, "max_iter": 6, "random_state": 0}
    model = NgramModel(samples=3, **settings).fit(text.train)
    found = rescaled(model, text, topics=2, sweeps=4, naive=5)
    assert found.own.shape == (3, len(found.mean))
    assert found.naive > 0.0
    topics = LDA(
        2, inference="gibbs", alpha="learned", eta="learned", max_iter=4, random_state=0, n_jobs=1
    ).fit(text.train)
    test = text.test.with_vocabulary(model.vocabulary_)
    assert np.exp(-found.mean.mean()) == pytest.approx(model.rescaled_perplexity(test, topics))
    single = NgramModel(samples=1, **settings).fit(text.train)
    own = nats_by_sample(single.learned_.rescaling(topics), test)
    assert own[0] == pytest.approx(rescaled(single, text, topics=2, sweeps=4, naive=0).mean)


def test_runs_that_are_followed_are_not_repeated():
    from reproduce.topic_ngram_parts import FULL, SHORT, cost, plans_of
    from reproduce.topic_ngram_runs import HPYLM, HPYTM, TOKENS

    plans = plans_of("Brown", SHORT)
    assert len(set(plans)) == len(plans) == 1 + 5 * 3 + 1 + 1
    assert {plan.model for plan in plans if plan.follow} == {TOKENS, HPYTM}
    assert sum(plan.model == HPYTM for plan in plans) == 3
    assert max(plans, key=cost).model == HPYLM
    assert {plan.number for plan in plans_of("Brown", FULL["Brown"])} == {0, 1, 2}


@pytest.mark.slow
def test_all_parts_are_measured_and_written(data, tmp_path, monkeypatch, capsys):
    from reproduce import topic_ngram_parts, topic_ngrams
    from reproduce.parts import main

    sizes = {
        "brown": tiny(splits=2, longer=topic_ngram_parts.LONGER, curves=(3, 4)),
        "nips": tiny(topics=(2,)),
        "wikitext": tiny(topics=(2,), longer=()),
    }
    study = topic_ngrams.STUDY
    study = study._replace(
        parts={
            name: part._replace(measure=lambda full, name=name, part=part: part.measure(full, sizes[name]))
            for name, part in study.parts.items()
        }
    )
    monkeypatch.delenv("FULL", raising=False)
    monkeypatch.setattr(sys, "argv", ["topic_ngrams", "--out", str(tmp_path / "out")])
    main(study, "")
    printed = capsys.readouterr().out
    assert "left out: nips, which runs with FULL=1 only\nleft out: wikitext" in printed
    monkeypatch.setattr(
        sys, "argv", ["topic_ngrams", "nips", "wikitext", "--full", "--out", f"{tmp_path}/out"]
    )
    main(study, "")
    text = (tmp_path / "out/topic-ngrams.md").read_text(encoding="utf-8")
    titles = [line for line in text.split("\n") if line.startswith("## ")]
    assert titles == ["## Brown", "## NIPS", "## WikiText-2"]
    for said in (
        "after 2 sweeps, one state, SWITCHING is 0.90 times HPYLM at most",
        "HIERARCHICAL is below HPYTM, by the mean of probabilities",
        "SWITCHING is below RESCALING, by the mean of the samples' perplexities",
        "million words per CPU second",
        "| HPYLM, unbounded |",
        "| SWITCHING, K = 2, n = 4 |",
        "Figure 5",
        "Table 3",
        "Table 4",
    ):
        assert said in text, said
    assert sorted(path.suffix for path in (tmp_path / "out").iterdir()) == [".html", ".json", ".md"]


def test_aims_say_what_came():
    from reproduce.topic_ngram_claims import early, unbounded
    from reproduce.topic_ngram_runs import HPYLM, HPYTM, SWITCHING, Run

    def run(model, early, rooms=100, order=3):
        plan = plan_of(model, topics=0 if model == HPYLM else 2, order=order, early=2)
        return Run(plan, 150.0, [151.0, 153.0], early, [-9.0], [2], 1.0, 1.0, 50, rooms, 9, [], {})

    runs = [run(HPYLM, 200.0), run(SWITCHING, 179.0), run(HPYTM, 191.0)]
    assert [row[-1] for row in early(runs)] == [True, False]
    runs += [run(SWITCHING, None, 59, "unbounded"), run(HPYTM, None, 61, "unbounded")]
    assert [row[-1] for row in unbounded(tiny(), runs)] == [True, False, True, True]


def test_without_the_corpora_all_parts_are_left_out(monkeypatch, tmp_path, capsys):
    from reproduce import texts
    from reproduce.parts import main
    from reproduce.topic_ngrams import STUDY

    monkeypatch.setattr(texts, "DATA", tmp_path / "nowhere")
    monkeypatch.setattr(sys, "argv", ["topic_ngrams", "--full", "--out", str(tmp_path / "out")])
    with pytest.raises(SystemExit, match="nothing to do"):
        main(STUDY, "")
    printed = capsys.readouterr().out
    assert "MISSING: Brown: " in printed
    assert "left out: wikitext" in printed
