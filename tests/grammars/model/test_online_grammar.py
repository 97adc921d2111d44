"""Grammars by variational inference: trees by enumeration, the bound, pruning, keys."""

import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracle import cached_trees as oracle
from tests.oracle import sticks as sticks_oracle

from stickbreaker.contracts.contract import Step
from stickbreaker.core.edits import Drop, Grow, Merge, Reorder, apply
from stickbreaker.core.records import Field
from stickbreaker.corpus import Corpus, VocabularyRule
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.corpus.source import Source
from stickbreaker.engines import LocalEngine
from stickbreaker.engines.table import Keys
from stickbreaker.grammars.kernels.tree_cache import PARTS
from stickbreaker.grammars.model import online_grammar
from stickbreaker.grammars.model.cached_trees import CachedTrees, key_of, rules_of
from stickbreaker.grammars.model.compiled import compiled
from stickbreaker.grammars.model.grammar import Grammar
from stickbreaker.grammars.model.grammar_sentences import SymbolReader
from stickbreaker.grammars.model.mean_field_grammar import MeanFieldGrammar, support_of
from stickbreaker.grammars.model.online_grammar import OnlineGrammar
from stickbreaker.grammars.text_symbols import analysis_of_symbols, terminals_of
from stickbreaker.learning.schedules import Batch, Online
from stickbreaker.learning.variational import VariationalRun

pytestmark = pytest.mark.usefixtures("wrapping_integers")

RULES = "1 1 S --> K S\n2 1 S --> K\n1 0.3 7 K --> W K2\n1 0.3 7 K --> W\n1 1 K2 --> W\n"
RULES += "1 0.2 3 W --> L\n2 0.2 3 W --> L W2\n1 1 W2 --> L\n1 1 W2 --> L W2\n1 1 L --> a\n2 1 L --> b\n"
CIRCLE = "1 1 S --> A\n1 1 S --> W S\n1 1 A --> B\n2 1 A --> W\n1 1 B --> A\n1 1 B --> W W\n"
CIRCLE += "1 0.2 3 W --> L\n1 0.2 3 W --> L L\n1 1 L --> a\n1 1 L --> b\n"
FINITE = "1 1 S --> K K\n1 1 S --> K\n1 0.3 7 K --> W W\n1 0.3 7 K --> W\n1 0.2 3 W --> L\n"
FINITE += "1 0.2 3 W --> L L\n1 1 L --> a\n2 1 L --> b\n"
ROUNDS = 9  # of a circle that are enumerated
TEXTS = ["abab", "ab", "abba", "b", "abab", "aab"] * 4


def corpus_of(texts):
    return Corpus.from_texts(texts, analysis=analysis_of_symbols("characters"), rule=VocabularyRule(1, 1.0))


def model_of(text, corpus, kind=OnlineGrammar, **settings):
    flat = compiled(Grammar.from_text(text))
    reader = SymbolReader(terminals_of(corpus.vocabulary, flat.terminals, boundaries=False))
    most = settings.pop("truncation", 50)
    return kind(flat, reader, np.full(len(flat.adapted), most), **settings)


def run_of(model, corpus, schedule=None, seed=0):
    """A run at its start; of mean-field inference with the trees that a first step draws."""
    engine = LocalEngine(1)
    source = Source(corpus, unit=Sequences, shard_size=model.shard_size)
    job = VariationalRun(model, engine, schedule or Batch(), source, seed=seed)
    if isinstance(model, MeanFieldGrammar):
        drawing = OnlineGrammar(model.grammar, model.reader, model.truncations)
        engine.start(drawing, np.zeros((0, len(model.truncations))), [])
        cached = support_of(model, engine.map(drawing.start(), source.all_shards(), 1, seed).new_rows)
        engine.start(model, np.stack(list(cached.values())), list(cached))
    else:
        engine.start(model, np.zeros((0, len(model.truncations))), [])
    return job, job.first_state(model.start())


def passes(job, state, number):
    return [record for _ in range(number) for record in job.steps(state)]


