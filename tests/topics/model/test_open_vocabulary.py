"""The open vocabulary's words slot: its probabilities, its bound, who enters, who stays and in what order."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import beta as beta_distribution
from tests.oracle import sticks as oracle
from tests.tiers import sampled

from stickbreaker import LDA, Online, OpenVocabulary, UserError
from stickbreaker.contracts.contract import Step
from stickbreaker.core.edits import Drop, Grow, Reorder
from stickbreaker.core.records import Field, Rows
from stickbreaker.corpus.shards import Bags, Shard
from stickbreaker.corpus.spelling.string_prior import CODE_POINTS, CharacterModel, Spelling
from stickbreaker.engines.truncated_table import TruncatedTable
from stickbreaker.topics.model.vocabularies.bloom import SeenBefore
from stickbreaker.topics.model.vocabularies.new_rows import known_and_new
from stickbreaker.topics.model.vocabularies.open import ENTERED, LOG_SPELLING, WORTH, OpenWords

AXES = ("words", "topics")
KEYS = ["ab", "c", "abc", "ba"]
COUNTS = np.array([[4.0, 0.0], [1.0, 2.5], [0.0, 0.5], [6.0, 1.0]])


def slot(counts=COUNTS, keys=KEYS, **settings):
    """A vocabulary, its params (prepared) and its table (`TruncatedCounts`), of counts (words × topics)."""
    words = OpenWords(OpenVocabulary(**settings), CharacterModel.learn(list(keys), Spelling(order=2)))
    table = TruncatedTable.of(np.asarray(counts), *AXES, keys)
    params = words.start()
    params[LOG_SPELLING] = params[LOG_SPELLING]._replace(values=words.log_spelling(params, keys))
    whole = table.whole()
    return words, words.prepare(params, whole), whole


def in_order(whole, k):
    """A topic's words and counts in their order."""
    size = whole.sizes[k]
    return [whole.keys[row] for row in whole.rows[k, :size]], (whole.scale * whole.values[k, :size]).tolist()


def step_of(number, rate=0.1):
    return Step(number, rate, 1.0, 0.0)


# Probabilities


def test_probabilities_of_all_strings_sum_to_one():
    """E[beta] of a topic's words plus the rest times G0, over strings of the letters a, b, c and any other:
    those of up to six letters one by one, the longer by the lengths' distribution."""
    words, params, whole = slot(concentration=2.0)
    probabilities, rests = words.expected(params, whole)
    expected = whole.dense(probabilities)
    model = CharacterModel.from_fields(params)
    longest = 6
    lengths = np.exp(model.lengths.log_probability(np.arange(1, longest + 1)))
    totals = rests * (1.0 - lengths.sum())  # longer strings
    for length in range(1, longest + 1):
        strings = ["".join(letters) for letters in itertools.product("abcz", repeat=length)]
        times = np.array([float(CODE_POINTS - 3) ** string.count("z") for string in strings])
        g0 = np.exp(words.log_spelling(params, strings)) * times
        totals = totals + rests * g0.sum()
        totals = totals + expected[[KEYS.index(s) for s in strings if s in KEYS]].sum(axis=0)
    assert totals == pytest.approx(np.ones(2), rel=1e-9)
    assert expected.sum(axis=0) + rests == pytest.approx(np.ones(2))
    assert expected[2, 0] == 0.0, "a word that the topic does not have is in its rest"


def test_expected_probabilities_are_those_of_draws():
    words, params, whole = slot(concentration=3.0)
    probabilities, rests = words.expected(params, whole)
    expected = whole.dense(probabilities)
    rng = np.random.default_rng(0)
    for k in (0, 1):
        names, counts = in_order(whole, k)
        first, second = np.array(oracle.parameters(counts, 3.0)).T
        sticks = rng.beta(first, second, (200_000, len(counts)))
        left = np.cumprod(1.0 - sticks, axis=1)
        beta = sticks * np.column_stack([np.ones(len(sticks)), left[:, :-1]])
        assert expected[[KEYS.index(name) for name in names], k] == pytest.approx(beta.mean(axis=0), abs=2e-3)
        assert rests[k] == pytest.approx(left[:, -1].mean(), abs=2e-3)


