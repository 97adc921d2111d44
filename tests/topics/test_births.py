"""Topics of a stream that open and close as its subjects change."""

import numpy as np
import pytest
from tests.golden.names import check
from tests.topics.model.test_polylingual import SIZES, aligned

from stickbreaker import HDP, Corpus, Online, UserError, Vocabulary
from stickbreaker.core.edits import Drop, Grow, apply
from stickbreaker.corpus.shards import Bags
from stickbreaker.engines.local import LocalEngine
from stickbreaker.learning.waiting_documents import WaitingDocuments
from stickbreaker.testing import plant_languages
from stickbreaker.testing.planted import matched
from stickbreaker.topics.report.genealogy import growth_of
from stickbreaker.topics.runs import stream_births
from stickbreaker.topics.runs.stream_births import candidates, explained_worst, judge, worth
from stickbreaker.topics.runs.topics_on_trial import Halves, TopicsOnTrial, with_topics

N_WORDS, LENGTH, BATCH, WINDOW = 120, 40, 64, 192
WORDS = [f"w{i}" for i in range(N_WORDS)]
ALIVE = ((0, 1, 2), (0, 1, 2, 3, 4), (3, 4, 5))  # topics of the three parts of a stream
PART = 12  # minibatches of each


@pytest.fixture(autouse=True)
def short_window(monkeypatch):
    monkeypatch.setattr(stream_births, "WINDOW", WINDOW)


def minibatches(seed=0, alive=ALIVE, part=PART):
    """Minibatches of documents, whose topics have twenty words each."""
    draw = np.random.default_rng(seed)
    for topics in alive:
        for _ in range(part):
            lines = []
            for _ in range(BATCH):
                theta = draw.dirichlet(np.full(len(topics), 0.3))
                z = draw.choice(topics, LENGTH, p=theta)
                lines.append(
                    [WORDS[20 * k + i] for k, i in zip(z, draw.integers(20, size=LENGTH), strict=True)]
                )
            yield lines


def corpus_of(lines):
    return Corpus.from_tokens(lines, vocabulary=Vocabulary.of(WORDS))


def model_of(n_topics=2, **changed):
    given = {"moves": "births", "random_state": 3, "n_jobs": 1, "schedule": Online(BATCH), **changed}
    return HDP(n_topics, **given)


def learned(model, batches):
    for lines in batches:
        model.partial_fit(corpus_of(lines))
    return model


def edits(model):
    return [edit for record in model.trace_ for edit in record.get("edits", ())]


@pytest.mark.parametrize("n_topics", [2, 12])
def test_the_number_follows_a_stream_whose_topics_change(n_topics):
    model, numbers = model_of(n_topics), []
    for place, lines in enumerate(minibatches()):
        model.partial_fit(corpus_of(lines))
        if place % PART == PART - 1:
            numbers.append(model.n_topics_)
    assert np.abs(np.array(numbers) - [3, 5, 3]).max() <= 1
    homes = (model.topic_word_.reshape(model.n_topics_, -1, 20).sum(axis=2)).argmax(axis=1)
    assert set(homes.tolist()) == {3, 4, 5}


def test_without_births_the_number_stays():
    assert learned(model_of(8, moves="split-merge"), minibatches()).n_topics_ == 8


def test_there_are_never_more_topics_than_the_limit(monkeypatch):
    monkeypatch.setattr(stream_births, "MOST_TOPICS", 4)
    model = learned(model_of(), minibatches())
    assert max(record["topics"] for record in model.trace_) == 4


def test_a_limit_below_the_first_number_opens_none(monkeypatch):
    monkeypatch.setattr(stream_births, "MOST_TOPICS", 2)
    assert max(record["topics"] for record in learned(model_of(3), minibatches()).trace_) <= 3


def test_births_are_the_same_for_any_number_of_threads():
    one, three = (learned(model_of(n_jobs=n), minibatches(part=4)) for n in (1, 3))
    assert edits(one)
    assert edits(one) == edits(three)
    np.testing.assert_array_equal(one.components_, three.components_)


@pytest.mark.parametrize("after", [5, 7])  # documents wait; the first topics have come
def test_a_saved_stream_goes_on_as_if_it_had_not_been_saved(after, tmp_path):
    batches = list(minibatches(part=4))
    whole = learned(model_of(), batches)
    first = learned(model_of(), batches[:after])
    assert first.state_.waiting is not None
    first.save(tmp_path / "m")
    check(tmp_path / "m")
    rest = learned(HDP.load(tmp_path / "m"), batches[after:])
    assert edits(whole) == edits(rest)
    np.testing.assert_array_equal(whole.components_, rest.components_)
    assert whole.topic_ids_ == rest.topic_ids_


