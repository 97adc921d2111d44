"""Topics of a stream that open and close as its subjects change."""

import itertools

import numpy as np
import pytest
from scipy.special import psi
from tests.golden.names import check
from tests.tiers import sampled
from tests.topics.model.test_polylingual import SIZES, aligned

from stickbreaker import HDP, Corpus, Online, OpenVocabulary, UserError, Vocabulary, VocabularyRule
from stickbreaker.core.edits import Drop, Grow, apply
from stickbreaker.core.records import Rows
from stickbreaker.corpus.shards import Bags
from stickbreaker.engines.local import LocalEngine
from stickbreaker.kernels.sticks import OrderedCells, stick_evidence
from stickbreaker.learning.stream_documents import WAITING, StreamDocuments
from stickbreaker.testing import plant_languages
from stickbreaker.testing.planted import matched
from stickbreaker.topics.model.vocabularies.words_on_trial import counts_by_rank
from stickbreaker.topics.report.genealogy import growth_of
from stickbreaker.topics.runs import stream_births
from stickbreaker.topics.runs.stream_births import (
    beyond_chance,
    candidates,
    explained_worst,
    judge,
    last_documents,
    worth,
)
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


def corpus_of(lines, words="closed"):
    if words == "closed":
        return Corpus.from_tokens(lines, vocabulary=Vocabulary.of(WORDS))
    return Corpus.from_tokens(lines, rule=VocabularyRule(1, 1.0))


OPEN = OpenVocabulary(concentration=100.0, truncation=N_WORDS, reorder_every=5)
BOTH = pytest.mark.parametrize("words", ["closed", OPEN], ids=["closed", "open"])


def model_of(n_topics=2, **changed):
    given = {"moves": "births", "random_state": 3, "n_jobs": 1, "schedule": Online(BATCH), **changed}
    return HDP(n_topics, **given)


def learned(model, batches):
    for lines in batches:
        model.partial_fit(corpus_of(lines, model.words))
    return model


def edits(model):
    return [edit for record in model.trace_ for edit in record.get("edits", ())]