@pytest.mark.parametrize("outside", ["constant", "stick", "spelling"])
def test_weights_of_words_that_a_topic_has_and_has_not(outside):
    """The sticks' expected logarithms; of others the stick left times WORTH / a, all of it, or G0."""
    words, params, whole = slot(concentration=40.0, outside=outside)
    weights, log_scale = words.weights(params, whole, np.zeros((1, 2)), np.array([3, 0, 1, 2, -1]))[:2]
    logs = np.log(weights.astype(float)) + log_scale[:, None]
    shares = {"constant": lambda word: np.log(WORTH / 40.0), "stick": lambda word: 0.0}
    share = shares.get(outside, lambda word: words.log_spelling(params, [word])[0])
    for k in (0, 1):
        names, counts = in_order(whole, k)
        expected, left = oracle.expected_logs(counts, 40.0)
        for i, word in enumerate(["ba", "ab", "c", "abc"]):
            wanted = expected[names.index(word)] if word in names else left + share(word)
            assert logs[i, k] == pytest.approx(wanted, rel=1e-6)
    gap = (
        oracle.expected_logs(in_order(whole, 0)[1], 40.0)[1]
        - oracle.expected_logs(in_order(whole, 1)[1], 40.0)[1]
    )
    assert logs[4, 0] - logs[4, 1] == pytest.approx(gap, rel=1e-5), "a new word goes by the sticks left"


def test_a_topic_without_words_leaves_all_of_its_stick():
    words, params, whole = slot(np.zeros((4, 2)), concentration=5.0)
    assert words.expected(params, whole)[1].tolist() == [1.0, 1.0]
    weights, log_scale = words.weights(params, whole, np.zeros((1, 2)), np.array([-1, 2]))[:2]
    assert weights.tolist() == [[1.0, 1.0]] * 2
    assert log_scale == pytest.approx(np.log([WORTH / 5.0] * 2))


# The bound


def test_the_tables_part_of_the_bound_is_minus_the_divergence():
    """Of the sticks by draws from q, and log G0 for each word that a topic spells."""
    a = 3.0
    words, params, whole = slot(concentration=a)
    summary = words.summary(params, whole, 0)
    rng = np.random.default_rng(1)
    expected, error = 0.0, 0.0
    for k in (0, 1):
        names, counts = in_order(whole, k)
        for first, second in oracle.parameters(counts, a):
            drawn = rng.beta(first, second, 200_000)
            ratio = beta_distribution.logpdf(drawn, 1.0, a) - beta_distribution.logpdf(drawn, first, second)
            expected += ratio.mean()
            error += ratio.var() / len(drawn)
        expected += words.log_spelling(params, names).sum()
    assert words.score(params, np.zeros((1, 2)), summary) == pytest.approx(expected, abs=5 * np.sqrt(error))
    exact = -sum(oracle.divergence(in_order(whole, k)[1], a) for k in (0, 1))
    exact += sum(words.log_spelling(params, in_order(whole, k)[0]).sum() for k in (0, 1))
    assert words.score(params, np.zeros((1, 2)), summary) == pytest.approx(exact, rel=1e-8)


def test_words_outside_of_the_truncation_are_no_part_of_it():
    words, params, whole = slot(concentration=3.0)
    inside = whole.inside.copy()
    inside[:, 2:] = False
    cut = whole._replace(inside=inside)
    params = words.prepare(params, cut)
    summary = words.summary(params, cut, 0)
    assert summary["numbers"].tolist() == [2.0, 2.0]
    exact = 0.0
    for k in (0, 1):
        names, counts = in_order(whole, k)
        exact += words.log_spelling(params, names[:2]).sum() - oracle.divergence(counts[:2], 3.0)
    assert words.score(params, np.zeros((1, 2)), summary) == pytest.approx(exact, rel=1e-8)
    assert np.count_nonzero(cut.dense(words.expected(params, cut)[0]), axis=0).tolist() == [2, 2]


def test_the_order_by_counts_has_the_largest_bound():
    """Of all orders, the terms of a topic are largest with the largest counts first."""
    counts, a = [6.0, 4.0, 1.0], 2.0
    nats = {}
    for order in itertools.permutations(counts):
        logs, _ = oracle.expected_logs(order, a)
        nats[order] = sum(n * x for n, x in zip(order, logs, strict=True)) - oracle.divergence(order, a)
    assert max(nats, key=nats.get) == tuple(counts)


TINY = [["a", "b", "a"], ["b", "c", "c"], ["a", "a", "d"], ["d", "e", "a"]]


