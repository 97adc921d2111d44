"""Trees of concepts: what they compile to, what they weigh, and what topics over them learn."""

import json
import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from tests.oracle import concept_trees as oracle
from tests.topics.model.test_polylingual import WORDS as BOTH
from tests.topics.model.test_polylingual import TwoLanguages

from stickbreaker import HDP, LDA, ConceptTree, Corpus, UserError, Vocabulary, load
from stickbreaker.contracts.contract import Score
from stickbreaker.corpus import VocabularyRule
from stickbreaker.corpus.source import Source
from stickbreaker.testing import MeanFieldTests, VariationalTests, plant_languages
from stickbreaker.testing.planted import matched
from stickbreaker.topics.model.model import TopicModel
from stickbreaker.topics.model.priors.dirichlet import DirichletPrior
from stickbreaker.topics.model.solvers.mean_field import MeanField
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary
from stickbreaker.topics.model.vocabularies.concepts import ConceptVocabulary
from stickbreaker.topics.model.vocabularies.tree_compiler import compiled
from stickbreaker.topics.runs.initialization import seed_from_documents

ETA = 0.3
TWO = Vocabulary.joined(
    {
        "de": Vocabulary.of(["de:haus", "de:baum", "de:und", "de:heim", "de:wald"]),
        "en": Vocabulary.of(["en:house", "en:tree", "en:and", "en:home", "en:wood"]),
    }
)
PAIRS = [
    {"concept": "house", "words": {"de": ["haus", "heim"], "en": ["house", "home"]}},
    {"concept": "tree", "words": {"de": ["baum"], "en": ["tree"]}},
    {"concept": "wood", "words": {"de": ["wald"], "en": ["wood", "tree"]}},
]
NESTED = [
    *PAIRS[:1],
    {"concept": "plants", "words": {"de": ["wald"], "en": ["wood"]}},
    {"concept": "tree", "words": {"de": ["baum"], "en": ["tree"]}, "parent": "plants"},
    {"concept": "timber", "words": {"en": ["wood", "home"]}},
]
ONE = Vocabulary.of(["river", "water", "bank", "money", "loan", "boat"])
SENSES = [
    {"concept": "wet", "words": ["river", "water"]},
    {"concept": "money", "words": ["money", "loan", "bank"]},
    {"concept": "shore", "words": ["bank", "river"], "parent": "wet"},
]
TREES = {
    "pairs": (ConceptTree(PAIRS), TWO),
    "nested": (ConceptTree(NESTED, strength=7.0), TWO),
    "senses": (ConceptTree(SENSES, strength=3.0), ONE),
    "no word alone": (
        ConceptTree([{"concept": "all", "words": {"de": [w[3:] for w in TWO.words[:5]], "en": ["and"]}}]),
        TWO,
    ),
}


@pytest.fixture(params=TREES)
def tree(request):
    return compiled(*TREES[request.param])


def slot_and_counts(tree, seed=0, topics=3):
    """A slot, and counts (leaves × topics) with their totals by group."""
    counts = np.random.default_rng(seed).gamma(0.7, 3.0, (tree.n_leaves, topics))
    totals = np.zeros((tree.n_groups, topics))
    np.add.at(totals, tree.groups, counts)
    return ConceptVocabulary(tree, ETA), counts, totals


def test_words_of_each_language_have_shares_that_sum_to_one(tree):
    slot, counts, totals = slot_and_counts(tree)
    shares = slot._words(slot.start(), counts, totals, np.arange(tree.n_leaves))
    halves = (slice(0, 5), slice(5, 10)) if tree.n_words == 10 else (slice(None),)
    for half in halves:
        assert shares[half].sum(axis=0) == pytest.approx(np.ones(3), abs=1e-12)
    assert (shares > 0.0).all()


def test_weights_and_means_are_those_of_the_paths(tree):
    slot, counts, totals = slot_and_counts(tree)
    weights, log_scale, paths = slot.weights(slot.start(), counts, totals, None)
    means = slot.path_probabilities(slot.start(), counts, totals, np.arange(tree.n_leaves))
    walks = oracle.walks(tree)
    for k in range(3):
        taken = oracle.counted(tree, counts[:, k].tolist())
        wanted = [oracle.log_weight(tree, word, taken, ETA) for word in range(tree.n_words)]
        assert np.log(weights[:, k]) + log_scale == pytest.approx(wanted, abs=1e-5)
        for leaf, (word, way) in enumerate(walks):
            share = np.exp(oracle.expected_log_path(tree, way, taken, ETA) - wanted[word])
            assert paths.shares[leaf, k] == pytest.approx(share, abs=1e-6)
            assert means[leaf, k] == pytest.approx(oracle.mean_path(tree, way, taken, ETA), rel=1e-12)


