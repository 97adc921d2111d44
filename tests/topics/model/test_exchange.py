"""The exchange of streams: half of a giant for the smallest topic."""

import numpy as np
import pytest
from tests.tiers import sampled

from stickbreaker import HDP, LDA, Online, UserError
from stickbreaker.core.edits import Dissolve, Permute, Split, apply_to_stats
from stickbreaker.core.records import Field, Rows, Stats
from stickbreaker.learning import moves
from stickbreaker.testing import plant_topics
from stickbreaker.topics.model.moves.exchange import WAIT, Exchange, exchanges
from stickbreaker.topics.model.moves.split_merge_settings import SplitMerge
from stickbreaker.topics.model.moves.trials import topic_of

BATCH = 100


def sorted_by_kind(seed, n_documents=1600, n_topics=12):
    """Planted documents, those of one topic after those of another."""
    planted = plant_topics(n_documents, n_topics, 600, 60, 0.05, 0.05, seed)
    return planted.counts[np.argsort(planted.theta.argmax(axis=1), kind="stable")]


def texts_of(counts):
    """The same documents as texts of words without meaning."""
    return [
        " ".join(f"w{v}x" for v, n in zip(row.indices, row.data.astype(int), strict=True) for _ in range(n))
        for row in counts
    ]


def learned(documents, kind=LDA, **settings):
    given = {"n_topics": 12, "random_state": 0, "schedule": Online(batch_size=BATCH), "point_topics": False}
    model = kind(**{**given, **settings})  # point topics seldom have giants to part
    return continued(model, documents)


def continued(model, documents):
    n = documents.shape[0] if hasattr(documents, "shape") else len(documents)
    for start in range(0, n, BATCH):
        model.partial_fit(documents[start : start + BATCH])
    return model


def edits_of(model, move):
    return [edit for record in model.trace_ for edit in record.get("edits", ()) if edit["move"] == move]


def effective(model):
    shares = model.topic_shares_
    return float(np.exp(-(shares * np.log(np.maximum(shares, 1e-300))).sum()))


@pytest.mark.parametrize("inference", sampled(["mean-field", "hybrid"], 1))
@pytest.mark.parametrize("words", sampled(["closed", "open"], 1))
def test_a_stream_sorted_by_kind_keeps_its_topics(inference, words):
    counts = sorted_by_kind(1)
    documents = texts_of(counts) if words == "open" else counts
    without, model = (
        learned(documents, inference=inference, words=words, moves=moves) for moves in (None, "exchange")
    )
    assert edits_of(without, "split") == []
    assert 1 <= len(edits_of(model, "split")) == len(edits_of(model, "merge"))
    assert effective(model) > effective(without) + 1.5
    assert model.topic_shares_.max() < without.topic_shares_.max()
    assert model.topic_word_.shape[0] == 12
    assert len(set(model.topic_ids_)) == 12


@pytest.mark.parametrize(
    ("inference", "words", "moves"),
    sampled(
        [
            ("mean-field", "closed", "split-merge"),
            ("mean-field", "open", "split-merge"),
            ("hybrid", "closed", "births"),
            ("hybrid", "open", "births"),
        ],
        1,
        several=True,
    ),
)
def test_a_stream_of_an_hdp_keeps_its_topics_too(inference, words, moves):
    counts = sorted_by_kind(1)
    documents = texts_of(counts) if words == "open" else counts
    given = {"kind": HDP, "inference": inference, "words": words}
    without, model = (learned(documents, moves=chosen, **given) for chosen in (None, moves))
    assert edits_of(without, "split") == []
    splits, merges = (edits_of(model, move) for move in ("split", "merge"))
    assert splits
    if moves == "split-merge":  # no topic opens for itself
        assert len(splits) == len(merges)
        assert all(edit.get("gain") is None for edit in (*splits, *merges))
    assert effective(model) > effective(without) + 0.5
    assert model.topic_shares_.max() < without.topic_shares_.max()
    assert len(set(model.topic_ids_)) == model.n_topics_


def test_a_stream_of_an_hdp_goes_on_from_a_fit_with_moves(tmp_path):
    """What `fit` remembers of splits and merges is not what a stream remembers of its giants."""
    counts = sorted_by_kind(1)
    model = HDP(12, random_state=0, schedule="batch", max_iter=20, point_topics=False).fit(counts[::9])
    assert "failed" in model.params_
    model.set_params(schedule=Online(batch_size=BATCH))
    model.save(tmp_path / "m")
    found = [continued(each, counts) for each in (model, HDP.load(tmp_path / "m"))]
    assert found[0].components_.tobytes() == found[1].components_.tobytes()
    assert "rested" in found[0].params_


