"""Rules whose weights are each document's own: choices by enumeration, trees, the prior, planted topics."""

import itertools

import numpy as np
import pytest
from scipy.special import gammaln, psi
from tests.grammars.model.test_online_grammar import as_dictionaries, passes, run_of
from tests.oracle import cached_trees as oracle

from stickbreaker import AdaptorGrammar, Corpus, Online, UserError, VocabularyRule
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.corpus.source import Source
from stickbreaker.engines import Interrupted
from stickbreaker.estimators import model_runs
from stickbreaker.grammars.model.compiled import compiled
from stickbreaker.grammars.model.documents.document_grammar import DocumentGrammar
from stickbreaker.grammars.model.documents.document_rules import draw_choices, types_of
from stickbreaker.grammars.model.grammar import Adaptation, Grammar, Rule, Terminal
from stickbreaker.grammars.model.named import topic
from stickbreaker.grammars.text_symbols import word_reader
from stickbreaker.testing.estimators import StopAfter, begin

TEXTS = ["ab a ab", "b ab", "ba bb b", "aab ab ab a"]
ALPHA = np.array([0.3, 0.9])
NATS = np.log([[0.5, 0.1], [0.2, 0.4], [0.05, 0.3]])  # types × rules
SENTENCES = np.array([0, 1, 1, 2])
TWO = "@ D document\n@ A * 5. 0.2\n@ B * 5. 0.2\nD -> A [0.5] | A B [2]\n"
TWO += 'A -> C | C A2\nA2 -> C\nB -> C\nC -> "a" | "b"\n'


def log_joint(choices):
    """log p(choices, sentences) of one document, theta integrated out."""
    uses = np.bincount(choices, minlength=2)
    prior = gammaln(ALPHA.sum()) - gammaln(ALPHA.sum() + len(choices))
    prior += (gammaln(ALPHA + uses) - gammaln(ALPHA)).sum()
    return prior + NATS[SENTENCES, choices].sum()


def all_choices():
    return [np.array(one) for one in itertools.product(range(2), repeat=len(SENTENCES))]


def test_choices_are_of_the_posterior_of_all_choices():
    nats = np.array([log_joint(one) for one in all_choices()])
    share = np.exp(nats - np.logaddexp.reduce(nats))
    expected = sum(p * np.bincount(one, minlength=2) for p, one in zip(share, all_choices(), strict=True))
    gain = sum(
        p * (psi(ALPHA + np.bincount(one, minlength=2)) - psi(ALPHA))
        for p, one in zip(share, all_choices(), strict=True)
    )
    keys = np.arange(1, 2, dtype=np.uint64)
    found = draw_choices(SENTENCES, np.zeros(4, np.int64), NATS, ALPHA, np.array([1.0, 3.0]), 40_000, keys)
    np.testing.assert_allclose(found.gamma[0] - ALPHA, expected, atol=0.03)
    assert found.gain == pytest.approx(gain[0] + 3.0 * gain[1], rel=0.02)
    assert found.spread == pytest.approx(4.0 * (psi(ALPHA.sum() + 4) - psi(ALPHA.sum())))
    by_type = np.zeros((3, 2))
    np.add.at(by_type, (found.codes, found.rules), found.times / 40_000)
    exact = sum(
        p * np.array([[(one[code == SENTENCES] == rule).sum() for rule in range(2)] for code in range(3)])
        for p, one in zip(share, all_choices(), strict=True)
    )
    np.testing.assert_allclose(by_type, exact, atol=0.03)


def test_the_score_of_a_document_is_an_unbiased_estimate():
    whole = np.logaddexp.reduce([log_joint(one) for one in all_choices()])
    n = 20_000
    found = draw_choices(
        np.tile(SENTENCES, n), np.repeat(np.arange(n), 4), NATS, ALPHA, np.ones(2), 1,
        np.arange(n).astype(np.uint64),
    )  # fmt: skip
    assert np.log(np.exp(found.scores).mean()) == pytest.approx(whole, abs=0.02)
    assert (found.documents[1:] >= found.documents[:-1]).all()
    np.testing.assert_array_equal(np.bincount(found.documents, found.times, n), 4)


def test_what_cannot_be_parsed_has_no_part():
    nats = np.array([[0.0, -1.0], [-np.inf, -np.inf], [-np.inf, 0.0]])
    keys = np.arange(3, dtype=np.uint64)
    found = draw_choices(np.array([1, 2, 1]), np.array([0, 1, 1]), nats, ALPHA, np.ones(2), 4, keys)
    np.testing.assert_array_equal(found.gamma, ALPHA + np.array([[0, 0], [0, 1], [0, 0]]))
    assert (found.codes.tolist(), found.documents.tolist(), found.times.tolist()) == ([2], [1], [4])