def scores_of_tiny(**settings):
    """The scores (nats) of six passes over TINY, their kinds, and log p(w) by enumeration."""
    options = {"alpha": 0.5, "schedule": "batch", "random_state": 0, "max_iter": 6, "tol": 0.0}
    model = LDA(2, words=OpenVocabulary(**settings), **options).fit(TINY)
    names = sorted({word for document in TINY for word in document})
    g0 = dict(zip(names, np.exp(model.learned_.model.words.log_spelling(model.params_, names)), strict=True))
    evidence = oracle.log_evidence(TINY, 2, 0.5, settings["concentration"], g0)
    tokens = sum(map(len, TINY))
    return (
        [tokens * record["score"] for record in model.trace_],
        [record["kind"] for record in model.trace_],
        evidence,
    )


def test_the_evidence_by_enumeration_is_that_of_draws():
    """Of one token the evidence is log G0; of two of one topic, by the urn's definition."""
    g0 = {"a": 0.5, "b": 0.125}
    assert oracle.log_evidence([["b"]], 2, 0.5, 3.0, g0) == pytest.approx(np.log(0.125))
    again = np.log(0.125 * (1.0 + 3.0 * 0.125) / 4.0)
    assert oracle.log_evidence([["b"], ["b"]], 1, 0.5, 3.0, g0) == pytest.approx(again)


@pytest.mark.parametrize("outside", sampled(["constant", "stick", "spelling"], 2))
@pytest.mark.parametrize("concentration", sampled([0.5, 2.0, 3000.0], 2))
def test_what_is_told_as_a_bound_is_below_the_evidence(concentration, outside):
    """With room for all words every score is; with one word a topic none is told as one once words are
    outside. (In the first pass topics have a little of all words, whatever the truncation.)"""
    for truncation in (1, 2, 50):
        settings = {"concentration": concentration, "truncation": truncation, "outside": outside}
        scores, kinds, evidence = scores_of_tiny(**settings)
        told = ["bound"] * 6 if truncation == 50 else ["bound"] + ["estimate"] * 5
        assert kinds == told
        assert all(score < evidence for score, kind in zip(scores, kinds, strict=True) if kind == "bound")


def test_an_estimate_may_lie_above_the_evidence():
    """As eq. 7.4 is printed, a word outside has all of the stick that is left, and so have all the others."""
    scores, _, evidence = scores_of_tiny(concentration=3000.0, truncation=1, outside="stick")
    assert scores[-1] > evidence + 5.0


@pytest.mark.parametrize("concentration", [0.5, 2.0, 3.0])
def test_no_word_is_worth_more_than_the_stick_that_is_left(concentration):
    """Where a is less than three, three counts would be more than all of the rest."""
    asked = np.array([0, 1, 2, 3, -1])
    weights = []
    for outside in ("constant", "stick"):
        words, params, whole = slot(concentration=concentration, outside=outside)
        weights.append(words.weights(params, whole, np.zeros((1, 2)), asked))
    for constant, stick in zip(*weights, strict=True):
        assert constant == pytest.approx(stick)


# The learned concentration


def test_the_learned_concentration_is_the_maximum():
    """Of E[log p(sticks)], the sticks as they are; by a search."""
    words, params, whole = slot(concentration="learned")
    params = words.prepare({**params, "concentration": Field(np.array(7.0), additive=False)}, whole)
    summary = words.summary(params, whole, 0)
    lists = [in_order(whole, k)[1] for k in (0, 1)]

    def fall(log_a):
        return -sum(oracle.log_prior(counts, np.exp(log_a), 7.0) for counts in lists)

    best = np.exp(minimize_scalar(fall, bounds=(-5, 10), method="bounded", options={"xatol": 1e-9}).x)
    told = words.update(params, np.zeros((1, 2)), summary, 2, 1.0)["concentration"].values
    assert told == pytest.approx(best, rel=1e-5)
    half = words.update(params, np.zeros((1, 2)), summary, 2, 0.25)["concentration"].values
    assert half == pytest.approx(0.75 * 7.0 + 0.25 * best, rel=1e-5)