def as_dictionaries(model, view):
    """The rules, cached trees and weights of new ones as the oracle has them, with names of the rules."""
    grammar = model.grammar
    rules, names = {}, {}
    for number, parent in enumerate(grammar.rules.parents.tolist()):
        left, right = grammar.rules.lefts[number], grammar.rules.rights[number]
        if left < 0:
            children = (grammar.terminals[grammar.rules.terminals[number]],)
        else:
            children = tuple(grammar.names[child] for child in (left, right) if child >= 0)
        rules.setdefault(grammar.names[parent], {})[children] = view.weights.rules[number]
        names[number] = ("rule", grammar.names[parent], children)
    cached = {}
    trees = view.cache.trees
    for row, tree in enumerate(view.cache.ids.tolist()):
        letters = trees.letters[trees.letter_starts[tree] : trees.letter_starts[tree + 1]]
        symbol = grammar.names[grammar.adapted[trees.places[tree]]]
        own = tuple(grammar.terminals[letter] for letter in letters)
        cached.setdefault(symbol, []).append((row, own, view.memory.customers[row]))
    fresh = {grammar.names[symbol]: view.weights.fresh[at] for at, symbol in enumerate(grammar.adapted)}
    return rules, cached, fresh, names


@pytest.mark.kernels
@pytest.mark.parametrize("text", [RULES, CIRCLE])
@pytest.mark.parametrize("sentence", ["b", "ab", "aba"])
def test_expected_uses_are_those_of_all_trees(text, sentence):
    """Inside and outside probabilities, circles of unary rules too (a few rounds)."""
    corpus = corpus_of(TEXTS)
    model = model_of(text, corpus, MeanFieldGrammar)
    job, state = run_of(model, corpus)
    passes(job, state, 2)
    view = model.view(state.params, job.engine.table.whole())
    rules, cached, fresh, names = as_dictionaries(model, view)
    if text == CIRCLE:  # round and round: as many rules as rounds
        back = rules["B"].pop(("A",))
        for round_ in range(ROUNDS):
            rules[f"B{round_}"] = {("W", "W"): rules["B"][("W", "W")]}
            rules[f"A{round_}"] = dict(rules["A"])
            rules[f"A{round_}"][(f"B{round_}",)] = rules[f"A{round_}"].pop(("B",))
        rules["B"][("A0",)] = back
        for round_ in range(ROUNDS - 1):
            rules[f"B{round_}"][(f"A{round_ + 1}",)] = back
    total, uses = oracle.expected("S", sentence, rules, cached, fresh)
    source = Source(corpus_of([sentence, "ab"]).with_vocabulary(corpus.vocabulary), unit=Sequences)
    (shard,) = source.all_shards()
    local, stats = model.local_step(view, shard, None, 0)
    assert local["nats"].values[0] == pytest.approx(np.log(total), abs=1e-6 if text == CIRCLE else 1e-9)
    (pair,) = Source(corpus_of(["ab"]).with_vocabulary(corpus.vocabulary), unit=Sequences).all_shards()
    other = model.local_step(view, pair, None, 0)[1]
    found = np.zeros(len(view.cache.ids))
    for each, sign in ((stats, 1.0), (other, -1.0)):
        found[each.rows.positions] += sign * each.rows.values.sum(axis=1)
    for row in range(len(found)):
        assert found[row] == pytest.approx(uses.get(("cached", row), 0.0), abs=1e-5)
    beyond = stats.usage["beyond"].values - other.usage["beyond"].values
    for at, symbol in enumerate(model.grammar.adapted):
        expected = uses.get(("fresh", model.grammar.names[symbol]), 0.0)
        assert beyond[at] == pytest.approx(expected, abs=1e-5)
    by_rule = stats.usage["uses"].values - other.usage["uses"].values
    for number, name in names.items():
        if model.grammar.rules.counted[number]:
            same = [name]
            if text == CIRCLE:
                bare = {"A": [f"A{n}" for n in range(ROUNDS)], "B": [f"B{n}" for n in range(ROUNDS)]}
                for other_name in bare.get(name[1], []):
                    for children in rules[other_name]:
                        if tuple(child.rstrip("0123456789") for child in children) == name[2]:
                            same.append(("rule", other_name, children))
                same += [("rule", "B", ("A0",))] if name[1:] == ("B", ("A",)) else []
            expected = sum(uses.get(one, 0.0) for one in same)
            assert by_rule[model.grammar.sources[number]] == pytest.approx(
                expected, abs=1e-5 if text == CIRCLE else 1e-9
            )