def model_and_run(text=None, n=4):
    """A model of documents of words, and its run at its start."""
    corpus = Corpus.from_tokens([one.split() for one in TEXTS[:n]], rule=VocabularyRule(1, 1.0))
    grammar = compiled(Grammar.from_text(text) if text else topic(("a", "b"), 3))
    reader = word_reader(corpus.vocabulary.words, grammar.terminals, None)
    model = DocumentGrammar(grammar, reader, np.full(len(grammar.adapted), 50), refine_every=3)
    job, state = run_of(model, corpus)
    return corpus, model, job, state


@pytest.mark.parametrize("text", [None, TWO], ids=["topics", "rules of one and of two symbols"])
def test_sentences_given_a_rule_are_those_of_all_trees(text):
    corpus, model, job, state = model_and_run(text)
    passes(job, state, 2)
    view = model.view(state.params, job.engine.table.whole())
    rules, cached, fresh, names = as_dictionaries(model, view)
    (shard,) = Source(corpus, unit=Sequences).all_shards()
    types = types_of(model.sentences_of(shard))
    nats = model._nats_by_rule(view, types)
    own, terminals = model.grammar.own_rules, model.grammar.terminals
    for code in range(len(nats)):
        letters = types.letters[types.starts[code] : types.starts[code + 1]]
        word = tuple(terminals[letter] for letter in letters)
        for place, rule in enumerate(own.tolist()):
            below = oracle.sequences(names[rule][2], word, rules, cached, fresh)
            total = sum(weight for weight, _ in below)
            if total == 0.0:
                assert nats[code, place] == -np.inf
            else:
                assert nats[code, place] == pytest.approx(np.log(total), abs=1e-9)


def test_trees_are_drawn_by_the_choices():
    """Each sample of a sentence has a tree of the topic that was chosen, and one of no other."""
    corpus, model, job, state = model_and_run()
    passes(job, state, 2)
    view = model.view(state.params, job.engine.table.whole())
    before = view.weights.rules.copy()
    (shard,) = Source(corpus, unit=Sequences).all_shards()
    _, stats = model.local_step(view, shard, None, 5)
    np.testing.assert_array_equal(view.weights.rules, before)
    by_column = stats.usage["fresh"].values.copy()
    ids = view.cache.ids
    np.add.at(by_column, view.cache.trees.places[ids], stats.usage["tried"].values)
    topics = [at for at, one in enumerate(model.grammar.adapted) if model.grammar.names[one] != "Word"]
    assert by_column[topics].sum() == pytest.approx(sum(len(one.split()) for one in TEXTS))
    sources = model.grammar.sources[model.grammar.own_rules]
    assert not stats.usage["uses"].values[sources].any()


def test_documents_are_drawn_alike_whatever_is_beside_them():
    corpus, model, job, state = model_and_run()
    passes(job, state, 2)
    view = model.view(state.params, job.engine.table.whole())
    (shard,) = Source(corpus, unit=Sequences).all_shards()
    together = model.local_step(view, shard, None, 5)[1]
    apart = [
        model.local_step(view, one, None, 5)[1]
        for one in Source(corpus, unit=Sequences, shard_size=1).all_shards()
    ]
    assert len(apart) == len(TEXTS)
    for name in ("tried", "fresh", "uses", "gains", "spread"):
        alone = sum(one.usage[name].values for one in apart)
        np.testing.assert_allclose(together.usage[name].values, alone, rtol=1e-12)


def test_the_prior_is_moved_by_whole_counts():
    _, model, job, state = model_and_run()
    start = model.grammar.start
    before = state.params["strengths"].values[start]
    passes(job, state, 1)
    params = state.params
    ratio = params["gains"].values / params["spread"].values
    assert params["strengths"].values[start] == pytest.approx(before * ratio)
    np.testing.assert_allclose(model.alpha(params), 0.1 * before * ratio)
    fixed = DocumentGrammar(model.grammar, model.reader, model.truncations, learn_weights=False)
    job, state = run_of(fixed, model_and_run()[0])
    passes(job, state, 2)
    np.testing.assert_array_equal(fixed.alpha(state.params), [0.1, 0.1, 0.1])


def planted(n=100, seed=0):
    """Documents of three topics, of words of their own, as a corpus and as texts; the words; the shares."""
    draw = np.random.default_rng(seed)
    words = [["".join(draw.choice(list("abcdefgh"), 5)) for _ in range(8)] for _ in range(3)]
    shares = draw.dirichlet([0.2] * 3, n)
    texts = [" ".join(words[draw.choice(3, p=own)][draw.integers(8)] for _ in range(30)) for own in shares]
    return (
        Corpus.from_tokens([one.split() for one in texts], rule=VocabularyRule(1, 1.0)),
        texts,
        words,
        shares,
    )