@pytest.mark.parametrize("truth", [3.0, 25.0])
def test_a_planted_concentration_is_recovered(truth):
    """Twenty topics drawn by sticks, many tokens of each, their words in the order of the sticks."""
    rng = np.random.default_rng(3)
    n_words, n_topics = int(12 * truth), 20
    sticks = rng.beta(1.0, truth, (n_topics, n_words))
    beta = sticks * np.cumprod(np.column_stack([np.ones(n_topics), 1.0 - sticks[:, :-1]]), axis=1)
    keys = [f"w{i}" for i in range(n_words)]
    words, params, _ = slot(concentration="learned")
    table = TruncatedTable.of(1e5 * beta.T, *AXES, keys)  # less than one token is beyond the last word
    orders = tuple(np.arange(n_words) for _ in range(n_topics))
    table.edit((Reorder(*AXES, orders, (n_words,) * n_topics),))
    whole = table.whole()
    params = {**params, LOG_SPELLING: Field(np.zeros(n_words), ("words",))}
    for _ in range(200):
        params = words.prepare(params, whole)
        summary = words.summary(params, whole, 0)
        params = {**params, **words.update(params, np.zeros((1, n_topics)), summary, n_topics, 1.0)}
    assert params["concentration"].values == pytest.approx(truth, rel=0.15)
    told = float(params["concentration"].values)
    left = sum(oracle.expected_logs(in_order(whole, k)[1], told)[1] for k in range(n_topics))
    assert told == pytest.approx(-n_words * n_topics / left, rel=1e-4)


def test_a_run_ends_at_its_fixed_point():
    documents = [["a"] * 5 + ["b"] * 3 + ["c"], ["d"] * 4 + ["e", "a"]] * 5
    settings = {"random_state": 0, "alpha": 0.1, "schedule": "batch", "tol": 0.0, "max_iter": 200}
    model = LDA(2, words=OpenVocabulary(concentration="learned"), **settings).fit(documents)
    whole = model.engine_.table.whole()
    lists = [in_order(whole, k)[1] for k in (0, 1)]
    left = sum(oracle.expected_logs(counts, model.concentration_)[1] for counts in lists)
    assert model.concentration_ == pytest.approx(-sum(map(len, lists)) / left, rel=1e-3)


# Who enters


def test_counts_are_told_by_row_or_by_spelling():
    """A shard's words a, new, c are the rows 5, none and 2; dense counts, and the same as cells."""
    shard = Shard(
        documents=np.arange(2),
        content=Bags(
            np.array([0, 2, 4]),
            np.array([0, 1, 1, 2], np.int32),
            np.array([1, 2, 1, 3], np.float32),
            np.zeros(2, np.float32),
        ),
        rows=np.array([5, -1, 2]),
        keys=["a", "new", "c"],
    )
    values = np.array([[1.0, 0.0], [0.5, 2.5], [0.0, 3.0]])
    for counts in (Rows(np.arange(3), values), Rows(np.arange(3), values).cells(0.5)):
        rows, found = known_and_new(shard, counts)
        assert rows.rows().positions.tolist() == [2, 5]
        assert rows.rows().values.tolist() == [[0.0, 3.0], [1.0, 0.0]]
        assert {word: row.tolist() for word, row in found.items()} == {"new": [0.5, 2.5, 2.0]}
    rows, _ = known_and_new(shard, Rows(np.arange(3), values))
    assert rows.positions.tolist() == [2, 5], "ascending, as rows are"


def test_all_new_words_enter_those_with_most_counts_first():
    words, params, _ = slot()
    found = {
        "late": np.array([1.0, 0.5, 1.0]),
        "more": np.array([0.0, 9.0, 1.0]),
        "zulu": np.array([1.5, 0.0, 7.0]),  # as many counts as "late"; documents are not counts
    }
    edit, changed = words.admit(params, found, step_of(0))
    assert edit == (Grow("words", 3, ("more", "late", "zulu")),)
    spelled = words.log_spelling(params, [*KEYS, "more", "late", "zulu"])
    assert changed[LOG_SPELLING].values == pytest.approx(spelled)
    assert words.admit(params, found, step_of(7))[1][ENTERED].values.tolist()[-3:] == [7.0] * 3
    assert words.admit(params, {}, step_of(0)) == ((), {})


def test_with_a_filter_words_enter_at_their_second_document():
    words, params, _ = slot(memory="bloom")
    twice, once = np.array([1.0, 0.0, 2.0]), np.array([5.0, 0.0, 1.0])
    edit, changed = words.admit(params, {"two": twice, "one": once}, step_of(0))
    assert edit == (Grow("words", 1, ("two",)),), "two documents of one minibatch are two"
    params = {**params, "seen before": changed["seen before"]}
    edit, changed = words.admit(params, {"other": once}, step_of(0))
    assert edit == ()
    assert LOG_SPELLING not in changed
    params = {**params, **changed}
    edit, _ = words.admit(params, {"one": once, "two": once, "other": once, "third": once}, step_of(0))
    assert edit == (Grow("words", 3, ("one", "other", "two")),), "one that left comes back at once"