@pytest.mark.kernels
@pytest.mark.parametrize("text", [RULES, FINITE])
def test_trees_are_drawn_as_often_as_they_weigh(text):
    """f, h and g of many draws beside the enumeration; what new trees are made of is not counted."""
    corpus = corpus_of(TEXTS)
    job, state = run_of(model_of(text, corpus), corpus)
    passes(job, state, 2)
    model = model_of(text, corpus, samples=40_000)
    view = model.view(state.params, job.engine.table.whole())
    rules, cached, fresh, _ = as_dictionaries(model, view)
    total, uses = oracle.expected("S", "abab", rules, cached, fresh)
    source = Source(corpus_of(["abab"]).with_vocabulary(corpus.vocabulary), unit=Sequences)
    (shard,) = source.all_shards()
    local, stats = model.local_step(view, shard, None, 3)
    assert local["nats"].values[0] == pytest.approx(np.log(total), abs=1e-9)
    tried, drawn = stats.usage["tried"].values, stats.usage["fresh"].values.sum()
    for row in range(len(tried)):
        known = [uses.get(("cached", row), 0.0)]
        assert tried[row] >= known[0] - 0.02  # and what was drawn anew, though it is there
    assert tried.sum() + drawn == pytest.approx(
        sum(value for use, value in uses.items() if use[0] in ("cached", "fresh")), abs=0.03
    )
    top = sum(value for use, value in uses.items() if use[:2] == ("rule", "S"))
    sentences = stats.usage["uses"].values
    of_start = [n for n, rule in enumerate(Grammar.from_text(text).rules) if rule.parent == "S"]
    assert sentences[of_start].sum() == pytest.approx(top, abs=0.03)
    below = [n for n, rule in enumerate(Grammar.from_text(text).rules) if rule.parent in ("K", "W", "L")]
    assert (sentences[below] == 0.0).all()  # all are of collocations, which are cached
    whole = stats.rows.rows().values.sum() + sum(row.sum() for row in stats.new_rows.values())
    if text == RULES:
        assert whole == pytest.approx(sentences[of_start].sum(), abs=1e-9)


@pytest.mark.parametrize("learn", [False, True])
@pytest.mark.parametrize("text", [RULES, CIRCLE])
def test_the_bound_never_falls(text, learn):
    corpus = corpus_of(TEXTS)
    model = model_of(text, corpus, MeanFieldGrammar, learn_processes=learn, truncation=6)
    job, state = run_of(model, corpus)
    records = passes(job, state, 25)
    scores = np.array([record["score"] for record in records[1:]])
    assert {record["kind"] for record in records} == {"bound"}
    assert (np.diff(scores) > -1e-9 * np.abs(scores[1:])).all(), scores


def test_sums_over_trees_of_long_sentences_are_finite():
    """Of symbols so rare that p of a sentence and the scale of its chart are no double numbers."""
    letters = [chr(0x4E00 + n) for n in range(400)]
    text = "1 1 S --> W\n1 1 S --> W S\n1 0.2 3 W --> L\n1 0.2 3 W --> L L\n"
    text += "".join(f"1 1 L --> {letter}\n" for letter in letters)
    rng = np.random.default_rng(0)
    corpus = corpus_of(["".join(rng.choice(letters, 150)) for _ in range(4)])
    job, state = run_of(model_of(text, corpus, MeanFieldGrammar, truncation=3), corpus)
    (record,) = passes(job, state, 1)
    assert record["score"] * 150 < -709.0
    assert all(np.isfinite(item.values).all() for item in state.params.values())
    uses = state.params["uses"].values
    assert uses[4:].sum() == pytest.approx(600.0, rel=0.2)  # a letter each, but for those of cached words