def homes(model):
    """The planted topic that each topic has most of."""
    shares = np.zeros((model.n_topics_, N_WORDS // 20))
    for word, own in zip(model.vocabulary_.words, model.topic_word_.T, strict=True):
        shares[:, int(word[1:]) // 20] += own
    return shares.argmax(axis=1).tolist()


@pytest.mark.long("a stream that is long enough for births")
@pytest.mark.parametrize(
    ("n_topics", "given"),
    sampled(
        [
            (2, {}),
            (12, {}),
            (2, {"words": OPEN}),
            (12, {"words": OPEN}),
            (2, {"inference": "hybrid"}),
            (2, {"inference": "hybrid", "words": OPEN}),
        ],
        1,
        several=True,
    ),
)
def test_the_number_follows_a_stream_whose_topics_change(n_topics, given):
    model, numbers = model_of(n_topics, **given), []
    for place, lines in enumerate(minibatches()):
        learned(model, [lines])
        if place % PART == PART - 1:
            numbers.append(model.n_topics_)
    assert np.abs(np.array(numbers) - [3, 5, 3]).max() <= 1
    assert set(homes(model)) == {3, 4, 5}


@BOTH
def test_without_births_the_number_stays(words):
    assert (
        learned(model_of(8, moves="split-merge", words=words), minibatches(part=3)).trace_[-1]["topics"] == 8
    )


@pytest.mark.long("a stream that is long enough for births")
def test_there_are_never_more_topics_than_the_limit(monkeypatch):
    monkeypatch.setattr(stream_births, "MOST_TOPICS", 4)
    model = learned(model_of(), minibatches(part=5))
    assert max(record["topics"] for record in model.trace_) == 4


@pytest.mark.long("a stream that is long enough for births")
def test_a_limit_below_the_first_number_opens_none(monkeypatch):
    monkeypatch.setattr(stream_births, "MOST_TOPICS", 2)
    assert max(record["topics"] for record in learned(model_of(3), minibatches(part=5)).trace_) <= 3


@pytest.mark.long("a stream that is long enough for births")
@BOTH
def test_no_count_falls_below_zero(words):
    """A topic that takes all tokens of a word from another leaves none, but for rounding."""
    model = learned(model_of(words=words), minibatches(part=5))
    arrays = model.engine_.table.arrays()
    assert model.engine_.table.scale != 1.0
    assert min(values.min() for name, values in arrays.items() if "counts" in name) >= 0.0


@BOTH
def test_births_are_the_same_for_any_number_of_threads(words):
    one, three = (learned(model_of(n_jobs=n, words=words), minibatches(part=4)) for n in (1, 3))
    assert edits(one)
    assert edits(one) == edits(three)
    np.testing.assert_array_equal(one.components_, three.components_)


@BOTH
@pytest.mark.parametrize("after", sampled([5, 7], 1))  # documents wait; the first topics have come
def test_a_saved_stream_goes_on_as_if_it_had_not_been_saved(after, words, tmp_path):
    batches = list(minibatches(part=4))
    whole = learned(model_of(words=words), batches)
    first = learned(model_of(words=words), batches[:after])
    assert first.state_.waiting is not None
    first.save(tmp_path / "m")
    check(tmp_path / "m")
    rest = learned(HDP.load(tmp_path / "m"), batches[after:])
    assert edits(whole) == edits(rest)
    np.testing.assert_array_equal(whole.components_, rest.components_)
    assert whole.topic_ids_ == rest.topic_ids_
    assert whole.top_words(20) == rest.top_words(20)


@BOTH
def test_a_stream_saved_when_topics_have_just_come_goes_on(words, tmp_path):
    """What moves keep of the last step has other topics then."""
    batches = list(minibatches(part=4))
    model, number = learned(model_of(words=words), batches[:1]), 1
    while not edits(model):
        learned(model, [batches[number]])
        number += 1
    model.save(tmp_path / "m")
    loaded = HDP.load(tmp_path / "m")
    whole, rest = (learned(each, batches[number : number + 4]) for each in (model, loaded))
    assert edits(whole) == edits(rest)
    np.testing.assert_array_equal(whole.components_, rest.components_)


@pytest.mark.long("a stream that is long enough for births")
def test_what_happened_is_told_as_splits_and_merges():
    model = learned(model_of(), minibatches(part=8))
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


@pytest.mark.parametrize("given", [{"representation": "franchise"}, {"eta": np.full((2, N_WORDS), 0.1)}])
def test_what_births_do_not_go_with(given):
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
    trial = TopicsOnTrial.of(model.learned_.model, model.params_, engine.table, np.arange(N_WORDS))
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
    np.testing.assert_allclose(less.words.totals, other.table.totals(), rtol=1e-12)
    assert less.params["weights"].values.sum() + less.params["rest"].values == pytest.approx(1.0)
    assert less.counts_of(bags).sum() == pytest.approx(bags.counts.sum(), rel=1e-5)


def test_a_trial_with_more_topics_has_their_totals_and_weights():
    trial, _, bags = on_trial()
    more = trial.plus(np.ones((N_WORDS, 2)), np.array([0.1, 0.2]))
    assert more.words.totals[0, -2:].tolist() == [N_WORDS, N_WORDS]
    assert more.params["weights"].values[-2:].tolist() == [0.1, 0.2]
    before = float(trial.params["weights"].values.sum() + trial.params["rest"].values)
    assert more.params["weights"].values.sum() + more.params["rest"].values == pytest.approx(
        0.7 * before + 0.3
    )
    assert more.tokens(bags).shape == (BATCH, 5)


def test_rows_of_some_words_tell_what_all_rows_tell():
    trial, engine, bags = on_trial()
    rows = np.unique(bags.words).astype(np.int64)
    few = TopicsOnTrial.of(trial.model, trial.params, engine.table, rows)
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


@pytest.mark.parametrize("home", [1, 2])
def test_a_closed_topic_is_merged_into_the_one_that_gains_its_tokens(home):
    """A copy of a topic: without it, the tokens of both are the topic's. Two documents are too few for it."""
    trial, own = on_trial(1)[0], np.zeros((N_WORDS, 3))
    own[80:100, 2 - home] = own[100:, home - 1] = own[100:, 2] = 40.0
    more = trial.plus(own, np.full(3, 0.1))
    bags = corpus_of([WORDS[100:] * 10, WORDS[100:] * 10]).bags(0)
    found = judge(more, bags, [3])
    gained = (found.trial.tokens(bags) - more.tokens(bags)[:, :3]).sum(axis=0)
    assert gained[home] == pytest.approx(200.0, abs=5.0)
    assert found.closures[3][0] == home


def test_tokens_of_a_closed_topic_count_for_topics_that_are_tried_later():
    """Two topics that share a subject: the first to be tried is closed, then the other one has all users."""
    trial, _, bags = on_trial(2)
    foreign = corpus_of([[WORDS[100 + i % 20] for i in range(d, d + 10)] for d in range(20)]).bags(0)
    own = np.zeros((N_WORDS, 2))
    own[100:] = [[40.0, 0.4]] * 20
    found = judge(trial.plus(own, np.array([0.05, 0.0005])), Bags.join([bags, foreign]), [2, 3])
    assert found.closures[3][0] == 2
    assert 2 in found.gains


def test_weights_of_new_topics_are_shares_of_the_tokens_of_all_documents():
    """Candidates are fitted to every second of the documents explained worst, which are half of all."""
    trial, _, bags = on_trial(2)
    found = candidates(trial, bags, 4, 1.0, np.random.default_rng(0))
    assert found is not None
    fitted = bags.take(explained_worst(trial, bags)[::2])
    assert found.weights == pytest.approx(0.5 * found.counts.sum(axis=0) / fitted.counts.sum())


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


def test_of_documents_that_lack_about_as_much_per_token_the_longer_are_explained_worse():
    trial, _, bags = on_trial(2)
    short = [[WORDS[100 + i % 20] for i in range(n, n + 4)] for n in range(20)]
    long = [[*(WORDS[100 + i % 20] for i in range(n, n + 36)), *WORDS[:4]] for n in range(10)]
    joined = Bags.join([corpus_of(short).bags(0), corpus_of(long).bags(0), bags.take(np.arange(20))])
    found = explained_worst(trial, joined)
    assert set(found) >= set(range(20, 30))


def test_a_topic_of_one_document_is_not_worth_having():
    assert worth(np.array([1e6])) < 0.0
    assert worth(np.zeros(0)) <= 0.0


def test_gains_of_the_best_of_many_topics_are_not_taken_for_new_subjects():
    """If nothing is new, a topic opens in 5 % of the rounds; in 42 % one gains what is enough to stay."""
    draws = np.random.default_rng(0).standard_normal((2_000, 8))
    kept = [dict(enumerate(gains)) for gains in draws]
    assert np.mean([bool(beyond_chance(gains, 8)) for gains in kept]) == pytest.approx(0.05, abs=0.01)
    assert (draws > stream_births.SURE).any(axis=1).mean() > 0.4
    assert beyond_chance({7: 2.4, 9: 2.2}, 8) == []
    assert beyond_chance({7: 2.4, 9: 2.2, 8: 2.3}, 8) == [7, 8, 9], "several support one another"
    assert beyond_chance({7: 2.4, 9: 2.2, 8: 2.3}, 24) == []
    assert beyond_chance({}, 8) == []


@pytest.mark.parametrize("n", [8, 40])
def test_a_subject_of_few_documents_opens_no_topic(n):
    """Half of them judge: four that gain the same are 2 standard deviations, enough for a topic to stay."""
    trial, _, bags = on_trial(8)
    draw = np.random.default_rng(1)
    foreign = corpus_of([[WORDS[6 * i] for i in draw.integers(20, size=LENGTH)] for _ in range(n)]).bags(0)
    own = np.zeros((N_WORDS, 1))
    own[::6] = 10.0
    assert 8 in judge(trial.plus(own, np.array([0.1])), foreign.take(np.arange(0, n, 2)), [8]).gains
    found = candidates(trial, Bags.join([bags, foreign]), 8, 1.0, np.random.default_rng(0))
    opened = np.zeros(0) if found is None else found.counts[::6].sum(axis=0) / found.counts.sum(axis=0)
    assert (opened > 0.9).any() == (n == 40)


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


# topics in an order of words


def on_open_trial(n_topics=3, **settings):
    """A model of open words, and its topics in words of which the table lacks the last."""
    model = model_of(n_topics, moves=None, words=OpenVocabulary(**{"reorder_every": 3, **settings}))
    learned(model, minibatches(part=2))
    words = [*sorted(model.vocabulary_.words)[:40], "zzz"]
    return model, TopicsOnTrial.of(model.learned_.model, model.params_, model.engine_.table, words), words


def expected_logs(counts, a):
    """E[log beta] of words in an order, and E[log] of the stick left, stick by stick."""
    after = np.append(np.cumsum(counts[::-1])[::-1][1:], 0.0)
    own, rest = (psi(shape) - psi(1.0 + counts + a + after) for shape in (1.0 + counts, a + after))
    return own + np.append(0.0, np.cumsum(rest)[:-1]), rest.sum()


def test_words_of_a_new_topic_have_the_sticks_of_their_order():
    _, trial, words = on_open_trial(concentration=50.0)
    counts = np.zeros((len(words), 1))
    counts[[4, 9, 2, 40], 0] = [3.0, 8.0, 1.5, 30.0]
    made = trial.plus(counts, np.array([0.1])).words
    logs, left = expected_logs(np.array([30.0, 8.0, 3.0, 1.5]), 50.0)
    np.testing.assert_allclose(made.logs[[40, 9, 4, 2], -1], logs, rtol=1e-9)
    least = min(left, made.left[:-1].min())
    np.testing.assert_allclose(made.logs[[0, 1, 3], -1], least + np.log(3.0 / 50.0), rtol=1e-9)
    sticks = (1.0 + np.array([30.0, 8.0])) / (1.0 + 50.0 + np.array([42.5, 12.5]))
    shares = made.topic_words()[-1, [40, 9]]
    np.testing.assert_allclose(shares, [sticks[0], (1.0 - sticks[0]) * sticks[1]], rtol=1e-3)


def test_no_order_gives_counts_more_evidence_than_that_by_counts():
    counts, found = np.array([7.0, 0.5, 3.0, 12.0]), {}
    for order in itertools.permutations(range(4)):
        cells = OrderedCells(
            np.array([order], np.int32), counts[[order]], np.ones((1, 4), np.bool_), np.array([4]), 1.0
        )
        found[order] = stick_evidence(cells, 0, 20.0, 0.0, 0.0)
    assert max(found, key=found.__getitem__) == (3, 0, 2, 1)
    ranked = counts_by_rank(counts[:, None], 3, WORDS[:4])
    assert ranked.rows.tolist() == [[3, 0, 2, 1]]
    assert ranked.inside.tolist() == [[True, True, True, False]]


@pytest.mark.parametrize("given", [{}, {"memory": "keep", "truncation": 15}, {"outside": "spelling"}])
def test_words_on_trial_weigh_what_they_weigh_in_the_table(given):
    model, trial, words = on_open_trial(**given)
    table, slot = model.engine_.table, model.learned_.model.words
    places = table.positions(words)
    prepared = slot.prepare(model.params_, table.whole())
    there = slot.weights(prepared, table.whole(), table.totals(), places)
    here = trial.words.weights(np.arange(len(words)))
    known = places >= 0
    assert known.any()
    assert not known.all()
    ours, theirs = (found.weights * np.exp(found.log_scale)[:, None] for found in (here, there))
    np.testing.assert_allclose(ours[known], theirs[known], rtol=2e-5)
    shares = slot.predictions(model.params_, table, words)(np.arange(len(words)))
    np.testing.assert_allclose(trial.words.topic_words(), shares, rtol=1e-9)
    np.testing.assert_allclose(trial.counts[known], table.counts(places[known]), rtol=1e-12)
    less = trial.without(1)
    np.testing.assert_allclose(less.words.topic_words(), np.delete(shares, 1, axis=0), rtol=1e-9)


def test_a_topic_that_opened_is_the_one_that_was_tried():
    model, trial, words = on_open_trial()
    counts = np.zeros((len(words), 1))
    counts[:40, 0] = np.random.default_rng(0).permutation(40) + 5_000.0
    made = trial.plus(counts, np.array([0.1]))
    table = model.engine_.table.copy()
    table.edit((Grow("topics", 1),))
    table.blend(Rows(table.positions(words[:40]), np.hstack([np.zeros((40, 3)), counts[:40]])), 1.0, 1.0)
    params = apply((Grow("topics", 1),), model.params_)
    other = TopicsOnTrial.of(model.learned_.model, params, table, words)
    np.testing.assert_allclose(made.words.logs[:40], other.words.logs[:40], rtol=1e-9)
    np.testing.assert_allclose(made.words.topic_words(), other.words.topic_words(), rtol=1e-9)


@pytest.mark.long("a stream that is long enough for births")
def test_words_that_the_table_lacks_enter_with_a_topic():
    model = model_of(2, words=OpenVocabulary(truncation=12, reorder_every=1, concentration=100.0))
    entered = []
    for lines in minibatches():
        learned(model, [lines])
        record = model.trace_[-1]
        assert record["vocabulary"]["size"] == model.engine_.table.shape[0]
        assert model.engine_.table.whole().values.min() >= 0.0
        if any(edit["move"] == "split" for edit in record.get("edits", ())):
            own = model.learned_.model.words.entered(model.params_) == record["step"] - 1
            assert own.sum() <= record["vocabulary"]["entered"]
            entered.append(int(own.sum()))
    assert max(entered) > 0
    assert len(model.engine_.table.keys) == len(model.params_["entered"].values)


# documents that wait


def bags_of(words):
    n = len(words)
    return Bags(np.array([0, n]), np.array(words, np.int32), np.ones(n, np.float32), np.zeros(1, np.float32))


def test_documents_that_wait_are_saved_and_read():
    held = StreamDocuments(bags_of([1, 4])).plus(StreamDocuments(bags_of([0])))
    again = StreamDocuments.from_arrays(WAITING, held.to_arrays(WAITING))
    assert again is not None
    assert len(again) == 2
    for before, after in zip(held.bags, again.bags, strict=True):
        np.testing.assert_array_equal(before, after)
    assert StreamDocuments.from_arrays(WAITING, {}) is None
    with pytest.raises(ValueError, match="unknown words"):
        held.refuse_others(4, keyed=False)
    with pytest.raises(ValueError, match="another kind of words"):
        held.refuse_others(5, keyed=True)
    held.refuse_others(5, keyed=False)


def test_documents_that_wait_for_rows_that_come_and_go_are_spelled():
    one = StreamDocuments.of(bags_of([1, 4]), ["no", "boat", "no", "no", "zoë"])
    held = one.plus(StreamDocuments.of(bags_of([0, 1]), ["zoë", "ant"]))
    assert held.spelled == ("boat", "zoë", "ant")
    again = StreamDocuments.from_arrays(WAITING, held.to_arrays(WAITING))
    assert again is not None
    assert again.spelled == held.spelled
    again.refuse_others(0, keyed=True)
    bags, words = last_documents(again, 2)
    assert words == ["ant", "boat", "zoë"]
    assert bags.words.tolist() == [1, 2, 0, 2]
    last, words = last_documents(again, 1)
    assert (words, last.words.tolist()) == (["ant", "zoë"], [0, 1])
    arrays = {**held.to_arrays(WAITING), "waiting/words": np.array([0, 1, 2, 3], np.int32)}
    broken = StreamDocuments.from_arrays(WAITING, arrays)
    assert broken is not None
    with pytest.raises(ValueError, match="unknown words"):
        broken.refuse_others(9, keyed=True)
    with pytest.raises(ValueError, match="one word twice"):
        StreamDocuments.from_arrays(WAITING, held._replace(spelled=("a", "a", "b")).to_arrays(WAITING))


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
    arrays = StreamDocuments(bags_of([1, 4])).plus(StreamDocuments(bags_of([0]))).to_arrays(WAITING)
    with pytest.raises(ValueError, match="documents"):
        StreamDocuments.from_arrays(WAITING, {**arrays, f"waiting/{name}": values})