def test_a_filter_never_forgets_and_is_seldom_wrong():
    seen = SeenBefore.empty()
    words = [f"wort{i}" for i in range(3000)] + ["é\u0301", "😀", "a" * 10_000]
    assert sum(seen.add(word) for word in words) <= 3
    again = SeenBefore.of(seen.field())
    assert all(again.add(word) for word in words)
    assert again.field().values.tobytes() == seen.field().values.tobytes()


# Who stays


def test_words_are_put_in_order_by_their_counts_or_times_g0():
    for rank_by in ("counts", "spelling"):
        words, params, whole = slot(rank_by=rank_by)
        change = words.reorder(params, whole, step_of(9))[0]
        for k in (0, 1):
            ranks = COUNTS[:, k].copy()
            if rank_by == "spelling":
                ranks *= np.exp(words.log_spelling(params, KEYS))
            wanted = [i for i in np.argsort(-ranks, kind="stable").tolist() if COUNTS[i, k] > 0]
            assert change.orders[k].tolist() == wanted


def test_spelling_can_outrank_counts():
    """A word of one likely letter with fewer tokens comes before a long unlikely one with more."""
    counts, keys = np.array([[5.0], [4.0]]), ["xqzxqzxqz", "a"]
    for rank_by, wanted in (("counts", [0, 1]), ("spelling", [1, 0])):
        words = OpenWords(OpenVocabulary(rank_by=rank_by), CharacterModel.learn(["a", "b", "ab"], Spelling()))
        params = words.start()
        params[LOG_SPELLING] = Field(words.log_spelling(params, keys), ("words",), additive=False)
        whole = TruncatedTable.of(counts, *AXES, keys).whole()
        assert words.reorder(params, whole, step_of(9))[0].orders[0].tolist() == wanted


def test_the_truncation_keeps_the_best_and_rows_without_a_cell_leave():
    counts = np.array([[4.0, 0.0], [1.0, 2.5], [3.0, 0.5], [6.0, 3.0]])
    words, params, whole = slot(counts, truncation=2)
    change, drop = words.reorder(params, whole, step_of(9))
    assert [order.tolist() for order in change.orders] == [[3, 0], [3, 1]]
    assert change.inside == (2, 2)
    assert drop == Drop("words", (2,))
    words, params, whole = slot(counts, truncation=2, memory="keep")
    (change,) = words.reorder(params, whole, step_of(9))
    assert [order.tolist() for order in change.orders] == [[3, 0, 2, 1], [3, 1, 2]]
    assert change.inside == (2, 2)
    words, params, whole = slot(counts, truncation=3)
    (change,) = words.reorder(params, whole, step_of(9))
    assert change.inside == (3, 3)


def test_ties_stay_in_the_order_that_they_have():
    table = TruncatedTable(1, *AXES, ["a", "b", "c"])
    for row in (2, 0, 1):
        table.blend(Rows(np.array([row]), np.array([[2.0]])), 1.0, 1.0)
    words, params, _ = slot(np.ones((3, 1)), ["a", "b", "c"])
    assert words.reorder(params, table.whole(), step_of(9))[0].orders[0].tolist() == [2, 0, 1]


def test_words_whose_counts_are_gone_leave():
    table = TruncatedTable.of(COUNTS, *AXES, KEYS)
    table.blend(Rows(np.array([1]), np.ones((1, 2))), 0.0, 1.0)
    words, params, _ = slot()
    change, drop = words.reorder(params, table.whole(), step_of(0, 1.0))
    assert [order.tolist() for order in change.orders] == [[1], [1]]
    assert drop == Drop("words", (0, 2, 3))


def test_the_order_is_made_every_so_many_steps_and_after_whole_passes():
    words, params, whole = slot(reorder_every=3)
    made = [bool(words.reorder(params, whole, step_of(number))) for number in range(9)]
    assert made == [False, False, True] * 3
    assert words.reorder(params, whole, step_of(0, 1.0))


# What a stream of one topic remembers


def stream(*minibatches, **settings):
    """A model of one topic after minibatches of a document each, {word: tokens}, and their rates; D = 1."""
    schedule = Online(batch_size=1, kappa=0.5, tau0=4.0, total=1.0)
    words = OpenVocabulary(**{"truncation": 2, "reorder_every": 1, "concentration": 5.0, **settings})
    model = LDA(1, words=words, schedule=schedule, inference="hybrid", random_state=0)
    rates = []
    for bag in minibatches:
        model.partial_fit([[word for word, n in bag.items() for _ in range(n)]])
        rates.append(model.trace_[-1]["rate"])
    return model, rates