def test_the_score_is_the_bound_term_by_term():
    """-KL of sticks and of rules, and E[log p] of cached trees, beside log Z of the sentences."""
    corpus = corpus_of(TEXTS)
    model = model_of(RULES, corpus, MeanFieldGrammar, learn_processes=False)
    job, state = run_of(model, corpus)
    passes(job, state, 3)
    whole = job.engine.table.whole()
    params = model.prepare(state.params, whole)
    view = params["view"].values[()]
    cache, grammar = view.cache, model.grammar
    nats = 0.0
    for k, size in enumerate(cache.cells.sizes.tolist()):
        a, b = params["concentrations"].values[k], params["discounts"].values[k]
        beyond = params["beyond"].values[k]
        nats -= sticks_oracle.divergence(cache.cells.values[k, :size].tolist(), a, b, beyond)
        logs, _ = sticks_oracle.expected_logs(cache.cells.values[k, :size].tolist(), a, b, beyond)
        uses = (cache.cells.values - cache.own)[k, :size]
        nats += float(uses @ np.array(logs))
    prior, uses = model.priors(params), model.rule_counts(params, cache)
    from scipy.special import gammaln, psi

    for symbol in range(len(grammar.names)):
        own = np.flatnonzero((grammar.rules.parents == symbol) & grammar.rules.counted)
        if not len(own):
            continue
        alpha, gamma = prior[own], (prior + uses)[own]
        logs = psi(gamma) - psi(gamma.sum())
        nats += gammaln(alpha.sum()) - gammaln(alpha).sum() - gammaln(gamma.sum()) + gammaln(gamma).sum()
        nats += float((alpha - gamma) @ logs) + float(cache.rule_uses[own] @ logs)
    (shard,) = job.source.all_shards()
    _, stats = model.local_step(view, shard, None, 0)
    score = model.score(params, stats, job.engine.table.totals(), model.summary(params, whole, 0))
    assert score.nats == pytest.approx(stats.score + nats, rel=1e-9)


@pytest.mark.parametrize("kind", [OnlineGrammar, MeanFieldGrammar])
def test_online_with_one_minibatch_of_all_and_rate_one_is_batch(kind):
    corpus = corpus_of(TEXTS)
    whole = Online(batch_size=len(TEXTS), kappa=0.0, tau0=1.0, shuffle=False, total="seen")
    tables = []
    for schedule in (Batch(), whole):
        job, state = run_of(model_of(RULES, corpus, kind), corpus, schedule)
        passes(job, state, 4)
        table = job.engine.table
        params = {name: item.values.tolist() for name, item in state.params.items()}
        tables.append((table.keys[:], table.counts(slice(None)).tolist(), params))
    assert tables[0] == tables[1]


def test_pruning_keeps_what_collocations_are_made_of_and_all_counts():
    corpus = corpus_of(TEXTS)
    model = model_of(RULES, corpus, truncation=2, refine_every=1000)
    job, state = run_of(model, corpus, Online(6, 0.5, 1.0, total="seen", shuffle=False))
    passes(job, state, 2)
    table = job.engine.table
    before = {key: row.copy() for key, row in zip(table.keys, table.counts(slice(None)), strict=True)}
    edit = model.reorder(state.params, table.whole(), Step(999, 0.1, 1.0, 0.0))
    assert [type(change) for change in edit] == [Reorder, Drop]
    job.engine.edit(edit)
    params = apply(edit, state.params)
    assert len(params["tried"].values) == len(table.keys)
    after = dict(zip(table.keys, table.counts(slice(None)), strict=True))
    assert set(after) < set(before)
    assert all((after[key] == before[key]).all() for key in after)
    assert table.totals() == pytest.approx(sum(after.values())[None, :])
    cache = model.cache(params, table.whole())
    kept = set(cache.ids.tolist())
    collocations = 0
    for tree in kept:
        parts = cache.trees.parts[cache.trees.part_starts[tree] : cache.trees.part_starts[tree + 1]]
        assert {-1 - part for part in parts[parts < 0].tolist()} <= kept
        collocations += int(cache.trees.places[tree] == 0)
    assert collocations <= 2
    model.refuse_others(params, table.whole())


