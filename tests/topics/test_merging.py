"""Topics merged after a fit: the others stay as they were, and all that goes with topics follows."""

import itertools
import json

import numpy as np
import pytest
from tests.running import planted_documents, write_lines

from stickbreaker import HDP, LDA, Corpus, Guide, UserError
from stickbreaker.corpus import Document
from stickbreaker.saved import ModelDirectory
from stickbreaker.testing.estimators import begin
from stickbreaker.topics.merging import joined_by_information
from stickbreaker.topics.report.document_entries import read_documents, read_metadata_sums

QUICK = {"random_state": 1, "n_jobs": 1, "max_iter": 4, "tol": 0.0}


@pytest.fixture
def learned(texts):
    return LDA(6, **QUICK).fit(texts)


def words_and_shares(model):
    """What the user sees of each topic: its words by every ranking, and its share."""
    words = [model.top_words(12, by=by) for by in ("support", "documents", "probability")]
    return [(*rows, float(share)) for *rows, share in zip(*words, model.topic_shares_, strict=True)]


def test_topics_that_are_not_merged_stay_as_they_were(learned, texts, tmp_path):
    learned.name_topics({1: "one", 5: "five"})
    before, beta, shares = words_and_shares(learned), learned.topic_word_, learned.topic_shares_
    names, ids, alpha = learned.topic_names_, learned.topic_ids_, learned.alpha_
    counts = learned.components_ - learned.eta_
    assert learned.merge_topics([[4, 2]]) is learned
    into, gone = (2, 4) if shares[2] >= shares[4] else (4, 2)
    numbers = learned.merges_[-1]
    assert numbers[2] == numbers[4]
    assert sorted(set(numbers)) == list(range(5))
    loaded = (learned.save(tmp_path / "m"), LDA.load(tmp_path / "m"))[1]
    for model in (learned, loaded):
        assert model.n_topics == 5
        for old in (0, 1, 3, 5):
            new = numbers[old]
            assert words_and_shares(model)[new] == before[old]
            np.testing.assert_array_equal(model.topic_word_[new], beta[old])
            assert (model.topic_names_[new], model.topic_ids_[new]) == (names[old], ids[old])
            assert model.alpha_[new] == alpha[old]
        merged = numbers[2]
        assert model.topic_ids_[merged] == ids[into]
        assert gone not in model.topic_ids_
        assert model.topic_shares_[merged] == pytest.approx(shares[2] + shares[4])
        assert model.alpha_[merged] == pytest.approx(alpha[2] + alpha[4])
        np.testing.assert_allclose(model.components_[merged] - model.eta_, counts[2] + counts[4])
        assert model.merges_ == (numbers,)


def test_shares_of_documents_are_about_the_sums(texts):
    model = LDA(6, alpha=0.1, **QUICK).fit(texts)
    before = model.transform(texts)
    model.merge_topics([[0, 1, 3], [4, 5]])
    sums = np.zeros((len(texts), 3))
    np.add.at(sums.T, list(model.merges_[-1]), before.T)
    after = model.transform(texts)
    assert np.abs(after - sums).mean() < 0.05
    assert (after.argmax(axis=1) == sums.argmax(axis=1)).mean() > 0.9


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([[1, 6]], "there is no topic 6; topics run from 0 to 5"),
        ([[1, -1]], "there is no topic -1"),
        ([[1, True]], "there is no topic True"),
        ([[1, "2"]], "there is no topic '2'"),
        ([[1, 2], [2, 3]], "topic 2 is in two of the lists of topics to merge; join these lists"),
        ([[1, 2, 1]], "topic 1 is twice in a list of topics to merge"),
        ([[1]], "[1] is not a list of topics to merge; give two topics or more"),
        ([[]], "[] is not a list of topics to merge"),
        ([], "there are no topics to merge"),
        ([1, 2], "1 is not a list of topics to merge; give lists of topic numbers"),
        (["12"], "'12' is not a list of topics to merge"),
        (7, "the topics to merge are not a list of lists"),
    ],
)
def test_mistakes_are_one_line_and_change_nothing(learned, groups, message):
    before = words_and_shares(learned)
    with pytest.raises(UserError) as told:
        learned.merge_topics(groups)
    assert message in str(told.value)
    assert "\n" not in str(told.value)
    assert words_and_shares(learned) == before
    assert learned.merges_ == ()