def test_rows_of_some_words_weigh_what_they_weigh_among_all(tree):
    slot, counts, totals = slot_and_counts(tree)
    whole = slot.weights(slot.start(), counts, totals, None)
    words = np.array([1, 2, tree.n_words - 1])
    rows = slot.reads(words)
    assert set(tree.words[rows].tolist()) == set(words.tolist())
    part = slot.weights(slot.start(), counts[rows], totals, rows)
    assert np.array_equal(part.weights, whole.weights[words])
    assert np.array_equal(part.paths.shares, whole.paths.shares[rows])


def test_the_tables_part_of_the_bound_is_the_divergence_of_every_node(tree):
    """By a sum over nodes of the divergence of two Dirichlet distributions."""
    from scipy.special import gammaln, psi

    slot, counts, totals = slot_and_counts(tree)
    found = slot.score(slot.start(), totals, slot.summary(slot.start(), counts, 0))
    wanted = 0.0
    for k in range(3):
        taken = oracle.counted(tree, counts[:, k].tolist())
        for node in {node for node, _ in taken}:
            own = [(oracle.prior(tree, choice, ETA), n) for (at, choice), n in taken.items() if at == node]
            before = np.array([p for p, _ in own])
            after = before + np.array([n for _, n in own])
            divergence = gammaln(after.sum()) - gammaln(after).sum() - gammaln(before.sum())
            divergence += gammaln(before).sum() + (after - before) @ (psi(after) - psi(after.sum()))
            wanted -= divergence
    assert found == pytest.approx(wanted, rel=1e-10)
    parts = [slot.summary(slot.start(), part, first) for first, part in ((0, counts[:3]), (3, counts[3:]))]
    whole = slot.summary(slot.start(), counts, 0)
    assert all(parts[0][name] + parts[1][name] == pytest.approx(whole[name]) for name in whole)


@pytest.mark.parametrize("name", TREES)
def test_tokens_in_any_order_are_as_probable(name):
    """It is a model: a token depends on counts alone, whatever its language, and their sum is one."""
    tree = compiled(*TREES[name])
    words = [0, 1, tree.n_words - 2]
    both = {oracle.log_words(tree, order, ETA) for order in (words, words[::-1], words[1:] + words[:1])}
    assert max(both) - min(both) < 1e-12
    for part in (range(5), range(5, 10)) if tree.n_words == 10 else (range(tree.n_words),):
        total = sum(np.exp(oracle.log_words(tree, [0, word], ETA)) for word in part)
        assert total == pytest.approx(np.exp(oracle.log_words(tree, [0], ETA)), rel=1e-12)


def test_strength_one_in_one_language_ties_nothing():
    tree, flat = compiled(ConceptTree(SENSES[:1], strength=1.0), ONE), ClosedVocabulary(len(ONE), ETA)
    slot, counts, totals = slot_and_counts(tree)
    same = flat.start(), counts, counts.sum(axis=0, keepdims=True)
    ours, theirs = slot.weights(slot.start(), counts, totals, None), flat.weights(*same, None)
    assert ours.weights == pytest.approx(theirs.weights, rel=1e-6)
    assert ours.log_scale == pytest.approx(theirs.log_scale, abs=1e-12)
    found = slot.score(slot.start(), totals, slot.summary(slot.start(), counts, 0))
    wanted = flat.score(flat.start(), same[2], flat.summary(flat.start(), counts, 0))
    assert found == pytest.approx(wanted, rel=1e-12)


NESTED_TWICE = [
    {"concept": "c0", "words": ["river"]},
    {"concept": "c1", "words": ["river", "water"], "parent": "c0"},
    {"concept": "c2", "words": ["water", "bank"], "parent": "c0"},
    {"concept": "c3", "words": ["water", "boat"]},
]