@pytest.mark.parametrize(
    ("given", "memory"),
    [
        ({}, "rested"),
        ({"moves": "births"}, "rested"),
        ({"moves": SplitMerge("halves")}, "failed"),
        ({"moves": None}, ""),
        ({"representation": "franchise"}, ""),
    ],
)
def test_streams_of_an_hdp_remember_what_their_moves_need(given, memory):
    params = learned(sorted_by_kind(1)[:300], kind=HDP, **given).params_
    assert {"rested", "failed"} & set(params) == ({memory} if memory else set())


def test_an_exchange_moves_counts_and_makes_none():
    """A step that learns nothing leaves every word's tokens as they were, whatever topics changed places."""
    counts = sorted_by_kind(1)
    model = learned(counts[:800], moves=None)
    before = model.engine_.table.counts(slice(None)).sum(axis=1)
    model.moves = "exchange"
    model.schedule = Online(batch_size=BATCH, kappa=1.0, tau0=1e12)  # a rate of nothing
    model.partial_fit(counts[:800:4])
    assert edits_of(model, "split")
    after = model.engine_.table.counts(slice(None)).sum(axis=1)
    np.testing.assert_allclose(after, before, rtol=1e-6)


def test_a_new_topic_takes_the_place_of_the_one_that_left():
    """All others stay in their columns, with their lasting numbers."""
    counts = sorted_by_kind(1)
    model = learned(counts)
    before = list(range(12))
    for record in model.trace_:
        for merge, split in zip(*[iter(record.get("edits", ()))] * 2, strict=True):
            assert (merge["move"], split["move"]) == ("merge", "split")
            before[before.index(merge["gone"])] = split["new"]
            assert merge["topic"] in before
            assert split["topic"] in before
    assert model.topic_ids_ == before


def test_the_table_s_half_is_that_of_the_documents(monkeypatch):
    """A new topic's words in the table are like those that the minibatch's documents give it; with the shares
    of the other half they are like those that the documents leave to the giant, in each of the exchanges."""
    found, real = [], moves.make

    def make(model, engine, shape, accepted):
        shape, made = real(model, engine, shape, accepted)
        rows = shape.stats.rows.rows()
        counts = engine.table.counts(slice(None))[rows.positions]
        for merge, split in zip(*[iter(accepted)] * 2, strict=True):
            halves = [int(item.plan.split()[1]) for item in (merge, split)]  # the new topic, and what is left
            found.append((counts[:, halves], rows.values[:, halves]))
        return shape, made

    monkeypatch.setattr(moves, "make", make)
    learned(sorted_by_kind(1))
    assert found
    for of_table, of_documents in found:
        a, b = (each / np.linalg.norm(each, axis=0) for each in (of_table, of_documents))
        cosines = a.T @ b
        assert cosines[0, 0] * cosines[1, 1] > 1.5 * cosines[0, 1] * cosines[1, 0], cosines


def test_a_giant_whose_halves_are_alike_rests_for_two_minibatches(monkeypatch):
    tried, real = {}, Exchange._begin

    def begin(self, params, stats, survey, table, step):
        plans = real(self, params, stats, survey, table, step)
        for plan in plans:
            if plan.name.startswith("split"):
                tried.setdefault(topic_of(plan.change["topic"]), []).append(step)
        return plans

    monkeypatch.setattr(Exchange, "_begin", begin)
    model = learned(one_kind_after_many(), n_topics=8)
    assert edits_of(model, "split") == []
    for topic, steps in tried.items():
        assert len(steps) > 2
        assert np.diff([step.number for step in steps]).min() == WAIT
        assert model.params_["rested"].values[topic] == steps[-1].seen + WAIT * BATCH


def one_kind_after_many():
    """A minibatch of eight kinds of documents, then eight of one."""
    many = plant_topics(BATCH, 8, 300, 80, 0.05, 0.05).counts.toarray()
    one = np.random.default_rng(0).multinomial(80, plant_topics(1, 1, 300, seed=9).topics[0], 8 * BATCH)
    return np.concatenate([many, one]).astype(float)


def test_documents_of_one_kind_are_not_parted():
    """Halves that are alike are one topic: the giant stays, and rests."""
    model = learned(one_kind_after_many(), n_topics=8)
    assert edits_of(model, "split") == []
    assert model.params_["rested"].values.max() > 0.0


def test_threads_do_not_change_a_bit():
    counts = sorted_by_kind(2, 600)
    tables = [
        learned(counts, schedule=Online(batch_size=400), n_jobs=threads).components_.tobytes()
        for threads in (1, 3)
    ]
    assert tables[0] == tables[1]