@pytest.mark.parametrize("number", [6, 0, -1, 2.5, True, "3"])
def test_a_number_to_reduce_to_is_below_the_present_one(learned, number):
    with pytest.raises(UserError, match="are not fewer than the 6 topics that there are"):
        learned.reduce_topics(number)


def test_what_is_not_fitted_has_no_topics_to_merge():
    for merge in (lambda: LDA(4).merge_topics([[0, 1]]), lambda: LDA(4).reduce_topics(2)):
        with pytest.raises(UserError, match="there are no topics to merge; call fit first"):
            merge()


def test_a_merged_topic_has_a_name_if_one_of_its_topics_has(learned):
    order = np.argsort(-learned.topic_shares_).tolist()
    learned.name_topics({order[1]: "second", order[2]: "third", order[4]: "fifth"})
    learned.merge_topics([order[:3], order[3:5]])
    names = [learned.topic_names_[learned.merges_[-1][k]] for k in (order[0], order[3], order[5])]
    assert names == ["second", "fifth", None]
    assert len(learned.given_names_) == 2


def test_topics_of_planted_subjects_are_joined(texts):
    """Nine topics of three subjects are reduced to these."""
    model = LDA(9, random_state=3, n_jobs=1, max_iter=30).fit(texts)
    subject = np.arange(len(texts)) % 3
    model.reduce_topics(3)
    largest = model.transform(texts).argmax(axis=1)
    assert [len(set(largest[subject == k])) for k in range(3)] == [1, 1, 1]
    assert len(set(largest)) == 3


def test_joins_lose_least_information():
    """Each join is the best of all pairs, by mutual information of topics and words before and after."""
    draw = np.random.default_rng(0)
    words, shares = draw.dirichlet(np.full(12, 0.3), 7), draw.dirichlet(np.ones(7))

    def information(groups):
        joint = np.stack([(shares[own, None] * words[own]).sum(axis=0) for own in groups])
        independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
        return float((joint * np.log(joint / independent)).sum())

    groups = [[k] for k in range(7)]
    for n in range(6, 1, -1):
        pairs = itertools.combinations(range(len(groups)), 2)
        joins = [
            [own for place, own in enumerate(groups) if place not in pair]
            + [groups[pair[0]] + groups[pair[1]]]
            for pair in pairs
        ]
        groups = max(joins, key=information)
        found = joined_by_information(words, shares, n)
        assert sorted(map(sorted, found)) == sorted(map(sorted, groups))


def test_topics_of_one_name_are_joined_first(learned):
    learned.name_topics({0: "same", 5: "same"}).reduce_topics(5)
    numbers = learned.merges_[-1]
    assert numbers[0] == numbers[5]
    assert learned.topic_names_.count("same") == 1


def test_learning_continues_with_merged_topics(texts):
    model = LDA(4, **QUICK).partial_fit(texts[:40])
    words = model.top_words(5)
    model.merge_topics([[0, 1]])
    kept = [model.top_words(5)[model.merges_[-1][k]] for k in (2, 3)]
    assert kept == [words[2], words[3]]
    assert model.partial_fit(texts[40:]).transform(texts).shape == (60, 3)


def test_words_of_a_stream_stay_when_it_is_loaded(texts, tmp_path):
    model = LDA(4, **QUICK).partial_fit(texts[:40]).merge_topics([[0, 1]])
    model.save(tmp_path / "m")
    loaded = LDA.load(tmp_path / "m")
    assert loaded.top_words(5) == model.top_words(5)
    assert loaded.partial_fit(texts[40:]).top_words(5) == model.partial_fit(texts[40:]).top_words(5)