@pytest.mark.parametrize(
    ("strength", "sizes"), [(100.0, (1 + 198 * 0.75, 1 + 198 * 0.25)), (1.0, (1.0, 1.0)), (0.5, (0.5, 0.5))]
)
def test_words_of_a_concept_have_priors_in_proportion_to_its_counts(strength, sizes):
    row = {"concept": "money", "words": ["money", "loan"], "counts": [30, 10]}
    tree = ConceptTree([row, {"concept": "wet", "words": ["river", "water"]}], strength)
    assert ConceptTree([json.loads(line) for line in tree.lines()], strength) == tree
    found = compiled(tree, ONE).sizes
    assert np.allclose(found[[ONE.index[word] for word in ("money", "loan")]], sizes)
    assert found[[ONE.index[word] for word in ("river", "water", "boat")]].tolist() == [strength] * 2 + [1.0]
    both = [{"concept": "c", "words": PAIRS[0]["words"], "counts": {"de": [3, 1], "en": [1, 1]}}]
    assert np.allclose(compiled(ConceptTree(both, 2.0), TWO).sizes[[0, 3, 5, 8]], [2.5, 1.5, 2.0, 2.0])


@pytest.mark.parametrize("counts", [[1], [1, "2"], [1, -2], [1, float("inf")], {"en": [1, 2]}, "12", 3])
def test_counts_that_are_not_one_for_each_word_are_refused(counts):
    with pytest.raises(UserError, match="the counts of 'a' are not a number for each of its words; give"):
        ConceptTree([{"concept": "a", "words": ["x", "y"], "counts": counts}])


def test_a_model_of_concepts_with_counts_is_the_same_after_updates_and_loading(tmp_path):
    texts = ["sea ship ship wind", "bank money tax", "tax loan money money"] * 5
    rows = [
        {"concept": "a", "words": ["sea", "ship"], "counts": [1, 9]},
        {"concept": "b", "words": ["tax", "loan"]},
    ]
    model = LDA(2, words=ConceptTree(rows), random_state=0, max_iter=3, tol=0.0).fit(texts)
    model.partial_fit(texts[:4]).save(tmp_path / "m")
    assert np.array_equal(load(tmp_path / "m").topic_word_, model.topic_word_)


@pytest.mark.parametrize("concepts", [SENSES, NESTED_TWICE])
def test_at_strength_one_an_edge_has_the_prior_of_the_node_it_leads_to(concepts):
    """Then the tree is a flat Dirichlet over its paths, also where words have several."""
    tree = compiled(ConceptTree(concepts, strength=1.0), ONE)
    entered = tree.entrances >= 0
    assert tree.node_sizes[entered].tolist() == tree.edge_sizes[tree.entrances[entered]].tolist()
    assert tree.node_sizes[~entered].tolist() == [tree.n_leaves]


@pytest.mark.parametrize("name", [name for name, (_, words) in TREES.items() if words is TWO])
def test_at_strength_one_an_edge_has_the_mean_prior_of_the_languages_below(name):
    tree = compiled(ConceptTree(TREES[name][0].concepts, strength=1.0), TWO)
    for edge, size in enumerate(tree.edge_sizes):
        assert tree.node_sizes[tree.entrances == edge].mean() == pytest.approx(size, rel=1e-12)


def test_concepts_of_single_languages_are_those_of_models_of_each():
    """What no language shares with another is as if each had a tree of its own."""
    apart = [
        {"concept": "d", "words": {"de": ["haus", "baum"]}},
        {"concept": "e", "words": {"en": ["tree", "wood"]}},
    ]
    tree = compiled(ConceptTree(apart, strength=5.0), TWO)
    alone = [
        compiled(
            ConceptTree([{"concept": "c", "words": words}], strength=5.0), Vocabulary.of(TWO.words[part])
        )
        for words, part in (
            (["de:haus", "de:baum"], slice(0, 5)),
            (["en:tree", "en:wood"], slice(5, 10)),
        )
    ]
    assert tree.apart == 2
    slot, counts, totals = slot_and_counts(tree)
    shares = slot._words(slot.start(), counts, totals, np.arange(tree.n_leaves))
    for own, words in zip(alone, (range(5), range(5, 10)), strict=True):
        leaves = slot.reads(np.array(words))
        mine, counted = ConceptVocabulary(own, ETA), counts[leaves]
        sums = np.zeros((own.n_groups, 3))
        np.add.at(sums, own.groups, counted)
        found = mine._words(mine.start(), counted, sums, np.arange(own.n_leaves))
        assert shares[words.start : words.stop] == pytest.approx(found, rel=1e-12)