def counts_of(model):
    """{word: count} of the only topic, in its order."""
    return dict(zip(*in_order(model.engine_.table.whole(), 0), strict=True))


def test_a_word_that_left_and_comes_back_is_new():
    """The three memories, by hand: c is third of two in the first step."""
    steps = ({"a": 5, "b": 3, "c": 2}, {"c": 9, "a": 1})
    model, rates = stream(steps[0], memory="discard")
    assert counts_of(model) == pytest.approx({"a": 5 * rates[0], "b": 3 * rates[0]})
    assert model.trace_[0]["vocabulary"] == {"size": 2, "entered": 3, "left": 1}
    model, (r, s) = stream(*steps, memory="discard")
    assert list(counts_of(model)) == ["c", "a"]
    assert counts_of(model)["a"] == pytest.approx((1 - s) * 5 * r + s)
    assert counts_of(model)["c"] == pytest.approx(9 * s)
    model, (r, s) = stream(*steps, memory="keep")
    assert counts_of(model)["c"] == pytest.approx((1 - s) * 2 * r + 9 * s)
    assert counts_of(model)["b"] == pytest.approx((1 - s) * 3 * r), "b is kept, outside"
    assert set(model.vocabulary_.words) == {"a", "c"}
    assert model.topic_word_.sum() + model.rest_[0] == pytest.approx(1.0)
    model, (r, s) = stream(*steps, memory="bloom")
    assert counts_of(model) == pytest.approx({"c": 9 * s, "a": 1 * s})
    assert model.trace_[0]["vocabulary"] == {"size": 0, "entered": 0, "left": 0}


def test_a_filter_counts_documents_not_tokens():
    model, _ = stream({"a": 7, "b": 1}, {"b": 1}, memory="bloom")
    assert list(counts_of(model)) == ["b"]


def test_words_decay_and_leave_in_time():
    model, _ = stream({"old": 3, "a": 1}, *[{"a": 4, "b": 3}] * 12)
    assert model.vocabulary_.words == ("a", "b")
    assert model.vocabulary_.tokens.tolist() == pytest.approx(list(counts_of(model).values()))
    assert model.components_[0].tolist() == pytest.approx(list(counts_of(model).values()))


def test_new_words_come_last_until_the_next_order():
    """U = 3: in the first step by counts, in the second at the end, after the third by rank."""
    settings = {"truncation": 9, "reorder_every": 3}
    model, _ = stream({"b": 1, "a": 1, "c": 5}, {"late": 9}, **settings)
    assert list(counts_of(model)) == ["c", "a", "b", "late"]
    model, _ = stream({"b": 1, "a": 1, "c": 5}, {"late": 9}, {"late": 9}, **settings)
    assert list(counts_of(model)) == ["late", "c", "a", "b"]


def test_documents_of_new_words_alone():
    model, _ = stream({"a": 2, "b": 1}, {"c": 3, "d": 1}, truncation=9)
    assert set(model.vocabulary_.words) == {"a", "b", "c", "d"}
    assert model.trace_[-1]["vocabulary"] == {"size": 4, "entered": 2, "left": 0}


# Settings


@pytest.mark.parametrize(
    "settings",
    [
        {"concentration": 0.0},
        {"concentration": -1.0},
        {"concentration": float("nan")},
        {"concentration": float("inf")},
        {"concentration": 1e8},
        {"concentration": 1e-3},
        {"concentration": True},
        {"concentration": "much"},
        {"concentration": None},
        {"truncation": 0},
        {"truncation": -3},
        {"truncation": 2.5},
        {"truncation": True},
        {"truncation": "20"},
        {"reorder_every": 0},
        {"reorder_every": 1.5},
        {"reorder_every": None},
        {"outside": "nothing"},
        {"outside": None},
        {"rank_by": "size"},
        {"rank_by": ["counts"]},
        {"memory": "forget"},
        {"memory": 3},
        {"spelling": "short"},
        {"spelling": None},
    ],
    ids=str,
)
def test_settings_that_make_no_sense_are_told_in_one_line(settings):
    (name,) = settings
    with pytest.raises(UserError, match=name) as told:
        OpenVocabulary(**settings)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("words", ["opened", None, 3, OpenVocabulary])
def test_words_that_are_neither_open_nor_closed(words):
    with pytest.raises(UserError, match="words="):
        LDA(2, words=words).fit([["a", "b"]])