@pytest.mark.parametrize(
    "settings",
    [
        {"words": "open", "inference": "hybrid"},
        {"inference": "gibbs", "alpha": np.array([0.1, 0.2, 0.3, 0.4])},
        {"eta": np.full((4, 24), 0.02), "alpha": "learned-symmetric"},
    ],
    ids=["open", "alpha of each", "eta of each"],
)
def test_other_settings_follow(texts, tmp_path, settings):
    settings = {**QUICK, "max_iter": 12 if settings.get("inference") == "gibbs" else 4, **settings}
    model = LDA(4, **settings).fit(texts)
    before, parameters = words_and_shares(model), model.components_
    model.merge_topics([[0, 2]]).save(tmp_path / "m")
    numbers = model.merges_[-1]
    for found in (model, LDA.load(tmp_path / "m")):
        assert [words_and_shares(found)[numbers[k]] for k in (1, 3)] == [before[k] for k in (1, 3)]
        np.testing.assert_array_equal(found.components_[[numbers[1], numbers[3]]], parameters[[1, 3]])
        assert found.transform(texts[:2]).sum() == pytest.approx(2.0)


def test_guided_topics_stay_those_of_the_guide(texts, tmp_path):
    guide = Guide({"sky": ["planet", "star"], "sea": ["boat"], "space": {"moon": 5.0}})
    model = LDA(5, guide=guide, **QUICK).fit(texts)
    before = model.topic_word_
    model.merge_topics([[0, 2], [3, 1]]).save(tmp_path / "m")
    numbers = model.merges_[-1]
    name = "sky" if numbers[0] == 0 and model.guided_names[0] == "sky" else "space"
    for found in (model, LDA.load(tmp_path / "m")):
        assert sorted(filter(None, found.guided_names)) == sorted([name, "sea"])
        assert found.guided_names[numbers[1]] == "sea"
        np.testing.assert_array_equal(found.topic_word_[numbers[4]], before[4])
    words = dict(model.guide.pairs())[name]
    assert words == {"planet": 10.0, "star": 10.0, "moon": 5.0}


@pytest.mark.parametrize("settings", [{}, {"representation": "franchise"}, {"inference": "gibbs"}])
def test_an_hdp_is_merged(texts, tmp_path, settings):
    settings = {**QUICK, "max_iter": 20 if settings.get("inference") == "gibbs" else 4, **settings}
    model = HDP(8, **settings).fit(texts)
    before, last = words_and_shares(model), len(model.alpha_) - 1
    assert last > 1
    alpha = model.alpha_.sum()
    model.merge_topics([[0, last]]).save(tmp_path / "m")
    for found in (model, HDP.load(tmp_path / "m")):
        assert found.n_topics_ == last
        assert [words_and_shares(found)[found.merges_[-1][k]] for k in range(1, last)] == before[1:last]
        if settings.get("representation") != "franchise":  # sticks are sorted, and their means then differ
            assert found.alpha_.sum() == pytest.approx(alpha)


def test_a_new_fit_forgets_merges(learned, texts):
    assert learned.merge_topics([[0, 1]]).fit(texts).merges_ == ()
    assert len(learned.alpha_) == 5