def test_a_language_without_words_of_its_own_reaches_all_it_has():
    tree = compiled(*TREES["no word alone"])
    assert tree.spare == ("de",)
    paths = np.diff(tree.starts)
    assert paths[:5].tolist() == [2] * 5
    assert paths[5:].tolist() == [1] * 5


def test_a_language_without_words_of_its_own_inside_a_concept_is_no_remark():
    inside = [
        {"concept": "plant", "words": {"de": ["wald"]}},
        {"concept": "tree", "words": {"de": ["baum"], "en": ["tree"]}, "parent": "plant"},
    ]
    tree = compiled(ConceptTree(inside), TWO)
    assert tree.spare == ()
    assert tree.remarks() == []


THREE = Vocabulary.joined(
    {code: Vocabulary.of([f"{code}:{i}" for i in range(3)]) for code in ("de", "en", "fr")}
)
TWO_OF_THREE = [{"concept": f"c{i}", "words": {"de": [f"{i}"], "en": [f"{i}"]}} for i in range(2)]


def test_concepts_without_a_language_of_the_vocabulary_are_told():
    with pytest.raises(UserError, match="no concept has words in all of de, en, fr; use a corpus"):
        compiled(ConceptTree(TWO_OF_THREE), THREE)
    whole = {"concept": "all", "words": {code: ["2"] for code in THREE.languages}}
    tree = compiled(ConceptTree([*TWO_OF_THREE, whole]), THREE)
    assert (tree.given, tree.concepts, tree.apart, tree.lacking) == (3, 1, 0, 2)
    assert tree.remarks() == ["2 tie nothing, for lack of words in all of de, en, fr"]


def test_languages_that_the_vocabulary_lacks_are_unknown():
    words = {"de": ["haus"], "en": ["house"]}
    both = [{"concept": "a", "words": words}, {"concept": "b", "words": {"deu": ["baum"], "": ["tree"]}}]
    tree = compiled(ConceptTree(both), TWO)
    assert tree.unknown == ("tree", "deu:baum")
    assert compiled(ConceptTree(both[:1]), TWO).unknown == ()
    with pytest.raises(UserError, match=r"\(one language there, de, en in the concepts\)"):
        compiled(ConceptTree(both[:1]), ONE)
    mixed = [{"concept": "a", "words": {"": ["bank", "loan"], "de": ["geld"]}}]
    assert compiled(ConceptTree(mixed), ONE).unknown == ("de:geld",)


def test_a_concept_of_one_word_is_not_counted_among_those_that_tie():
    kinds = [{"concept": "top", "words": ["bank"]}, {"concept": "kind", "words": ["loan"], "parent": "top"}]
    tree = compiled(ConceptTree(kinds), ONE)
    assert (tree.given, tree.concepts, tree.lacking) == (2, 1, 0)
    assert tree.coverage() == "1 of 2 tie words of the corpus"


def test_fit_warns_of_concepts_that_tie_nothing():
    texts = [{"en": "goal match", "de": "tor spiel"}] * 3
    tied = {"concept": "a", "words": {"de": ["tor"], "en": ["goal"]}}
    wrong = {"concept": "b", "words": {"deu": ["spiel"], "en": ["match"]}}
    for learn in (LDA.fit, LDA.partial_fit):
        with pytest.warns(UserWarning, match="concepts: 1 of 2 tie .*: 'deu:spiel'"):
            learn(LDA(2, words=ConceptTree([tied, wrong]), max_iter=2, tol=0.0), texts)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LDA(2, words=ConceptTree([tied]), max_iter=2, tol=0.0).fit(texts)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_tree_gives_each_language_a_distribution(data):
    """Random nested concepts of some languages: E[beta] sums to one, and every word has a path."""
    concepts = []
    for number in range(data.draw(st.integers(1, 6))):
        codes = data.draw(st.sets(st.sampled_from(["de", "en"]), min_size=1))
        words = {
            code: data.draw(
                st.lists(st.sampled_from([w[3:] for w in TWO.words if w.startswith(code)]), unique=True)
            )
            for code in sorted(codes)
        }
        parent = data.draw(st.sampled_from([None, *(f"c{n}" for n in range(number))]))
        concepts.append({"concept": f"c{number}", "words": words, "parent": parent})
    tops = {}
    for concept in concepts:
        top = concept["concept"] if concept["parent"] is None else tops[concept["parent"]]
        tops[concept["concept"]] = top
    words = {top: set() for top in tops.values()}
    for concept in concepts:
        words[tops[concept["concept"]]] |= {(c, w) for c, own in concept["words"].items() for w in own}
    if max(map(len, words.values())) < 2:
        with pytest.raises(UserError, match="two words"):
            compiled(ConceptTree(concepts), TWO)
        return
    tree = compiled(ConceptTree(concepts), TWO)
    assert (np.diff(tree.starts) > 0).all()
    slot, counts, totals = slot_and_counts(tree)
    shares = slot._words(slot.start(), counts, totals, np.arange(tree.n_leaves))
    for half in (slice(0, 5), slice(5, 10)):
        assert shares[half].sum(axis=0) == pytest.approx(np.ones(3), abs=1e-12)