def test_what_happened_is_told_as_splits_and_merges():
    model = learned(model_of(), minibatches())
    kinds = [edit["move"] for edit in edits(model)]
    assert 2 + kinds.count("split") - kinds.count("merge") == model.trace_[-1]["topics"]
    assert set(kinds) == {"split", "merge"}
    growth = growth_of(model.trace_, model.topic_ids_, WORDS, np.zeros((model.n_topics_, 10), int).tolist())
    assert growth is not None
    assert growth.began == 2


def test_topics_of_two_languages_open():
    planted = plant_languages(tuple(SIZES.values()), n_documents=15 * BATCH, length=40, seed=3)
    model = model_of()
    for start in range(0, 15 * BATCH, BATCH):
        model.partial_fit(aligned(planted.counts[start : start + BATCH]))
    chosen, cosines = matched(model.topic_word_, planted.topics)
    assert len(set(chosen.tolist())) == 5
    assert cosines.min() > 0.9


@pytest.mark.parametrize(
    "given",
    [
        {"words": "open"},
        {"inference": "hybrid"},
        {"representation": "franchise"},
        {"eta": np.full((2, N_WORDS), 0.1)},
    ],
)
def test_births_need_known_words_and_mean_field(given):
    with pytest.raises(UserError, match="births"):
        model_of(**given).partial_fit(corpus_of([WORDS[:30]]))


def test_births_are_for_streams():
    with pytest.raises(UserError, match="partial_fit"):
        model_of(schedule=None).fit(corpus_of([WORDS[:30]] * 4))


# what documents gain


def on_trial(n_topics=3, seed=0):
    """A model's topics in all words, its table, and some documents."""
    batches = list(minibatches(seed, part=2))
    model = learned(model_of(n_topics, moves=None), batches)
    bags = corpus_of(batches[-1]).bags(0)
    engine = model.engine_
    counts = np.ascontiguousarray(engine.table.counts(np.arange(N_WORDS)))
    trial = TopicsOnTrial(model.model, model.params_, np.arange(N_WORDS), counts, engine.table.totals())
    return trial, engine, bags


def nats_of(trial, halves):
    """The slow way: each half of each document given the other, word by word."""
    eta, nats = float(trial.params["eta"].values), []
    topics = (trial.counts + eta) / (trial.counts + eta).sum(axis=0)
    for d in range(len(halves.first.unseen)):
        total = 0.0
        for seen, asked in ((halves.first, halves.second), (halves.second, halves.first)):
            gamma = trial.infer(seen.take(np.array([d])))[0]["gamma"].values[0]
            one = asked.take(np.array([d]))
            for word, count in zip(one.words, one.counts, strict=True):
                total += count * np.log(topics[word] @ gamma / gamma.sum())
        nats.append(total)
    return np.array(nats)


def test_each_half_is_predicted_from_the_other():
    trial, _, bags = on_trial()
    halves = Halves.of(bags.take(np.arange(6)))
    np.testing.assert_allclose(trial.predict(halves), nats_of(trial, halves), rtol=1e-5)


def test_a_trial_without_a_topic_is_the_table_without_it():
    trial, engine, bags = on_trial()
    other = LocalEngine.over(engine.model, engine.table.copy())
    other.edit((Drop("topics", (1,)),))
    less = trial.without(1)
    np.testing.assert_array_equal(less.counts, other.table.whole())
    np.testing.assert_allclose(less.totals, other.table.totals(), rtol=1e-12)
    assert less.params["weights"].values.sum() + less.params["rest"].values == pytest.approx(1.0)
    assert less.counts_of(bags).sum() == pytest.approx(bags.counts.sum(), rel=1e-5)


def test_a_trial_with_more_topics_has_their_totals_and_weights():
    trial, _, bags = on_trial()
    more = trial.plus(np.ones((N_WORDS, 2)), np.array([0.1, 0.2]))
    assert more.totals[0, -2:].tolist() == [N_WORDS, N_WORDS]
    assert more.params["weights"].values[-2:].tolist() == [0.1, 0.2]
    before = float(trial.params["weights"].values.sum() + trial.params["rest"].values)
    assert more.params["weights"].values.sum() + more.params["rest"].values == pytest.approx(
        0.7 * before + 0.3
    )
    assert more.tokens(bags).shape == (BATCH, 5)