def test_an_online_fit_of_open_words_exchanges_giants_too():
    documents = texts_of(sorted_by_kind(1, 800))
    schedule = Online(batch_size=BATCH, shuffle=False)
    without, model = (
        LDA(n_topics=12, words="open", schedule=schedule, max_iter=3, random_state=0, moves=moves).fit(
            documents
        )
        for moves in (None, "exchange")
    )
    assert edits_of(without, "split") == []
    assert 1 <= len(edits_of(model, "split")) == len(edits_of(model, "merge"))
    assert effective(model) > effective(without) + 0.5
    assert model.topic_shares_.max() < without.topic_shares_.max()


def test_fit_of_closed_words_makes_no_exchange():
    model = LDA(n_topics=6, schedule="online", max_iter=2, random_state=0).fit(sorted_by_kind(1, 400))
    assert edits_of(model, "split") == []


def test_moves_are_exchange_or_none():
    with pytest.raises(UserError, match='moves is "exchange" or None'):
        LDA(moves="split-merge").fit(np.eye(3))


def test_many_starved_topics_and_few_giants():
    votes = np.array([40.0, 30.0, *np.ones(10) * 0.1])
    totals = np.array([50.0, 50.0, *np.arange(1.0, 11.0) * 0.1])
    ready = np.ones(12, np.bool_)
    assert exchanges(votes, totals, ready) == [(0, 2), (1, 3)]
    ready[0] = False
    assert exchanges(votes, totals, ready) == [(1, 2)]
    assert exchanges(np.ones(12), np.ones(12), ready) == []


def test_words_that_the_table_lacks_follow_an_exchange():
    """Their counts are shared out; how many documents they are in, which comes last, is not."""
    row = np.array([4.0, 1.0, 2.0, 7.0])
    stats = Stats(Rows(np.empty(0, np.int64), np.empty((0, 3))), {"new": row})
    edit = (Dissolve("topics", 1, (2,), (1.0,)), Split("topics", 0, 0.25), Permute("topics", (0, 2, 1)))
    after = apply_to_stats(edit, stats, "words", "topics", 0)
    assert after.new_rows["new"].tolist() == [3.0, 1.0, 3.0, 7.0]


def test_a_stream_is_read_again_as_it_was(tmp_path):
    """With the alpha that streams have, which its settings then tell, whatever the default becomes."""
    model = learned(sorted_by_kind(1, 200), alpha=None)
    model.save(tmp_path / "model")
    again = LDA.load(tmp_path / "model")
    assert again.alpha == 0.2
    assert model.alpha is None
    assert np.array_equal(again.alpha_, np.full(12, 0.2))
    batch = sorted_by_kind(3, 100)
    assert np.array_equal(again.partial_fit(batch).components_, model.partial_fit(batch).components_)


def test_votes_are_documents_not_tokens():
    """One long document is one vote."""
    from stickbreaker.contracts.contract import Proposal
    from stickbreaker.corpus.shards import Bags, shard_of
    from stickbreaker.topics.model.moves.trials import evaluate_proposals
    from stickbreaker.topics.model.slots import TopicView

    bags = Bags(np.array([0, 1, 2]), np.array([0, 1]), np.array([1000.0, 2.0], np.float32), np.zeros(2))
    shard = shard_of(bags, np.arange(2), 2)
    view = TopicView(np.ones((2, 2), np.float32), np.zeros(2), None, np.full(2, 0.5))
    gamma = Field(np.array([[1000.5, 0.5], [0.5, 2.5]]), ("documents", "topics"))
    survey = Proposal("votes", {"votes": Field(np.array(1.0))})
    trial = evaluate_proposals(view, shard, {"gamma": gamma}, [survey])[1]["votes"]
    assert trial.usage["votes"].values.tolist() == [1.0, 1.0]


@pytest.mark.filterwarnings("error::RuntimeWarning", "ignore::UserWarning")
def test_a_giant_of_short_documents_rests():
    """None has the five words by which a document says something of the giant's halves."""
    generator = np.random.default_rng(0)

    def texts(kinds, size):
        words = [[f"w{kind}{letter}" for letter in "abcdefgh"] for kind in kinds]
        return [" ".join(generator.choice(words[k], size)) for k in generator.choice(len(kinds), 100)]

    model = LDA(8, schedule="online", alpha=0.1, random_state=0, moves="exchange")
    for _ in range(3):
        model.partial_fit(texts("stuvwxyz", 30))
    for _ in range(25):
        model.partial_fit(texts("s", 3))
    giant = int(model.topic_shares_.argmax())
    assert model.topic_shares_[giant] > 0.9
    assert model.params_["rested"].values[giant] > 300
    assert edits_of(model, "split") == []