def test_the_score_is_below_log_evidence_and_near_it_where_little_is_hidden():
    """One topic: z is known, and the bound at its best lies below log p(w), summed over paths, by little."""
    tree = compiled(*TREES["pairs"])
    model = TopicModel(DirichletPrior((1.0,)), ConceptVocabulary(tree, ETA), MeanField())
    words = [0, 6, 6, 1, 9, 5]
    from stickbreaker.corpus.shards import Bags, shard_of
    from stickbreaker.engines import LocalEngine

    distinct, counts = np.unique(words, return_counts=True)
    bags = Bags(
        np.array([0, len(distinct)]),
        distinct.astype(np.int32),
        counts.astype(np.float32),
        np.zeros(1, np.float32),
    )
    engine = LocalEngine(1)
    engine.start(model, np.ones((tree.n_leaves, 1)))
    params, scores = model.start(), []
    for _ in range(200):
        stats = engine.map(params, [shard_of(bags, np.arange(1), 10)], 1, 0)
        summary = model.summary(params, engine.table.whole(), 0)
        scores.append(model.score(params, stats, engine.table.totals(), summary))
        engine.blend(stats.rows, 0.0, 1.0)
    evidence = oracle.log_words(tree, words, ETA)
    assert scores[-1] == Score(scores[-1].nats, 6.0, "bound")
    assert (np.diff([score.nats for score in scores]) > -1e-5).all()
    assert scores[-1].nats < evidence
    assert scores[-1].nats > evidence - 1.5


# learning


def concepts_of_pairs(n=60):
    """The first words of both planted languages, one by one."""
    return ConceptTree(
        [{"concept": f"c{i}", "words": {"de": [f"w{i}"], "en": [f"w{i}"]}} for i in range(n)], strength=2.0
    )


def tied_languages():
    """Two languages whose first sixty words mean the same, one by one: shares by concept are the topics'."""
    planted = plant_languages((120, 80), length=60, n_documents=500)
    topics = planted.topics.copy()
    for k in range(5):
        shares = topics[k, :60] / topics[k, :60].sum()
        topics[k, 120:180] = shares * topics[k, :60].sum()
        topics[k, 180:] *= (1.0 - topics[k, :60].sum()) / topics[k, 180:].sum()
    generator = np.random.default_rng(5)
    sides = [
        np.stack([generator.multinomial(60, row / row.sum()) for row in planted.theta @ topics[:, part]])
        for part in (slice(0, 120), slice(120, 200))
    ]
    return planted._replace(topics=topics, counts=csr_matrix(np.concatenate(sides, axis=1).astype(float)))


class Tied:
    def make(self, **given):
        return TwoLanguages(**{"n_topics": 5, "random_state": 0, "words": concepts_of_pairs(), **given})

    def planted(self):
        return tied_languages()

    def words(self, n_words):
        return BOTH


class TestMeanField(Tied, MeanFieldTests):
    pass


class TestHybrid(Tied, VariationalTests):
    def make(self, **given):
        return super().make(inference="hybrid", **given)