@pytest.mark.kernels
def test_cached_trees_get_the_best_trees_of_their_strings():
    """Counts stay, no tree is lost that another is made of, and a second look finds nothing to do."""
    corpus = corpus_of(TEXTS)
    model = model_of(RULES, corpus, refine_every=1000)
    job, state = run_of(model, corpus, Online(6, 0.5, 1.0, total="seen", shuffle=False))
    passes(job, state, 2)
    engine, params = job.engine, state.params
    totals, tried = engine.table.totals().copy(), params["tried"].values.sum()
    edit = model.reorder(params, engine.table.whole(), Step(499, 0.1, 1.0, 0.0))
    assert {type(change) for change in edit} <= {Grow, Merge}
    assert any(isinstance(change, Merge) for change in edit)
    engine.edit(edit)
    params = apply(edit, params)
    assert engine.table.totals() == pytest.approx(totals)
    assert params["tried"].values.sum() == pytest.approx(tried)
    model.refuse_others(params, engine.table.whole())


@pytest.mark.kernels
@pytest.mark.parametrize("seed", [1, 3])
def test_what_the_best_trees_are_made_of_stays(seed):
    """Where words have several trees, a collocation may get one whose words would be given others."""
    rules = "1 1 S --> K S\n2 1 S --> K\n1 1 S --> W\n1 1 S --> W S\n1 0.3 7 K --> W K2\n1 0.3 7 K --> W\n"
    rules += "1 1 K2 --> W\n1 0.2 3 W --> X\n1 1 X --> X X\n1 1 X --> L\n1 1 L --> a\n2 1 L --> b\n"
    generator = np.random.default_rng(1)
    corpus = corpus_of(["".join(generator.choice(["a", "b"], generator.integers(2, 9))) for _ in range(60)])
    model = model_of(rules, corpus, refine_every=1000, truncation=5000)
    job, state = run_of(model, corpus, Online(6, 0.5, 1.0, total="seen"), seed=seed)
    passes(job, state, 2)
    table, totals = job.engine.table, job.engine.table.totals().copy()
    edit = model.rederived(state.params, table.whole())
    job.engine.edit(edit)
    model.refuse_others(apply(edit, state.params), table.whole())
    assert table.totals() == pytest.approx(totals)