def test_rows_of_some_words_tell_what_all_rows_tell():
    trial, engine, bags = on_trial()
    rows = np.unique(bags.words).astype(np.int64)
    few = TopicsOnTrial(trial.model, trial.params, rows, trial.counts[rows], engine.table.totals())
    own = bags.with_words(np.searchsorted(rows, bags.words).astype(np.int32))
    np.testing.assert_allclose(few.tokens(own), trial.tokens(bags), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(few.counts_of(own), trial.counts_of(bags)[rows], rtol=1e-5, atol=1e-5)


def test_topics_that_nobody_uses_are_closed_and_others_kept():
    trial, _, bags = on_trial()
    strange = np.zeros((N_WORDS, 1))
    strange[:20] = 50.0  # words of a topic that lives no more
    found = judge(trial.plus(strange, np.array([0.1])), bags, range(4))
    assert 3 in found.closures
    assert set(found.gains) | set(found.closures) == {0, 1, 2, 3}
    assert 2 in found.gains
    assert found.trial.n_topics == 4 - len(found.closures)


def test_candidates_change_no_sum_but_where_counts_would_fall_below_zero():
    trial, _, bags = on_trial(2)
    found = candidates(trial, bags, 4, 1.0, np.random.default_rng(0))
    assert found is not None
    assert (trial.counts + found.change[:, :2] >= 0.0).all()
    assert (found.change[:, 2:] >= 0.0).all()
    assert abs(found.change.sum()) < 0.1 * found.change[:, 2:].sum()


def test_documents_that_topics_lack_words_for_are_explained_worst():
    trial, _, bags = on_trial(2)
    draw = np.random.default_rng(1)
    foreign = [[WORDS[100 + i] for i in draw.integers(20, size=LENGTH)] for _ in range(BATCH)]
    joined = Bags.join([bags, corpus_of(foreign).bags(0)])
    assert (explained_worst(trial, joined) >= BATCH).mean() > 0.9


def test_a_topic_of_one_document_is_not_worth_having():
    assert worth(np.array([1e6])) < 0.0
    assert worth(np.zeros(0)) <= 0.0


def test_weights_of_new_topics_come_from_all():
    params = {"weights": np.array([0.5, 0.3]), "rest": np.array(0.2)}
    trial = on_trial(2)[0]
    fields = {
        "weights": trial.params["weights"]._replace(values=params["weights"]),
        "rest": trial.params["rest"]._replace(values=params["rest"]),
    }
    after = with_topics(fields, np.array([0.1]))
    np.testing.assert_allclose(after["weights"].values, [0.45, 0.27, 0.1])
    assert float(after["rest"].values) == pytest.approx(0.18)
    assert apply((Grow("topics", 1),), fields)["weights"].values.tolist() == [0.5, 0.3, 0.0]


# documents that wait


def bags_of(words):
    n = len(words)
    return Bags(np.array([0, n]), np.array(words, np.int32), np.ones(n, np.float32), np.zeros(1, np.float32))


def test_documents_that_wait_are_saved_and_read():
    held = WaitingDocuments(bags_of([1, 4])).plus(bags_of([0]))
    again = WaitingDocuments.from_arrays(held.to_arrays())
    assert again is not None
    assert len(again) == 2
    for before, after in zip(held.bags, again.bags, strict=True):
        np.testing.assert_array_equal(before, after)
    assert WaitingDocuments.from_arrays({}) is None
    with pytest.raises(ValueError, match="other words"):
        held.refuse_others(4)
    held.refuse_others(5)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("offsets", np.array([0, 1])),
        ("offsets", np.array([0, 3, 2])),
        ("offsets", np.array([0.0, 1.0, 2.0])),
        ("words", np.array([1, -4, 0])),
        ("counts", np.array([1.0, -1.0, 1.0])),
        ("counts", np.ones(7)),
        ("unseen", np.zeros(9)),
    ],
)
def test_documents_that_make_no_sense_are_refused(name, values):
    arrays = WaitingDocuments(bags_of([1, 4])).plus(bags_of([0])).to_arrays()
    with pytest.raises(ValueError, match="documents"):
        WaitingDocuments.from_arrays({**arrays, f"waiting/{name}": values})