@pytest.mark.parametrize("inference", ["mean-field", "hybrid"])
def test_concepts_alone_bring_languages_together(inference):
    """No document has both languages: topics are the planted ones in both, and not without concepts."""
    planted = tied_languages()
    counts = planted.counts.toarray()
    german, english = counts.copy(), counts.copy()
    german[:, 120:], english[:, :120] = 0.0, 0.0
    X = csr_matrix(np.concatenate([german, english]))
    cosines = {}
    for name, words in (("concepts", concepts_of_pairs()), ("closed", "closed")):
        model = TwoLanguages(5, inference=inference, words=words, random_state=0, max_iter=60).fit(X)
        cosines[name] = matched(model.topic_word_, planted.topics)[1].min()
    assert cosines["concepts"] > 0.9
    assert cosines["concepts"] > cosines["closed"] + 0.1


@pytest.mark.parametrize(("length", "compares_meanings"), [(3, True), (30, False)])
def test_short_documents_of_one_language_start_topics_by_their_meanings(length, compares_meanings):
    """The words of longer ones say more: concepts made topics of AP's reports worse by the start alone."""
    generator = np.random.default_rng(0)
    kinds = [[f"{letter}{number}" for number in range(40)] for letter in "abc"]
    texts = [list(generator.choice(kinds[number % 3], length)) for number in range(90)]
    corpus = Corpus.from_tokens(texts, rule=VocabularyRule(1, 1.0))
    spelled = corpus.vocabulary.words
    meanings = csr_matrix([[float(word[0] == letter) for letter in "abc"] for word in spelled])
    every = (slice(0, len(spelled)),)
    plain, tied = (seed_from_documents(Source(corpus), every, (), 3, 0, 0, own) for own in (None, meanings))
    assert (np.abs(plain.own - tied.own).sum() > 0.0) == compares_meanings


# values, files, messages


def test_a_tree_is_read_as_it_was_written(tmp_path):
    tree = ConceptTree([*NESTED, {"concept": "größe", "words": ["x", "y"]}])
    path = tmp_path / "tree.jsonl"
    path.write_text("\n".join(tree.lines()), encoding="utf-8")
    assert ConceptTree.read(path) == tree


WRONG = {
    '{"concept": "a", "words": ["b", "b"]}': "twice",
    '{"concept": "a", "words": "b"}': "not a list",
    '{"concept": "", "words": ["b"]}': "no name",
    '{"concept": "a"}': "not a concept",
    '{"concept": "a", "words": [1]}': "not a list",
    '{"concept": "a", "words": ["b"], "colour": 1}': "not a part",
    '{"concept": "a", "words": ["b"], "parent": 3}': "not a name",
    '{"concept": "a", "words": ["b"], "parent": "c"}': "is not a concept",
    '{"concept": "a", "words": ["b"], "parent": "a"}': "cycle",
    '{"concept": "first", "words": ["b", "c"]}': "in line 1",
    "[1]": "not a JSON object",
    "{": "malformed",
}


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_line_is_named(tmp_path, line):
    path = tmp_path / "tree.jsonl"
    path.write_text('{"concept": "first", "words": ["x"]}\n\n' + line, encoding="utf-8")
    with pytest.raises(UserError) as told:
        ConceptTree.read(path)
    assert told.value.where == str(path)
    assert told.value.line == 3
    assert WRONG[line] in told.value.problem
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("concepts", "strength", "problem"),
    [
        (None, 1.0, "'None' is not a list of concepts"),
        ([{"concept": "a", "words": {1: ["x"], "b": ["y"]}}], 1.0, "language that is not a code"),
        ([{"concept": "a", "words": ["x"]}], "much", "strength='much'"),
        ([{"concept": "a", "words": ["x"]}], float("nan"), "strength=nan"),
    ],
)
def test_values_of_other_kinds_are_refused(concepts, strength, problem):
    with pytest.raises(UserError, match=problem):
        ConceptTree(concepts, strength)


def test_equal_trees_have_one_hash_and_any_number_is_a_strength():
    trees = {ConceptTree(SENSES, strength) for strength in (3, 3.0, np.int64(3), np.float32(3))}
    assert len(trees) == 1
    assert type(trees.pop().strength) is float
    assert ConceptTree(SENSES) != ConceptTree(SENSES[:1])