@pytest.mark.kernels
def test_the_best_trees_are_those_of_all_trees(monkeypatch):
    """Beside the greatest weight of all trees of each string."""
    monkeypatch.setattr(online_grammar, "REDERIVED", 10_000)
    corpus = corpus_of(TEXTS)
    model = model_of(RULES, corpus)
    job, state = run_of(model, corpus, Online(6, 0.5, 1.0, total="seen", shuffle=False))
    passes(job, state, 2)
    view = model.view(state.params, job.engine.table.whole())
    rules, cached, fresh, names = as_dictionaries(model, view)
    grammar, keys = model.grammar, job.engine.table.keys[:]
    merged = {keys[change.source] for change in model.rederived(state.params, job.engine.table.whole())
              if isinstance(change, Merge)}  # fmt: skip
    grown = [key for change in model.rederived(state.params, job.engine.table.whole())
             if isinstance(change, Grow) for key in change.keys]  # fmt: skip
    weights = dict(zip(keys, view.memory.customers.tolist(), strict=True))

    def weight(values, top=True):
        """Of a tree (rules from the top), and what is left: a tree below may be new though it is cached."""
        rule, rest = values[0], values[1:]
        symbol = int(grammar.rules.parents[rule])
        value = rules[grammar.names[symbol]][names[rule][2]]
        value *= fresh.get(grammar.names[symbol], 1.0) if not top else 1.0
        for child in (grammar.rules.lefts[rule], grammar.rules.rights[rule]):
            if child >= 0:
                below, rest = weight(rest, top=False)
                value *= below
        if not top and grammar.symbols.adapted[symbol] >= 0:
            value = max(value, weights.get(" ".join(map(str, whole_tree(values))), 0.0))
        return value, rest

    def whole_tree(values):
        """The rules of the first whole tree of some."""
        n_open, at = 1, 0
        while n_open:
            rule = values[at]
            n_open += int(grammar.rules.lefts[rule] >= 0) + int(grammar.rules.rights[rule] >= 0) - 1
            at += 1
        return values[:at]

    looked = 0
    for key in [*grown, *(key for key in keys if key not in merged)]:
        values = list(map(int, key.split()))
        if grammar.names[grammar.rules.parents[values[0]]] != "K":
            continue
        text = tuple(
            grammar.terminals[grammar.rules.terminals[r]] for r in values if grammar.rules.terminals[r] >= 0
        )
        inside = {"W": cached.get("W", [])}, {"W": fresh["W"]}
        most = max(value for value, _ in oracle.trees("K", text, rules, *inside))
        assert weight(values)[0] == pytest.approx(most, rel=1e-9)
        looked += 1
    assert looked > 3
    assert merged


def test_what_is_learned_is_a_distribution():
    corpus = corpus_of(TEXTS)
    for kind in (OnlineGrammar, MeanFieldGrammar):
        model = model_of(FINITE, corpus, kind)
        job, state = run_of(model, corpus, None if kind is MeanFieldGrammar else Online(6, 0.5, 1.0))
        passes(job, state, 3)
        learned = model.learned(state.params, job.engine.table.whole())
        texts = ["".join(letters) for n in range(1, 9) for letters in itertools.product("ab", repeat=n)]
        numbers = {letter: number for number, letter in enumerate(model.grammar.terminals)}
        letters = np.array([numbers[letter] for text in texts for letter in text], np.int32)
        starts = np.cumsum([0] + [len(text) for text in texts])
        total = sum(np.exp(parse.nats) for parse in learned.parses(letters, starts, 0))
        assert total == pytest.approx(1.0, abs=1e-9)


def test_keys_are_read_as_they_were_written_and_others_are_refused():
    corpus = corpus_of(TEXTS)
    job, state = run_of(model_of(RULES, corpus), corpus, Online(6, 0.5, 1.0))
    passes(job, state, 1)
    keys = job.engine.table.keys[:]
    known = CachedTrees(job.model.grammar)
    some = known.ids(keys[::2])
    everything = known.ids(keys)
    assert some.tolist() == everything[::2].tolist()
    for key, tree in zip(keys, everything.tolist(), strict=True):
        own = known.trees.rules[known.trees.rule_starts[tree] : known.trees.rule_starts[tree + 1]]
        assert key_of(own) == key
    rules = job.model.grammar.rules
    terminal = int(np.flatnonzero(rules.terminals >= 0)[0])
    for wrong in (
        "",
        "x",
        "-1",
        "99999",
        "9" * 30,
        keys[0] + f" {terminal}",
        keys[0].rsplit(" ", 1)[0],
        f"{terminal}",
    ):
        with pytest.raises(ValueError, match=r"."):
            known.ids([wrong])
    longest = max(keys, key=len).split(" ")
    with pytest.raises(ValueError, match=r"trees belong to another grammar"):
        known.ids([" ".join([longest[0], longest[0], *longest[2:]])])
    counts = job.engine.table.whole()
    for name, value in (("tried", np.zeros(1)), ("discounts", np.array([1.0, 0.0])), ("fresh", -np.ones(2))):
        forged = {**state.params, name: Field(value, state.params[name].axes)}
        with pytest.raises(ValueError, match=r"."):
            job.model.refuse_others(forged, counts)