# Saved models


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A saved model whose documents have dates and labels."""
    place = tmp_path_factory.mktemp("merged")
    rows = [
        Document(one["id"], one["text"], metadata={"date": f"20{10 + n % 4}-01-01", "label": one["label"]})
        for n, one in enumerate(planted_documents())
    ]
    corpus = Corpus.from_documents(rows)
    model = LDA(6, **QUICK).fit(corpus).name_topics({3: "three"})
    model.save(place / "m", documents=corpus)
    return place / "m"


def test_documents_of_the_report_follow(saved, tmp_path, cli):
    result = json.loads(cli("merge", saved, "1,4", "0,5", "--out", tmp_path / "n", "--json").stdout)
    numbers = result["numbers"]
    assert result["topics_before"] == 6
    assert ModelDirectory(tmp_path / "n").manifest()["merges"] == [numbers]
    (documents, figures), (merged, others) = read_documents(saved), read_documents(tmp_path / "n")
    for one, other in zip(documents, merged, strict=True):
        sums: dict[int, float] = {}
        for topic, share in one.mix:
            sums[numbers[topic]] = sums.get(numbers[topic], 0.0) + share
        assert dict(other.mix) == pytest.approx(sums)
        assert all(more > less - 1e-6 for (_, more), (_, less) in itertools.pairwise(other.mix))
        assert [k for _, _, k in other.marks] == [numbers[k] for _, _, k in one.marks]
        assert one.text == other.text
    for old, value in enumerate(figures["coherence"]):
        assert others["coherence"][numbers[old]] == (value if old in (2, 3) else None)
    before, after = read_metadata_sums(saved, 6), read_metadata_sums(tmp_path / "n", 4)
    assert before.fields.keys() == after.fields.keys() == {"date", "label"}
    for name, one in before.fields.items():
        for value, row in one.values.items():
            added = np.zeros(4, np.int64)
            np.add.at(added, numbers, row[2:])
            np.testing.assert_array_equal(after.fields[name].values[value], [*row[:2], *added])
    cli("report", tmp_path / "n", "--out", tmp_path / "r.html")
    assert "6 → 4" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_a_loaded_model_keeps_documents_when_it_is_merged_and_saved(saved, tmp_path):
    loaded = LDA.load(saved).merge_topics([[0, 1]]).reduce_topics(3)
    assert [max(numbers) + 1 for numbers in loaded.merges_] == [5, 3]
    page = loaded.report()
    assert "planet" in page.html
    loaded.save(tmp_path / "n")
    assert len(read_documents(tmp_path / "n")[0]) == 60
    loaded.partial_fit(["river boat bank"]).save(tmp_path / "o")
    assert not (tmp_path / "o" / "documents.parquet").exists()


def test_the_table_says_what_each_topic_was(saved, tmp_path, cli):
    lines = cli("merge", saved, "--topics", 3, "--out", tmp_path / "n").stdout.splitlines()
    assert lines[0].split()[:3] == ["topic", "was", "share"]
    olds = [line.split("  ") for line in lines[1:4]]
    assert sorted(int(k) for row in olds for part in row for k in part.split(",") if "," in part) != []
    assert lines[4] == f"{tmp_path / 'n'}: 3 topics of 6"
    assert json.loads(cli("topics", tmp_path / "n", "--json").stdout)["topics"][0]["topic"] < 3


def test_mistakes_of_the_command_are_one_line(saved, tmp_path, cli):
    out = ("--out", tmp_path / "n")
    assert "give lists of topics to merge" in cli("merge", saved, *out, code=2).stderr
    assert "give lists of topics to merge" in cli("merge", saved, "0,1", "--topics", 3, *out, code=2).stderr
    assert "'1;2' is not a list of topics, such as 3,7" in cli("merge", saved, "1;2", *out, code=2).stderr
    for line, message in (
        (("0,9",), "stickbreaker: there is no topic 9; topics run from 0 to 5"),
        (("0,1", "1,2"), "stickbreaker: topic 1 is in two of the lists"),
        (("--topics", 6), "stickbreaker: 6 topics are not fewer than the 6 topics that there are"),
    ):
        told = cli("merge", saved, *line, *out, code=1).stderr
        assert told.startswith(message)
        assert told.count("\n") == 1
    assert not (tmp_path / "n").exists()
    assert "already exists" in cli("merge", saved, "0,1", "--out", saved, code=1).stderr


def test_a_run_under_way_is_not_merged(planted, tmp_path, cli):
    from stickbreaker import LDA

    corpus = write_lines(tmp_path / "p.jsonl", planted_documents(20))
    cli("corpus", "build", corpus, "--out", tmp_path / "c")
    begin(LDA(3, max_iter=3, random_state=0), Corpus.open(tmp_path / "c"), tmp_path / "m")
    done = cli("merge", tmp_path / "m", "0,1", "--out", tmp_path / "n", code=1)
    assert "is a run under way; end it first: stickbreaker resume" in done.stderr