ONLINE = {"inference": "hybrid", "schedule": Online(20, 0.6, 1.0, total="seen"), "random_state": 1}


def test_planted_topics_are_found():
    corpus, texts, words, shares = planted()
    model = AdaptorGrammar("topic", n_topics=3, max_iter=6, **ONLINE).fit(corpus)
    found = [{"".join(one.text) for one in model.subtrees(f"Topic{k}")[:8]} for k in (1, 2, 3)]
    assert sorted(map(sorted, found)) == sorted(map(sorted, words))
    order = [found.index(set(true)) for true in words]
    inferred = model.document_shares(texts)[:, order]
    assert np.abs(inferred - shares).mean() < 0.06
    new = model.document_shares([" ".join(words[1]), "", "zzz"])[:, order]
    assert new[0, 1] > 0.8
    np.testing.assert_allclose(new[1], 1 / 3)
    np.testing.assert_allclose(new.sum(axis=1), 1.0)
    without = AdaptorGrammar("topic", n_topics=1, max_iter=6, **ONLINE).fit(corpus)
    assert model.score(corpus) > without.score(corpus) + 0.05


def bytes_of(model):
    counts = model.learned_.engine.table.whole()
    params = {name: item.values.tobytes() for name, item in model.learned_.params.items()}
    return params, tuple(counts.keys), counts.values.tobytes()


def test_threads_and_resuming_change_nothing(tmp_path):
    corpus, texts, _, _ = planted(50)
    one, two = (
        AdaptorGrammar("topic", n_topics=3, max_iter=2, n_jobs=n, **ONLINE).fit(corpus) for n in (1, 2)
    )
    assert bytes_of(one) == bytes_of(two)
    stored = corpus.write(tmp_path / "corpus")
    begin(AdaptorGrammar("topic", n_topics=3, max_iter=2, **ONLINE), stored, tmp_path / "m")
    watch = StopAfter(3)
    with pytest.raises(Interrupted):
        model_runs.resume(tmp_path / "m", every=0.0, threads=1, watch=[watch], stopper=watch.take)
    model_runs.resume(tmp_path / "m", every=60.0, threads=1)
    loaded = AdaptorGrammar.load(tmp_path / "m")
    assert bytes_of(loaded) == bytes_of(one)
    np.testing.assert_array_equal(loaded.document_shares(texts[:3]), one.document_shares(texts[:3]))


def test_grammars_say_whose_rules_are_by_document():
    grammar = Grammar.from_text(TWO)
    assert grammar.by_document == "D"
    assert Grammar.from_text(grammar.to_text()) == grammar
    assert grammar != Grammar.from_text(TWO.replace("@ D document\n", ""))
    with pytest.raises(UserError, match=r'D has rules by document.*inference="hybrid"'):
        AdaptorGrammar(TWO).fit(["ab"])
    found = AdaptorGrammar(TWO, inference="hybrid", max_iter=1, random_state=0).fit(["ab", "a", "ba"] * 5)
    assert found.document_shares(["ab"]).shape == (1, 2)


def test_steps_follow_minibatches_of_documents(tmp_path):
    settings = {"inference": "hybrid", "random_state": 0, "punctuation": "boundaries"}
    model = AdaptorGrammar(TWO, **settings).partial_fit(["ab.a.ba", "a.b"] * 5)
    model.save(tmp_path / "m")
    loaded = AdaptorGrammar.load(tmp_path / "m")
    for one in (model, loaded):
        one.partial_fit(["bb.a", "ab.ab.a"] * 3)
    assert bytes_of(loaded) == bytes_of(model)
    assert model.document_shares(["a.b.a", "ab.ba"]).argmax(axis=1).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("by_document", "adapted", "rules", "problem"),
    [
        ("A", (), [Rule("S", ("A",)), Rule("A", (Terminal("a"),))], "not the start symbol"),
        ("S", ("S",), [Rule("S", ("A",)), Rule("A", (Terminal("a"),))], "is adapted"),
        (
            "S",
            (),
            [Rule("S", ("A",)), Rule("A", ("A", "S")), Rule("A", (Terminal("a"),))],
            "occurs below itself",
        ),
        ("S", (), [Rule("S", (Terminal("a"),))], "leads to a symbol of the text"),
    ],
)
def test_a_symbol_by_document_is_at_the_top(by_document, adapted, rules, problem):
    with pytest.raises(UserError, match=problem):
        Grammar(tuple(rules), {name: Adaptation() for name in adapted}, by_document=by_document)