@pytest.mark.kernels
@given(st.lists(st.text(alphabet="0123456789 \n-x", max_size=8), max_size=4))
def test_keys_are_numbers(keys):
    right = all(re.fullmatch(r"\d{1,9}( \d{1,9})*", key) for key in keys)
    try:
        values, starts = rules_of(keys)
    except ValueError:
        assert not right
    else:
        assert right
        assert values.tolist() == [int(value) for key in keys for value in key.split(" ")]
        assert starts.tolist() == np.cumsum([0, *(len(key.split(" ")) for key in keys)]).tolist()


def test_the_memory_of_keys_changes_nothing():
    """A model that has seen other trees before learns the same."""
    corpus = corpus_of(TEXTS)
    fresh, used = (model_of(RULES, corpus) for _ in range(2))
    job, state = run_of(used, corpus, Online(6, 0.5, 1.0), seed=5)
    passes(job, state, 1)
    found = []
    for model in (fresh, used):
        job, state = run_of(model, corpus, Online(6, 0.5, 1.0))
        passes(job, state, 2)
        found.append((job.engine.table.keys[:], job.engine.table.counts(slice(None)).tolist(), state.scores))
    assert found[0] == found[1]


@pytest.mark.kernels
def test_what_a_growing_table_uses_is_counted_once():
    corpus = corpus_of(TEXTS)
    job, state = run_of(model_of(RULES, corpus), corpus, Online(6, 0.5, 1.0))
    passes(job, state, 1)
    counts = job.engine.table.whole()
    keys, known = Keys(()), CachedTrees(job.model.grammar)
    made = sorted(counts.keys, key=len)  # those that others are made of first
    for size in (0, 1, len(made) // 2, len(made)):
        keys.grow(made[len(keys) : size])
        found, expected = known.of_table(keys), CachedTrees(job.model.grammar).of_table(made[:size])
        for one, other in zip(found, expected, strict=True):
            assert one.tolist() == other.tolist()
    uses, parts = np.zeros(len(made)), np.zeros(len(job.model.grammar.weights))
    for below in known.trees.parts[: known.trees.numbers[PARTS]].tolist():
        if below >= 0:
            parts[below] += 1
        else:
            uses[found.rows[-1 - below]] += 1
    assert uses.sum() > 0
    assert found.tree_uses.tolist() == uses.tolist()
    assert found.rule_uses.tolist() == parts.tolist()


@pytest.mark.kernels
def test_cells_are_placed_with_all_their_uses():
    corpus = corpus_of(TEXTS)
    job, state = run_of(model_of(RULES, corpus), corpus, Online(6, 0.5, 1.0))
    passes(job, state, 1)
    model, counts = job.model, job.engine.table.whole()
    assert isinstance(model, OnlineGrammar)
    unused = max(counts.sizes.argmax(), 0)
    counts = counts._replace(sizes=counts.sizes - (np.arange(len(counts.sizes)) == unused))
    cache = model.cache(state.params, counts)
    by_table = model.known.of_table(counts.keys).tree_uses
    for column, size in enumerate(counts.sizes.tolist()):
        rows = cache.cells.rows[column, : cache.cells.sizes[column]]
        own = np.zeros(len(rows))
        own[:size] = counts.values[column, :size] * counts.scale
        assert rows[:size].tolist() == counts.rows[column, :size].tolist()
        assert (np.diff(rows[size:]) > 0).all()
        assert cache.own[column, : len(rows)].tolist() == own.tolist()
        assert cache.cells.values[column, : len(rows)].tolist() == (own + by_table[rows]).tolist()
        assert not cache.cells.values[column, len(rows) :].any()
        assert cache.cells.inside[column].sum() == len(rows)
    assert cache.cells.sizes.sum() == len(counts.keys)
    assert sorted(np.concatenate([cache.cells.rows[k, :n] for k, n in enumerate(cache.cells.sizes)])) == [
        *range(len(counts.keys))
    ]
