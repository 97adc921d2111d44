"""The runs, the scores, the tables and the page of the open vocabulary's reproduction, at tiny size."""

import numpy as np
import pytest

from stickbreaker import Corpus, Vocabulary
from tests.running import TOPICS

pytestmark = pytest.mark.usefixtures("reproduction")
LATE = ("kayak", "euro", "comet67p")  # words of each topic that come late


def toy(n=120, seed=0):
    """Documents of three planted topics, whose labels they are; new words come in the second half."""
    from reproduce.open_data import Stream

    draw = np.random.default_rng(seed)
    documents, labels = [], []
    for number in range(n):
        topic = int(draw.integers(3))
        words = [*TOPICS[topic], *([LATE[topic]] * 8 if number > n // 2 else [])]
        documents.append([words[draw.integers(len(words))] for _ in range(12)])
        labels.append(f"label {topic}")
    train = tuple(bool(draw.random() < 0.6) for _ in range(n))
    return Stream(
        "toy", documents, tuple(words for topic in TOPICS for words in topic[:5]), tuple(labels), train
    )


def settings(kind, engine="hybrid", prior="0.1", **own):
    from reproduce.open_runs import Settings

    return Settings(kind, engine, prior, 3, 15, **{"concentration": 50.0, "truncation": 60, **own})


def sizes():
    """Every choice of the two kinds of parts, as small as can be."""
    from reproduce import open_coherence, open_newsgroups

    table = open_newsgroups.SHORT._replace(
        batches=(15,), priors=("1/K", "0.1"), topics=3, seeds=(1, 2), sweeps=3, variances=(0.1, 0.5),
        closed=((0.6, 0.01), (0.8, 0.1)), open=((0.6, 50.0, 60, 2), (0.8, 30.0, 40, 4)),
    )  # fmt: skip
    figures = open_coherence.DE_NEWS._replace(
        name="de-news", topics=3, batches=(12, 15), closed=(0.01, 0.1), open=((50.0, 60, 2), (30.0, 40, 4)),
        seeds=(0, 1), sweeps=3, variances=(0.1,), grid=((30.0, 50.0), (40, 60), (2, 4), (0.6, 0.8), (64.0,)),
    )  # fmt: skip
    return table, figures


def test_shares_are_those_right_after_each_step():
    from reproduce.open_runs import DICT_HASH, FULL_HASH, OPEN, estimator, first_documents, one_pass

    stream = toy(60)
    for kind in (DICT_HASH, FULL_HASH, OPEN):
        row = settings(kind)
        done = one_pass(row, stream)
        model = estimator(row, 60)
        for number in range(4):
            tokens = stream.documents[15 * number : 15 * number + 15]
            model.partial_fit(first_documents(row, stream, tokens) if number == 0 else tokens)
            np.testing.assert_array_equal(
                done.shares[15 * number : 15 * number + 15], model.transform(tokens)
            )
        np.testing.assert_allclose(done.shares.sum(axis=1), 1.0)
        assert done.shares.shape == (60, 3)


def test_each_vocabulary_has_the_words_it_should():
    from reproduce.open_runs import BUCKETS, DICT, DICT_HASH, FULL_HASH, NULL, OPEN, one_pass

    stream = toy()
    known = {
        kind: one_pass(settings(kind), stream).model.vocabulary_
        for kind in (OPEN, NULL, DICT, DICT_HASH, FULL_HASH)
    }
    assert known[DICT].words == known[DICT_HASH].words == stream.dictionary
    assert (known[DICT].hashed, known[DICT_HASH].hashed) == (False, True)
    assert len(known[FULL_HASH]) == BUCKETS
    assert set(known[NULL].words) <= {word for tokens in stream.documents[:15] for word in tokens}
    assert not set(LATE) & set(known[NULL].words)
    assert set(LATE) <= set(known[OPEN].words)
    tokens = sum(map(len, stream.documents))
    assert known[FULL_HASH].tokens.sum() == known[DICT_HASH].tokens.sum() == tokens > known[DICT].tokens.sum()


def test_rows_are_what_they_are_called():
    from reproduce.open_runs import OPEN, estimator

    model = estimator(settings(OPEN, "mean-field", "1/K", reorder_every=7, kappa=0.8), 99)
    assert (model.inference, model.doc_max_iter, model.alpha) == ("mean-field", 50, pytest.approx(1 / 3))
    assert (model.words.concentration, model.words.truncation, model.words.reorder_every) == (50.0, 60, 7)
    assert (model.schedule.kappa, model.schedule.tau0, model.schedule.total) == (0.8, 64.0, 99)
    model = estimator(settings("null", "hybrid", "learned", eta=0.1), 99)
    assert (model.inference.burn_in, model.inference.samples) == (5, 10)
    assert (model.alpha, model.eta, model.words) == ("learned", 0.1, "closed")


@pytest.mark.slow
def test_jobs_in_processes_come_in_order():
    from operator import add

    from reproduce.open_runs import each

    assert list(each(add, 10, [1, 2, 3], workers=1)) == [11, 12, 13]
    assert list(each(add, 10, [1, 2, 3], workers=2)) == [11, 12, 13]


def test_accuracy_is_that_of_a_classifier_on_shares():
    from reproduce.open_scoring import best_penalty, dev_part, tested_on

    stream = toy()
    shares = np.eye(3)[[int(label[-1]) for label in stream.labels]]
    assert tested_on(shares, stream, 1.0) == 100.0
    assert best_penalty(shares, stream) == (100.0, 1.0)
    assert dev_part(["a"] * 10 + ["b"] * 20).tolist() == [
        *[False] * 7,
        *[True] * 3,
        *[False] * 14,
        *[True] * 6,
    ]
    most = max(np.mean([label == f"label {k}" for label in stream.labels]) for k in range(3))
    assert tested_on(np.full((120, 3), 1 / 3), stream, 1.0) <= 100 * most + 15  # nothing to learn from
    learned = stream.learned_from()
    assert len(learned.documents) == sum(stream.train) == len(learned.labels)
    assert learned.documents[0] == stream.documents[stream.train.index(True)]


def test_pmi_is_that_of_the_definition_and_pairs_that_never_meet_count_nothing():
    from reproduce.open_scoring import coherences

    reference = Corpus.from_tokens([["a", "b"], ["a", "b", "a"], ["a", "c"], ["d"]])
    own = Corpus.from_tokens([["a", "b"], ["c", "d"]])
    scores = coherences([[["a", "b", "c"]], [["a", "d", "x"], ["b", "a", "c"]]], own, reference)
    ab, ac = np.log((2 / 4) / (3 / 4 * 2 / 4)), np.log((1 / 4) / (3 / 4 * 1 / 4))
    assert scores.pmi == pytest.approx([(ab + ac) / 3, (0 + (ab + ac) / 3) / 2])
    assert scores.strange == pytest.approx([1 / 3, (1 + 1 / 3) / 2])
    assert scores.npmi == pytest.approx([(1 - 1 - 1) / 3, (-1 - 1 / 3) / 2])


def test_dtm_gives_documents_shares_and_epochs_top_words():
    pytest.importorskip("tomotopy")
    from reproduce.open_dtm import Dynamic, dynamic

    stream = toy(120)
    stream.documents[7] = ["once"]
    done = dynamic(Dynamic(3, 5, 0.1, 3, 0), stream, rare=2)
    assert done.shares.shape == (120, 3)
    np.testing.assert_allclose(done.shares.sum(axis=1), 1.0, rtol=1e-5)
    np.testing.assert_allclose(done.shares[7], 1 / 3)
    assert [len(epoch) for epoch in done.tops] == [3, 3, 3]
    assert all(len(topic) == 10 for epoch in done.tops for topic in epoch)
    assert done.words == len({word for tokens in stream.documents for word in tokens}) - 1


@pytest.mark.slow
def test_every_row_of_the_table_is_tried_as_often_and_shown(tmp_path, monkeypatch):
    from reproduce import open_dtm, open_newsgroups
    from reproduce.open_vocabulary import STUDY
    from reproduce.parts import write

    monkeypatch.setattr(open_dtm, "MINIBATCHES", 3)
    size = sizes()[0]
    tries = {kind: open_newsgroups.tries(size, 15, kind, "hybrid", "0.1") for kind in open_newsgroups.KINDS}
    assert all(len(set(listed)) == 2 for listed in tries.values())
    for full in (open_newsgroups.SHORT, open_newsgroups.FULL):
        assert len(set(full.closed)) == len(set(full.open)) == len(full.closed)
    data = open_newsgroups.measure(False, size, toy(), workers=1)
    assert len(data["rows"]) == 5 * 2 * 2
    assert all(len(row["ends"]) == 2 for row in [*data["rows"], *data["dtm"]])
    for row in data["rows"]:
        found = row["settings"]
        assert {**found, "prior": "0.1"} in [one._asdict() for one in open_newsgroups.tries(
            size, 15, found["kind"], found["engine"], "0.1"
        )]  # fmt: skip
    write(STUDY, tmp_path, {"dates": {"newsgroups": "2026-11-22"}, "parts": {"newsgroups": data}})
    text = (tmp_path / "open-vocabulary.md").read_text(encoding="utf-8")
    assert text.count("| hybrid | 1/K |") == 5
    assert text.count("| mean-field | 0.1 |") == 5
    assert "| paper | S = 15: open (hybrid) is above every fixed and hashed vocabulary" in text


@pytest.mark.slow
def test_settings_are_chosen_without_the_test_part():
    from reproduce import open_newsgroups

    stream = toy()
    other = stream._replace(
        documents=[
            tokens if train else ["other"]
            for tokens, train in zip(stream.documents, stream.train, strict=True)
        ]
    )
    size = sizes()[0]._replace(priors=("0.1",), variances=())
    chosen = [dict(open_newsgroups._chosen(size, one.learned_from(), 1)) for one in (stream, other)]
    assert chosen[0] == chosen[1]


def test_claims_compare_rows_of_one_engine_and_prior():
    from reproduce import open_accuracy
    from reproduce.open_runs import CLOSED, ENGINES, OPEN

    def data(opened, others):
        rows = [
            {
                "settings": settings(kind, engine, prior)._asdict(),
                "ends": [{"streaming": value + more, "end": value + more} for more in (-1, 1)],
            }
            for kind in (OPEN, *CLOSED)
            for engine in ENGINES
            for prior in ("1/K", "0.1")
            for value in [opened if kind == OPEN else others.get((engine, prior), 60)]
        ]
        dtm = [{"settings": {"batch": 15}, "ends": [{"end": 62.0}]}]
        return {"size": {"batches": [15]}, "rows": rows, "dtm": dtm}

    def holds(opened, others=None):
        return [claim[-1] for claim in open_accuracy.claims_of(data(opened, others or {}))]

    assert holds(70) == [True, False, True, True, True, True, True, True]
    assert holds(67)[2:] == [True, True, True, False, True, True]
    assert holds(62) == [True, False, False, False, False, False, False, False]
    partly = holds(70, {("mean-field", "1/K"): 71})
    assert partly == ["in 4 of 8", False, True, True, "in 2 of 4", True, True, "in 2 of 4"]


@pytest.mark.slow
def test_figures_have_every_vocabulary_that_has_words(tmp_path, monkeypatch):
    from reproduce import open_coherence, open_dtm
    from reproduce.open_vocabulary import STUDY
    from reproduce.parts import write

    monkeypatch.setattr(open_dtm, "MINIBATCHES", 3)
    size = sizes()[1]
    for one in (open_coherence.DE_NEWS, open_coherence.DE_NEWS_FULL):
        assert len(set(one.closed)) == len(set(one.open)) == len(one.open)
    stream = toy()
    data = open_coherence.measure(size, stream, Corpus.from_tokens(stream.documents[:40]), workers=1)
    assert len(data["rows"]) == 2 * 4 * 2 * 2 * 2
    assert len(data["grid"]) == 8
    assert all(run["at"][-1] == 120 for run in data["rows"])
    assert all(run["at"] == sorted(set(run["at"])) for run in data["rows"])
    assert all(len(run["pmi"]) == len(run["npmi"]) == len(run["at"]) for run in data["rows"])
    write(STUDY, tmp_path, {"dates": {"denews": "2026-11-22"}, "parts": {"denews": data}})
    evolution = data["evolution"]
    assert evolution["moments"][-1]["first"] == evolution["last"], "the last moment is the end"
    assert evolution["moments"][-1]["ranks"] == list(range(1, 11))
    late = [word for word, step in zip(evolution["last"], evolution["entered"], strict=True) if step > 1]
    assert len(late) == max(evolution["late"]), "the topic with most words that entered on the way"
    for place, step in enumerate(evolution["entered"]):
        known = [moment["ranks"][place] is not None for moment in evolution["moments"]]
        assert known == [moment["step"] >= step for moment in evolution["moments"]]
    text = (tmp_path / "open-vocabulary.md").read_text(encoding="utf-8")
    for name in ("open", "null", "dict", "dict-hash"):
        assert f"| {name}, hybrid, S = 15 |" in text
    assert "PMI: more sensitive to α^β than to T" in text
    assert "<svg" in (tmp_path / "open-vocabulary.html").read_text(encoding="utf-8")


def test_a_row_is_shown_with_its_best_settings():
    from reproduce.open_figures import groups_of

    def run(eta, seed, npmi):
        return {"settings": settings("null", eta=eta, seed=seed)._asdict(), "npmi": [0.9, npmi]}

    rows = [run(0.01, 0, 0.3), run(0.01, 1, 0.1), run(0.1, 0, 0.2), run(0.1, 1, 0.3)]
    ((name, chosen),) = groups_of({"rows": rows, "dtm": []})
    assert name == "null, hybrid, S = 15"
    assert [one["settings"]["eta"] for one in chosen] == [0.1, 0.1]


def test_corpora_that_are_missing_are_told(monkeypatch, tmp_path):
    from reproduce import texts
    from reproduce.open_vocabulary import STUDY

    monkeypatch.setattr(texts, "DATA", tmp_path)
    monkeypatch.setattr(texts, "DICTIONARY", tmp_path / "words")
    for part in STUDY.parts.values():
        assert len(texts.missing(part.needs)) >= len(part.needs)


def test_newsgroups_are_one_stream_by_date(monkeypatch, tmp_path):
    import gzip
    import json

    from reproduce import open_data, texts

    rows = [("b", "1993-04-02", "train"), ("a", "1993-04-01", "test"), ("c", "1993-04-03", "test")]
    (tmp_path / "20newsgroups").mkdir()
    for part in ("train", "test"):
        with gzip.open(tmp_path / f"20newsgroups/{part}.jsonl.gz", "wt", encoding="utf-8") as file:
            for name, date, split in rows:
                if split == part:
                    line = {"id": name, "date": date, "split": split, "label": f"group.{name}"}
                    file.write(
                        json.dumps({**line, "text": f"The runners of {name}{name} are running"}) + "\n"
                    )
    words = tmp_path / "words"
    words.write_text("runner\nrunner's\nthe\nRome\n")
    monkeypatch.setattr(texts, "DATA", tmp_path)
    monkeypatch.setattr(open_data, "DICTIONARY", words)
    stream = open_data.newsgroups()
    assert stream.documents == [["runner", "aa", "run"], ["runner", "bb", "run"], ["runner", "cc", "run"]]
    assert stream.labels == ("group.a", "group.b", "group.c")
    assert stream.train == (False, True, False)
    assert stream.dictionary == ("runner", "rome")
    assert Vocabulary.of(stream.dictionary).lookup(["run"]).tolist() == [-1]
