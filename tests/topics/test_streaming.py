"""Learning from a stream: the same as `partial_fit`, whatever the snapshots and the interruptions."""

import json

import numpy as np
import pytest
from tests.running import TOPICS

from stickbreaker import HDP, LDA, Corpus, OpenVocabulary, UserError
from stickbreaker.corpus import Analysis, Vocabulary, VocabularyRule
from stickbreaker.estimators.streams import stream_directory
from stickbreaker.estimators.streams.stream_feed import Feed, Stop, Stopped, StreamSettings
from stickbreaker.learning.schedules import Online
from stickbreaker.saved import ModelDirectory
from stickbreaker.testing.estimators import contents, untimed
from stickbreaker.topics.runs.topic_snapshots import words_now
from stickbreaker.topics.settings import HDPSettings, LDASettings

SIZE = 20
PLAIN = Analysis(language=None, stop_words="none", min_length=1)


def drifting(n, seed=0):
    """Documents whose words change: every thirty documents each topic has a word of its own more."""
    draw = np.random.default_rng(seed)
    told = []
    for number in range(n):
        words = [TOPICS[number % 3][i] for i in draw.integers(8, size=10)]
        fresh = "abc"[number % 3] + "new" + "abcdefghijklmnopqrstuvwxyz"[number // 30]
        told.append({"text": " ".join([*words, fresh, fresh]), "date": f"2001-01-{1 + number // 10:02d}"})
    return told


def written(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def params(**changed):
    words = OpenVocabulary(truncation=40, reorder_every=3)
    schedule = Online(SIZE, total=changed.pop("total", None))
    return {"words": words, "alpha": 0.1, "schedule": schedule, "random_state": 5, "n_jobs": 1, **changed}


def settings(path, **changed):
    told = {"snapshot_documents": 60, "snapshot_seconds": 1e9, **changed}
    return StreamSettings((str(path),), **told)


def learned(estimator, stream, out, stop=None, watch=lambda record: None, **changed):
    """Learn from the stream to its end, or to where it is stopped."""
    stop = stop or Stop()
    begun = stream_directory.begin(estimator, settings(stream, **changed), PLAIN, out, stop)
    return begun, stream_directory.continue_stream(begun, stop, watch)


def batches(records, size=SIZE):
    texts = [record["text"].split() for record in records]
    return [texts[start : start + size] for start in range(0, len(texts), size)]


CASES = {
    "hybrid": (LDA, LDASettings, {"inference": "hybrid"}),
    "mean-field": (LDA, LDASettings, {}),
    "fixed size": (LDA, LDASettings, {"inference": "hybrid", "total": 1_000}),
    "growing": (HDP, HDPSettings, {"alpha": 1.0}),
}


@pytest.mark.parametrize("case", CASES)
def test_a_stream_learns_what_partial_fit_learns(case, tmp_path):
    front, plain, changed = CASES[case]
    records = drifting(110)
    _, ended = learned(plain(3, **params(**changed)), written(tmp_path / "s.jsonl", records), tmp_path / "m")
    assert ended
    by_hand = front(3, **params(**changed))
    for batch in batches(records):
        by_hand.partial_fit(batch)
    loaded = front.load(tmp_path / "m")
    assert loaded.vocabulary_.words == by_hand.vocabulary_.words
    assert np.array_equal(loaded.topic_word_, by_hand.topic_word_)
    assert np.array_equal(loaded.rest_, by_hand.rest_)
    assert untimed(loaded.trace_) == untimed(by_hand.trace_)
    assert loaded.corpus_["documents"] == 110
    assert len(loaded.trace_) == 6  # the last minibatch has ten documents


def test_the_size_of_the_stream_matters(tmp_path):
    stream = written(tmp_path / "s.jsonl", drifting(60))
    for name, total in (("running", None), ("fixed", 5_000)):
        learned(LDASettings(3, **params(total=total)), stream, tmp_path / name)
    sums = [LDA.load(tmp_path / name).components_.sum() for name in ("running", "fixed")]
    assert sums[1] > 5 * sums[0]


def test_a_model_that_was_stopped_anywhere_ends_the_same(tmp_path):
    stream = written(tmp_path / "s.jsonl", drifting(150))
    estimator = LDASettings(3, **params(inference="hybrid"))
    learned(estimator, stream, tmp_path / "whole", snapshot_documents=SIZE)
    stop = Stop()
    ended = learned(
        LDASettings(3, **params(inference="hybrid")),
        stream,
        tmp_path / "cut",
        stop,
        lambda record: stop.request() if record["step"] == 4 else None,
        snapshot_documents=SIZE,
    )[1]
    assert not ended
    assert LDA.load(tmp_path / "cut").corpus_["documents"] == 4 * SIZE
    again = stream_directory.resume(tmp_path / "cut", Stop(), 2)
    assert again is not None
    assert stream_directory.continue_stream(again, Stop(), lambda record: None)
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")  # two threads, too
    assert stream_directory.resume(tmp_path / "cut", Stop(), 1) is None


@pytest.mark.slow
def test_a_run_warns_once_whatever_interrupts_it(tmp_path):
    draw = np.random.default_rng(0)
    texts = [" ".join(f"kind{d // 60}w{word}" for word in draw.integers(9, size=20)) for d in range(400)]
    stream = written(tmp_path / "s.jsonl", [{"text": text} for text in texts])
    given = params(alpha=1 / 12, schedule=Online(SIZE, tau0=1.0))
    learned(LDASettings(12, **given), stream, tmp_path / "whole", snapshot_documents=SIZE)
    trace = ModelDirectory(tmp_path / "whole").read().trace
    first = next(record["step"] for record in trace if "warnings" in record)
    for steps in (first - 1, first, first + 1):
        out, stop = tmp_path / str(steps), Stop()

        def watch(record, steps=steps, stop=stop):
            return stop.request() if record["step"] == steps else None

        assert not learned(LDASettings(12, **given), stream, out, stop, watch, snapshot_documents=SIZE)[1]
        again = stream_directory.resume(out, Stop(), 2)
        assert again is not None
        stream_directory.continue_stream(again, Stop(), lambda record: None)
        assert contents(out) == contents(tmp_path / "whole")
    told = [warning["about"] for record in trace for warning in record.get("warnings", ())]
    assert len(told) == len(set(told))


def test_documents_without_words_are_counted_and_change_nothing(tmp_path):
    records = drifting(60)
    nothing = [{"text": "", "date": "2001-01-01"}] * 45
    whole = written(tmp_path / "s.jsonl", [*nothing[:40], *records[:SIZE], *nothing[:SIZE], *records[SIZE:]])
    begun, _ = learned(LDASettings(3, **params(total=100)), whole, tmp_path / "m")
    learned(LDASettings(3, **params(total=100)), written(tmp_path / "t.jsonl", records), tmp_path / "n")
    with_empty, without = LDA.load(tmp_path / "m"), LDA.load(tmp_path / "n")
    assert np.array_equal(with_empty.topic_word_, without.topic_word_)
    assert (begun.run.about["documents"], begun.run.about["empty"]) == (120, 60)
    assert begun.run.state.seen == 120
    assert begun.run.about["tokens"] == 60 * 12


def test_snapshots_tell_the_words_of_their_moment(tmp_path):
    records = drifting(150)
    begun, _ = learned(
        LDASettings(3, **params(inference="hybrid")), written(tmp_path / "s.jsonl", records), tmp_path / "m"
    )
    evolution = ModelDirectory(tmp_path / "m").evolution()
    assert [moment.documents for moment in evolution.moments] == [20, 60, 120, 150]
    assert [moment.date for moment in evolution.moments] == [
        records[n - 1]["date"] for n in (20, 60, 120, 150)
    ]
    assert not evolution.moments[0].entered()
    by_hand = LDA(3, **params(inference="hybrid"))
    known: set[str] = set()
    for number, batch in enumerate(batches(records), start=1):
        by_hand.partial_fit(batch)
        moment = next((m for m in evolution.moments if m.step == number), None)
        if moment is None:
            continue
        words = by_hand.vocabulary_.words
        for topic, row in enumerate(by_hand.topic_word_):
            held = [(-p, word) for p, word in zip(row.tolist(), words, strict=True) if p > 0]
            told = [(-p, word) for word, p in moment.top()[topic]]
            assert np.allclose([p for p, _ in told], sorted(p for p, _ in held)[:50], rtol=1e-6)
            assert {word for _, word in told} <= {word for _, word in held}
            if known:
                new = {word for _, word in held} - known
                assert {word for _, word, _ in moment.entered().get(topic, [])} <= new
                assert len(moment.entered().get(topic, [])) == min(10, len(new))
        known = set(words)
    late = evolution.moments[-1].entered()
    assert any("newe" in word for told in late.values() for _, word, _ in told)
    top, entered = words_now(begun.run.job, begun.run.state, begun.run.state.step)
    assert list(top) == [0, 1, 2]
    assert not any(entered.values())


def test_a_bad_document_leaves_what_was_learned(tmp_path):
    stream = written(tmp_path / "s.jsonl", drifting(90))
    lines = stream.read_text().splitlines()
    stream.write_text("\n".join([*lines[:70], "{", *lines[70:]]) + "\n")
    out = tmp_path / "m"
    with pytest.raises(UserError, match=r"s\.jsonl:71: malformed JSON"):
        learned(LDASettings(3, **params()), stream, out)
    assert LDA.load(out).corpus_["documents"] == 60
    with pytest.raises(UserError, match=r"s\.jsonl:71: malformed JSON"):
        stream_directory.continue_stream(stream_directory.resume(out, Stop(), 1), Stop(), lambda record: None)
    begun = stream_directory.resume(out, Stop(), 1, on_error="skip")
    assert stream_directory.continue_stream(begun, Stop(), lambda record: None)
    assert begun.feed.problems.counts == {"malformed JSON": 1}
    learned(LDASettings(3, **params()), written(tmp_path / "t.jsonl", drifting(90)), tmp_path / "n")
    assert np.array_equal(LDA.load(out).topic_word_, LDA.load(tmp_path / "n").topic_word_)


def test_another_stream_is_refused(tmp_path):
    stream, out, stop = written(tmp_path / "s.jsonl", drifting(90)), tmp_path / "m", Stop()
    learned(LDASettings(3, **params()), stream, out, stop, lambda record: stop.request())
    written(stream, drifting(90, seed=1))
    with pytest.raises(UserError, match="the first 20 documents are not those that the run learned from"):
        stream_directory.resume(out, Stop(), 1)
    written(stream, drifting(7))
    with pytest.raises(UserError, match="ends after 7 documents, and the run had learned from 20"):
        stream_directory.resume(out, Stop(), 1)


@pytest.mark.parametrize(
    ("records", "told"),
    [([], "there is no document"), ([{"text": ""}, {"text": "—"}], "no document has a word")],
)
def test_a_stream_of_nothing_is_refused(records, told, tmp_path):
    with pytest.raises(UserError, match=told):
        learned(LDASettings(3, **params()), written(tmp_path / "s.jsonl", records), tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_closed_words_are_refused(tmp_path):
    with pytest.raises(UserError, match="closed vocabulary"):
        learned(LDASettings(3, schedule="online"), written(tmp_path / "s.jsonl", drifting(5)), tmp_path / "m")


# The feed


def fed(path, size, **changed):
    return Feed(settings(path, **changed), size, Analysis().resolved(), Stop())


def test_minibatches(tmp_path):
    told = [
        {"text": "The rivers run", "when": 1993, "id": "same"},
        {"text": ["Boats", "", "the", "x"], "id": "same"},
        {"text": "of the", "when": "1994-02"},
    ]
    feed = fed(written(tmp_path / "s.jsonl", told), 2, date_field="when")
    first, second = feed.minibatches()
    assert first.tokens == [["rivers", "run"], ["boats"]]
    assert (first.empty, first.date) == (0, "1993")
    assert (second.tokens, second.empty, second.date) == ([[]], 1, "1994-02")
    assert feed.documents == 3


def test_the_digest_is_of_texts_in_order_and_not_of_minibatches(tmp_path):
    def digest(texts, size):
        feed = fed(written(tmp_path / "s.jsonl", [{"text": text} for text in texts]), size)
        return [feed.digest for _ in feed.minibatches()][-1]

    assert digest(["a b", "c", "d"], 2) == digest(["a b", "c", "d"], 3)
    assert digest(["a b", "c"], 2) != digest(["c", "a b"], 2)
    assert digest(["ab", "c"], 2) != digest(["a", "bc"], 2)


def test_languages_and_bags_are_refused(tmp_path):
    stream = written(tmp_path / "s.jsonl", drifting(3))
    with pytest.raises(UserError, match="one language"):
        fed(stream, 2, text_field="en=text,de=other")
    (tmp_path / "bags.ldac").write_text("1 0:1\n")
    (tmp_path / "words.txt").write_text("river\n")
    with pytest.raises(UserError):
        fed(tmp_path / "bags.ldac", 2)


def test_a_stop_ends_a_wait_and_no_step():
    stop = Stop()
    stop.request()
    assert stop.requested
    stop.waiting = True
    with pytest.raises(Stopped):
        stop.request()


def test_settings_come_back_from_a_manifest():
    told = StreamSettings(("-", "/a"), text_field="body", on_error="skip", snapshot_seconds=3.0)
    assert StreamSettings.from_json(json.loads(json.dumps(told.to_json()))) == told


def test_dates_that_are_none_are_told(tmp_path):
    records = [{**record, "date": "last week"} for record in drifting(40)]
    begun, _ = learned(LDASettings(3, **params()), written(tmp_path / "s.jsonl", records), tmp_path / "m")
    assert begun.strange_date == "last week"
    moments = ModelDirectory(tmp_path / "m").evolution().moments
    assert [moment.date for moment in moments] == [None, None]


# Counts of words


def test_a_parameter_without_effect_is_refused_as_by_fit():
    for learn in (HDP(tables=20).fit, HDP(tables=20).partial_fit):
        with pytest.raises(UserError, match='tables=20 needs representation="franchise"'):
            learn(["a cat sat", "two dogs ran"])


def test_words_are_counted_in_the_documents_learned_from():
    """Whatever vocabulary they are seen through: one of other documents, or a list of words."""
    rule = VocabularyRule(min_documents=1, max_share=1.0)
    other = Corpus.from_texts(["river bank", "river money", "bank money loan"] * 20, rule=rule)
    texts = ["river bank bank", "bank", "loan"]
    seen = Corpus.from_texts(texts).with_vocabulary(other.vocabulary)
    listed = seen.with_vocabulary(Vocabulary.of(other.vocabulary.words))
    expected = {"river": (1, 1.0), "bank": (2, 3.0), "money": (0, 0.0), "loan": (1, 1.0)}
    for corpus in (seen, listed):
        for model in (LDA(2, max_iter=2, random_state=0).fit(corpus), LDA(2).partial_fit(corpus)):
            vocabulary = model.vocabulary_
            found = zip(vocabulary.documents.tolist(), vocabulary.tokens.tolist(), strict=True)
            assert dict(zip(vocabulary.words, found, strict=True)) == expected
    model = LDA(2, max_iter=2, random_state=0).fit(other).partial_fit(texts)
    assert model.vocabulary_.documents.sum() == other.vocabulary.documents.sum() + 4
    assert other.vocabulary.documents.max() == 40, "nobody's own vocabulary is changed"


@pytest.mark.parametrize("kind", [LDA, HDP])
def test_a_model_of_open_words_has_no_counts_of_documents(kind):
    """Its tokens are expected ones, more of a word than there are documents with it."""
    texts = [record["text"].split() for record in drifting(60)]
    fitted = kind(3, words="open", schedule="batch" if kind is LDA else None, max_iter=2, random_state=0)
    for model in (kind(3, words="open", random_state=0).partial_fit(texts), fitted.fit(texts)):
        assert not model.vocabulary_.is_counted
        assert not model.vocabulary_.documents.any()
        assert model.vocabulary_.tokens.min() > 0


@pytest.mark.parametrize(
    ("form", "date", "expected"),
    [
        (None, "5 April 1993", "1993-04-05"),
        (None, "1993-04-05T10:00", "1993-04-05T10:00"),
        (None, "2015Q2", "2015-04-01"),
        (None, "1100 Main Street", "1100 Main Street"),
        ("epoch", 1539202764, "2018-10-10"),
        ("when=twitter", "Wed Oct 10 20:19:24 +0000 2018", "2018-10-10"),
    ],
)
def test_dates_of_minibatches(tmp_path, form, date, expected):
    path = written(tmp_path / "s.jsonl", [{"text": "rivers run", "when": date}])
    (minibatch,) = fed(path, 2, date_field="when", date_format=form).minibatches()
    assert minibatch.date == expected


def test_a_stream_of_a_table_with_literal_quotes(tmp_path):
    path = tmp_path / "s.tsv"
    path.write_text('text;n\n"rivers run;1\nboats"run;2\n')
    minibatches = fed(path, 1, separator=";", quotes="none").minibatches()
    assert [one.tokens for one in minibatches] == [[["rivers", "run"]], [["boats", "run"]]]