@given(st.text())
@settings(max_examples=200, deadline=None)
def test_any_line_is_a_concept_or_refused(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("trees", numbered=True) / "tree.jsonl"
    path.write_bytes(json.dumps(text).encode() if len(text) % 2 else text.encode("utf-8", "surrogatepass"))
    with pytest.raises(UserError):
        ConceptTree.read(path)


@pytest.mark.parametrize("turn", [1, -1])
def test_more_levels_than_can_be_are_refused(turn):
    chain = [{"concept": "c0", "words": []}]
    chain += [{"concept": f"c{i}", "words": ["sea", "ship"], "parent": f"c{i - 1}"} for i in range(1, 100)]
    assert LDA(1, words=ConceptTree(chain[::turn]), max_iter=1).fit(["sea ship"]).topic_word_.shape == (1, 2)
    more = [*chain, {"concept": "c100", "words": ["sea"], "parent": "c99"}]
    with pytest.raises(UserError, match="more than 100 levels"):
        ConceptTree(more[::turn])


def test_concepts_without_words_of_the_vocabulary_are_refused():
    with pytest.raises(UserError, match="none of 1 concepts has two words"):
        LDA(2, words=ConceptTree([{"concept": "a", "words": ["x", "y"]}])).fit(["sea ship", "ship crew"])


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"eta": "learned"}, "eta cannot be learned"),
        ({"eta": [0.1, 0.2]}, "shape"),
        ({"guide": {"x": ["a"]}}, "guide"),
        ({"schedule": "memoised"}, "memoised"),
        ({"inference": "gibbs-delayed"}, "'gibbs-delayed' does not go with a tree of concepts; there inf"),
    ],
)
def test_what_does_not_go_with_concepts_is_refused(settings, problem):
    tree = ConceptTree([{"concept": "c", "words": ["bank", "loan"]}])
    with pytest.raises(UserError, match=problem):
        LDA(2, words=tree, **settings).fit(["bank loan", "loan sea"])
    with pytest.raises(UserError, match="'gibbs' does not go with growing topics and a tree of concepts"):
        HDP(2, words=tree, inference="gibbs").fit(["bank loan", "loan sea"])


@pytest.mark.parametrize("kind", [LDA, HDP])
def test_a_saved_model_keeps_its_tree(tmp_path, kind):
    texts = ["river water boat", "money loan bank", "bank loan", "water boat river"] * 4
    model = kind(3, words=ConceptTree(SENSES), max_iter=5, tol=0.0, random_state=0).fit(texts)
    model.save(tmp_path / "m")
    back = load(tmp_path / "m")
    assert back.words == model.words
    assert np.array_equal(back.topic_word_, model.topic_word_)
    corpus = Corpus.from_texts(texts, vocabulary=model.vocabulary_)
    assert np.array_equal(
        back.learned_.shares_of_bags(corpus.bags(0)), model.learned_.shares_of_bags(corpus.bags(0))
    )


def test_no_concept_shared_is_the_polylingual_model_but_for_its_own_concepts():
    """Documents of two languages, concepts in one: the other language's part is as without any."""
    texts = [
        {"en": "river water boat", "de": "fluss wasser"},
        {"en": "money loan bank", "de": "geld bank"},
    ] * 3
    tree = ConceptTree([{"concept": "c", "words": {"en": ["money", "loan"]}}], strength=1.0)
    given = {"max_iter": 10, "tol": 0.0, "random_state": 0, "init": "random"}
    tied, plain = (LDA(2, words=words, **given).fit(texts) for words in (tree, "closed"))
    assert tied.topic_word_ == pytest.approx(plain.topic_word_, rel=1e-9)


def test_words_may_carry_their_language():
    plain = [{"concept": "c", "words": ["de:haus", "en:house", "it:casa"]}]
    found = compiled(ConceptTree(plain), TWO)
    wanted = compiled(ConceptTree([{"concept": "c", "words": {"de": ["haus"], "en": ["house"]}}]), TWO)
    assert all(
        np.array_equal(getattr(found, name), getattr(wanted, name))
        for name in ("starts", "groups", "edge_sizes")
    )


@pytest.mark.parametrize("pair", list(product(("mean-field", "hybrid"), (1, 3))))
def test_the_number_of_threads_changes_nothing(pair):
    inference, threads = pair
    texts = ["river water boat", "money loan bank", "bank loan", "water boat river"] * 80
    given = {"words": ConceptTree(SENSES), "max_iter": 3, "tol": 0.0, "random_state": 0}
    one = LDA(3, inference=inference, n_jobs=1, **given).fit(texts)
    other = LDA(3, inference=inference, n_jobs=threads, **given).fit(texts)
    assert np.array_equal(one.components_, other.components_)
