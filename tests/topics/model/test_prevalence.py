"""The prior of topic shares by metadata: its sampler, its steps, and what runs learn of it."""

import json
import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from scipy.special import gammaln
from tests.golden import names
from tests.oracle import gibbs as oracle

from stickbreaker import LDA, Corpus, Online, UserError
from stickbreaker.cli import main
from stickbreaker.contracts.contract import Step
from stickbreaker.contracts.model_source import source_of
from stickbreaker.core.errors import Interrupted
from stickbreaker.corpus import VocabularyRule
from stickbreaker.estimators import model_runs
from stickbreaker.estimators.verbs import effects, evaluate
from stickbreaker.saved import ModelDirectory
from stickbreaker.spark import SparkEngine
from stickbreaker.testing import ExactSamplerTests, chain_deviations
from stickbreaker.testing.estimators import StopAfter, begin, contents
from stickbreaker.topics.evaluation import left_to_right_of
from stickbreaker.topics.evaluation.held_out import HeldOut
from stickbreaker.topics.formula_coding import learn_coding
from stickbreaker.topics.model.priors.polya import fit_alpha, histogram
from stickbreaker.topics.model.priors.prevalence import COEFFICIENTS, DRIFT, VARIANCES, PrevalencePrior
from stickbreaker.topics.model.priors.prevalence_steps import (
    coefficient_step,
    learned_variances,
    precisions_of,
)
from stickbreaker.topics.model.priors.prevalence_terms import (
    Coefficients,
    alphas_of,
    as_fields,
    sums_of_terms,
)
from stickbreaker.topics.model.samplers import gibbs
from stickbreaker.topics.model.samplers.gibbs import CollapsedGibbs
from stickbreaker.topics.model.samplers.tokens import TokensInOrder
from stickbreaker.topics.model.solvers.prevalence_sums import mean_terms
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary
from stickbreaker.topics.model.vocabularies.concept_tree import Concept, ConceptTree

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
WAYS = ("mean-field", "hybrid", "gibbs")


def categories(rng, shares):
    """One draw from each row."""
    return (rng.random(len(shares))[:, None] > shares.cumsum(1)[:, :-1]).sum(1).astype(np.int32)


def tokens_of(words, lengths, n_words, rows):
    offsets = np.cumsum([0, *lengths]).astype(np.int64)
    return TokensInOrder(np.array(words, np.int32), offsets, n_words, np.array(rows, np.float64))


def chain(tokens, z, eta, coefficients, coding, seed=1):
    """A chain in which the prior has the coefficients given."""
    prior = PrevalencePrior(tuple(np.exp(coefficients[0])), coding.formula, coding)
    made = CollapsedGibbs(tokens, z, prior, ClosedVocabulary(tokens.n_words, eta), seed)
    made.restore({**made.snapshot(), COEFFICIENTS: coefficients})
    return made


@cache
def coded(groups):
    metadata = [{"group": "ab"[g]} for g in groups]
    coding = learn_coding("group", metadata)
    return coding, coding.rows(metadata)


def test_long_run_averages_equal_the_posterior_of_two_groups():
    words, lengths = [0, 0, 1, 2, 2, 1], [3, 0, 1, 2]
    coding, rows = coded((0, 0, 1, 1))
    coefficients = np.array([[-0.7, 0.1], [2.0, -1.5]])
    alphas = np.exp(rows @ coefficients)
    assert np.ptp(alphas[:, 0]) > 0.5
    full = np.full((3, 2), 0.4)

    def moments(z):
        n = np.zeros((3, 2))
        np.add.at(n, (words, z), 1)
        return np.concatenate([n.ravel(), z, [z[0] == z[1], z[0] == z[3], z[4] == z[5]]])

    expected = oracle.posterior_mean(words, np.repeat(range(4), lengths), alphas, full, moments)
    sampler = chain(tokens_of(words, lengths, 3, rows), np.zeros(6, np.int32), 0.4, coefficients, coding)
    seen = []
    for number in range(4_000):
        sampler.sweep(number, 1)
        seen.append(moments(sampler.snapshot()["assignments"].astype(int)))
    assert chain_deviations(seen, expected).max() < 4.0


LENGTHS, GROUPS, ETA, WORDS = [5, 1, 3, 4], (0, 1, 0, 1), 0.4, 4


class TestPrevalenceGibbs(ExactSamplerTests):
    """Forty documents of two groups in several blocks, all learned; Geweke's test with coefficients drawn
    from their prior.
    """

    @pytest.fixture(autouse=True)
    def blocks(self, monkeypatch):
        monkeypatch.setattr(gibbs, "BLOCK_TOKENS", 200)

    def corpus(self, documents):
        rng = np.random.default_rng(5)
        coding, rows = coded(tuple(rng.integers(0, 2, documents).tolist()))
        coefficients = rng.normal(-1.0, 0.5, (2, 5))
        lengths = rng.integers(0, 30, documents)
        return (*drawn(rng, rows, coefficients, lengths, 60), coding)

    def sampler(self, seed):
        tokens, z, coding = self.corpus(40)
        return chain(tokens, np.zeros_like(z), 0.1, np.full((2, 5), -1.5), coding, seed)

    def another(self):
        tokens, z, coding = self.corpus(39)
        return chain(tokens, z, 0.1, np.full((2, 5), -1.5), coding)

    def log_joint(self, sampler):
        tokens, _, _ = self.corpus(40)
        state = sampler.snapshot()
        alphas = self.alphas(tokens, state)
        documents = np.repeat(range(40), np.diff(tokens.offsets))
        return oracle.log_joint(tokens.words, documents, state["assignments"], alphas, np.full((60, 5), 0.1))

    def alphas(self, tokens, state):
        return np.exp(tokens.covariates @ state[COEFFICIENTS])

    def again(self, tokens, z, state):
        return chain(tokens, z, ETA, state[COEFFICIENTS], coded(GROUPS)[0])

    def draw(self, generator):
        coding, rows = coded(GROUPS)
        coefficients = np.vstack([generator.normal(-0.5, 0.3, 3), generator.normal(0.0, 1.0, 3)])
        tokens, z = drawn(generator, rows, coefficients, LENGTHS, WORDS)
        return tokens, chain(tokens, z, ETA, coefficients, coding)

    def redraw(self, tokens, sampler, generator):
        state = sampler.snapshot()
        z = state["assignments"].astype(np.int32)
        beta = np.array([generator.dirichlet(column) for column in (sampler.counts() + ETA).T])
        tokens = tokens._replace(words=categories(generator, beta[z]))
        return tokens, self.again(tokens, z, state)

    def functions(self, tokens, sampler):
        state = sampler.snapshot()
        z, alphas = state["assignments"], self.alphas(tokens, state)
        n_dk = np.zeros((4, 3))
        np.add.at(n_dk, (np.repeat(range(4), LENGTHS), z), 1)
        counts = np.bincount(tokens.words, minlength=WORDS)
        shares = alphas / alphas.sum(axis=1, keepdims=True)
        return np.concatenate([(n_dk**2).ravel(), (n_dk * shares).ravel(), counts, counts**2])


def drawn(generator, rows, coefficients, lengths, n_words):
    """Tokens of the model itself, and their topics."""
    whole = coefficients if isinstance(coefficients, Coefficients) else plain(coefficients)
    alphas = alphas_of(rows, whole, np.ones(whole.columns.shape[1]))
    beta = np.array([generator.dirichlet(np.full(n_words, ETA)) for _ in range(alphas.shape[1])])
    theta = np.array([generator.dirichlet(alpha) for alpha in alphas])
    z = categories(generator, np.repeat(theta, lengths, axis=0))
    return tokens_of(categories(generator, beta[z]), lengths, n_words, rows), z


def counted_topics(seed=0, documents=120, topics=4, effect=1.0):
    """Topics of the tokens of documents with three columns of covariates, and their offsets."""
    rng = np.random.default_rng(seed)
    rows = np.column_stack([np.ones(documents), rng.normal(size=(documents, 2))])
    rows[:, 1:] -= rows[:, 1:].mean(axis=0)
    coefficients = np.vstack([rng.normal(-0.5, 0.4, topics), effect * rng.normal(0.0, 0.7, (2, topics))])
    lengths = rng.integers(0, 40, documents)
    theta = np.array([rng.dirichlet(alpha) for alpha in np.exp(rows @ coefficients)])
    z = categories(rng, np.repeat(theta, lengths, axis=0))
    return rows, coefficients, np.cumsum([0, *lengths]), z


def log_probability(alphas, offsets, z):
    """log p of documents' topics, by plain loops (documents)."""
    nats = np.zeros(len(alphas))
    for d, alpha in enumerate(alphas):
        n = np.bincount(z[offsets[d] : offsets[d + 1]], minlength=len(alpha))
        nats[d] = gammaln(alpha.sum()) - gammaln(alpha.sum() + n.sum())
        nats[d] += (gammaln(alpha + n) - gammaln(alpha)).sum()
    return nats


def sums_at(rows, coefficients, offsets, z):
    alphas = alphas_of(rows, coefficients, np.ones(coefficients.columns.shape[1]))
    terms = mean_terms(offsets, z[None], alphas)
    return sums_of_terms(rows, coefficients, alphas, terms, terms.slopes, terms.slopes)


def plain(columns):
    return Coefficients(columns, np.zeros((0, columns.shape[1])))


def test_terms_are_derivatives_of_the_log_probability():
    rows, coefficients, offsets, z = counted_topics(documents=12)
    logs, step = rows @ coefficients, 1e-5
    terms = mean_terms(offsets, z[None], np.exp(logs))
    shares = np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)
    for k in range(4):
        up, down = logs.copy(), logs.copy()
        up[:, k], down[:, k] = logs[:, k] + step, logs[:, k] - step
        ends = [log_probability(np.exp(one), offsets, z) for one in (up, down)]
        np.testing.assert_allclose(terms.slopes[:, k], (ends[0] - ends[1]) / (2 * step), atol=1e-6)
        ends = [mean_terms(offsets, z[None], np.exp(one)).slopes for one in (up, down)]
        second = (ends[0] - ends[1]) / (2 * step)
        for m in range(4):
            own = terms.slopes[:, k] - terms.bends[:, k] if m == k else 0.0
            expected = own + terms.spreads * shares[:, k] * shares[:, m]
            np.testing.assert_allclose(second[:, m], expected, atol=1e-5)


def test_sums_are_gradients_and_can_be_added():
    rows, coefficients, offsets, z = counted_topics()
    sums, step = sums_at(rows, plain(coefficients), offsets, z), 1e-5
    for place in ((0, 1), (2, 3)):
        moved = [coefficients.copy(), coefficients.copy()]
        moved[0][place] += step
        moved[1][place] -= step
        ends = [log_probability(np.exp(rows @ one), offsets, z).sum() for one in moved]
        assert sums.slopes[place] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-4)
    parts = [
        sums_at(rows[:50], plain(coefficients), offsets[:51], z),
        sums_at(rows[50:], plain(coefficients), offsets[50:], z),
    ]
    for one, other, whole in zip(*parts, sums, strict=True):
        np.testing.assert_allclose(one + other, whole, rtol=1e-10, atol=1e-10)


def climbed(rows, offsets, z, precisions, columns, steps=60):
    start, prior = plain(columns), precisions_of(np.ones(len(columns)), np.zeros(0), ())
    for _ in range(steps):
        sums = sums_at(rows, start, offsets, z)
        start = coefficient_step(start, prior._replace(columns=precisions), sums, together=False)
    return start.columns


@pytest.mark.parametrize("start", [-4.0, 0.0, 2.0])
def test_steps_reach_the_maximum(start):
    rows, _, offsets, z = counted_topics()
    precisions = np.array([0.0, 2.0, 2.0])
    found = climbed(rows, offsets, z, precisions, np.full((3, 4), start))
    slopes = sums_at(rows, plain(found), offsets, z).slopes - precisions[:, None] * found
    assert np.abs(slopes).max() < 1e-6

    def height(coefficients):
        prior = 0.5 * (precisions[:, None] * coefficients**2).sum()
        return log_probability(np.exp(rows @ coefficients), offsets, z).sum() - prior

    rng = np.random.default_rng(1)
    assert all(height(found + 0.01 * rng.normal(size=found.shape)) < height(found) for _ in range(20))


def test_the_intercept_alone_is_alpha_learned_for_all_documents():
    _, _, offsets, z = counted_topics()
    alone = np.ones((len(offsets) - 1, 1))
    found = climbed(alone, offsets, z, np.zeros(1), np.zeros((1, 4)))
    owners = np.repeat(range(len(alone)), np.diff(offsets))
    cells, counts = np.unique(owners * 4 + z, return_counts=True)
    lengths = np.diff(offsets)
    lengths = histogram(np.zeros((lengths > 0).sum(), int), lengths[lengths > 0])
    alpha = np.ones(4)
    for _ in range(300):
        alpha = fit_alpha(alpha, histogram(cells % 4, counts), lengths, False)
    np.testing.assert_allclose(np.exp(found[0]), alpha, rtol=1e-3)
    np.testing.assert_allclose(
        np.exp(climbed(alone, offsets, z, np.zeros(1), np.log(alpha)[None])), np.exp(found)
    )


def test_a_topic_without_tokens_fades_and_leaves_the_others_alone():
    rows, _, offsets, z = counted_topics()
    found = climbed(rows, offsets, z, np.array([0.0, 2.0, 2.0]), np.zeros((3, 4)))
    more = climbed(rows, offsets, z, np.array([0.0, 2.0, 2.0]), np.zeros((3, 5)))
    assert np.exp(more[0, 4]) == pytest.approx(1e-5)
    np.testing.assert_allclose(more[:, :4], found, atol=1e-3)


def test_variances_tell_strong_terms_from_noise():
    groups = np.array([0, 1, 2])
    coefficients = np.array([[0.0] * 8, [1.5, -2.0, 1.0, -1.0, 2.0, -0.5, 1.2, -1.8], [0.01] * 8])
    scores = np.tile(np.diag([100.0, 50.0, 50.0]), (8, 1, 1))
    variances = np.ones(3)
    for _ in range(100):
        variances = learned_variances(coefficients, variances, scores, groups)
    assert variances[0] == 1.0, "the intercept has no prior that is learned"
    assert variances[1] == pytest.approx((coefficients[1] ** 2).mean(), rel=0.1)
    assert 0.05 < variances[2] < 0.2
    one = learned_variances(coefficients, np.ones(3), scores, np.array([0, 1, 1]))
    assert one[1] == one[2]


def test_a_step_moves_by_its_rate_and_the_drift_ends_a_run():
    rows, _, offsets, z = counted_topics()
    metadata = [{"x": float(x), "y": float(y)} for x, y in rows[:, 1:]]
    prior = PrevalencePrior((0.5,) * 4, "x + y").coded(metadata)
    params = prior.start()
    usage = as_fields(sums_at(prior.coding.rows(metadata), prior.coefficients(params), offsets, z))
    whole = {**params, **prior.update(params, usage, 120.0, Step(0, 1.0, 1.0, 1e6))}
    half = prior.update(params, usage, 120.0, Step(0, 0.5, 1.0, 1e6))
    moved = whole[COEFFICIENTS].values - params[COEFFICIENTS].values
    np.testing.assert_allclose(half[COEFFICIENTS].values - params[COEFFICIENTS].values, 0.5 * moved)
    assert not prior.is_settled(params)
    assert not prior.is_settled(whole)
    assert prior.is_settled({**whole, DRIFT: whole[DRIFT]._replace(values=0.01 * moved)})
    early = prior.update(params, usage, 120.0, Step(0, 1.0, 1.0, 0.0))
    assert np.ptp(early[COEFFICIENTS].values, axis=1).tolist() == [0.0, 0.0, 0.0], "topics are still alike"
    twice = prior.update(params, usage, 120.0, Step(0, 1.0, 2.0, 1e6))
    assert twice[COEFFICIENTS].values != pytest.approx(whole[COEFFICIENTS].values), "the prior counts half"
    assert prior.update(params, usage, 0.0, Step(0, 1.0, 1.0, 1e6)) == {}


def planted(documents=300, words=30, effect=0.3, seed=3, field="party"):
    """Documents of two parties about three topics, the first of which one party writes more about."""
    rng = np.random.default_rng(seed)
    texts, metadata = [], []
    for d in range(documents):
        side = d % 2
        share = 1 / 3 + effect * (side - 0.5)
        theta = rng.dirichlet(3.0 * np.array([share, (1 - share) / 2, (1 - share) / 2]))
        z = rng.choice(3, words, p=theta)
        texts.append(" ".join(f"{'abc'[k]}{rng.integers(8)}x" for k in z))
        metadata.append({field: "left" if side else "right", "year": 1990 + d % 5})
    return Corpus.from_texts(texts, metadata=metadata, rule=VocabularyRule(1, 1.0))


CORPUS = planted()
TREE = ConceptTree([Concept("first", {"": ("a0x", "a1x", "a2x")}), Concept("other", {"": ("b0x", "b1x")})])


@pytest.mark.parametrize("inference", WAYS)
def test_a_planted_effect_is_recovered(inference):
    model = LDA(3, prevalence="party + year", inference=inference, max_iter=60, random_state=0).fit(CORPUS)
    k = int(np.argmax(_share_of_first(model)))
    found = model.expected_shares()
    mine = found[found["topic"] == k].set_index("at")
    left, right = mine.loc["party=left"], mine.loc["party=right"]
    assert left["share"] - right["share"] == pytest.approx(0.3, abs=0.07)
    other = left if left["compared_with"] == "party=right" else right
    sign = 1.0 if other is left else -1.0
    ends = sorted((sign * other["difference_low"], sign * other["difference_high"]))
    assert ends[0] < 0.3 < ends[1]
    assert 0.03 < ends[1] - ends[0] < 0.2
    year = mine.loc["year=1990"]
    assert year["difference_low"] < 0.0 < year["difference_high"]


def _share_of_first(model):
    """(topics) How much of each topic are words of the planted first one."""
    first = [w for w, word in enumerate(model.vocabulary_.words) if word.startswith("a")]
    return model.topic_word_[:, first].sum(axis=1)


def test_documents_have_the_prior_of_their_metadata():
    model = LDA(3, prevalence="party", max_iter=30, random_state=0).fit(CORPUS)
    k = int(np.argmax(_share_of_first(model)))
    two = Corpus.from_texts(["a1x b1x", "a1x b1x"], metadata=[{"party": "left"}, {"party": "right"}])
    shares = model.transform(two)[:, k]
    assert shares[0] > shares[1] + 0.1
    with pytest.warns(UserWarning, match="1 document of 2 without a value of party"):
        unknown = model.transform(
            Corpus.from_texts(["a1x b1x", "a1x b1x"], metadata=[{"party": "centre"}, {"party": "left"}])
        )[:, k]
    assert shares[1] < unknown[0] < shares[0]
    assert unknown[1] == shares[0]
    with pytest.warns(UserWarning, match="2 documents of 2"):
        plain = model.transform(["a1x b1x", "a1x b1x"])[:, k]
    assert plain.tolist() == [unknown[0]] * 2


def test_held_out_documents_have_the_prior_of_their_metadata():
    model = LDA(3, prevalence="party", max_iter=20, tol=0.0, random_state=0).fit(CORPUS)
    wrong = [{"party": "left" if d % 2 == 0 else "right"} for d in range(CORPUS.n_documents)]
    texts = [document.text for document in CORPUS]
    swapped = Corpus.from_texts(texts, metadata=wrong, vocabulary=model.vocabulary_)
    scores = [
        HeldOut(source_of(corpus, model.learned_.model, 0.3), 0)(
            model.engine_, model.learned_.model, model.params_
        )
        for corpus in (CORPUS, swapped)
    ]
    assert scores[0] > scores[1] + 0.005


def test_the_program_shows_expected_shares_without_documents(tmp_path):
    lines = (json.dumps({"text": one.text, **(one.metadata or {})}) for one in CORPUS)
    (tmp_path / "docs.jsonl").write_text("\n".join(lines))
    model, table = str(tmp_path / "model"), tmp_path / "t.csv"
    fit = ["fit", "lda", str(tmp_path / "docs.jsonl"), "--out", model, "--topics", "3", "--max-share", "1"]
    run = CliRunner().invoke
    assert run(main, [*fit, "--prevalence", "party + year", "--iterations", "15"]).exit_code == 0
    shown = run(main, ["effect", model])
    assert shown.exit_code == 0, shown.output
    assert "compared with 150 documents of party=" in shown.stdout
    assert shown.stdout.count("party=left") == 4
    told = run(main, ["effect", model, "--at", "party=left", "--topic", "1", "--json", "--out", str(table)])
    assert json.loads(told.stdout)["places"] == [
        {"values": {"party": "left"}, "documents": None, "compared_with": "party=left"}
    ]
    assert len(table.read_text().splitlines()) == 4
    for wrong in (["--formula", "party"], ["--picture", "p.svg"], ["--topic", "9"], ["--at", "party=up"]):
        refused = run(main, ["effect", model, *wrong])
        assert refused.exit_code != 0
        assert "Traceback" not in refused.output
    documents = run(main, ["effect", model, str(tmp_path / "docs.jsonl"), "--formula", "party"])
    assert documents.exit_code == 0, documents.output
    new = tmp_path / "new.jsonl"
    new.write_text('{"text": "a1x b1x", "party": "centre", "year": 1990}\n')
    shares = run(main, ["transform", model, str(new), "--out", str(tmp_path / "s.csv")])
    assert "1 document of 1 without a value of party or year" in shares.stderr


def test_scores_have_the_prior_of_the_metadata():
    model = LDA(3, prevalence="party", max_iter=30, random_state=0).fit(CORPUS)
    wrong = [{"party": "left" if d % 2 == 0 else "right"} for d in range(CORPUS.n_documents)]
    texts = [document.text for document in CORPUS]
    swapped = Corpus.from_texts(texts, metadata=wrong, vocabulary=model.vocabulary_)
    assert model.score(CORPUS) > model.score(texts) > model.score(swapped)
    assert model.bound(CORPUS) > model.bound(swapped)
    one = model.score(CORPUS.part(0, 1)) * CORPUS.part(0, 1).n_tokens
    two = model.score(CORPUS.part(1, 2)) * CORPUS.part(1, 2).n_tokens
    both = CORPUS.part(0, 2)
    assert model.score(both) * both.n_tokens == pytest.approx(one + two)


def test_evaluation_gives_each_document_its_own_prior():
    model = LDA(3, prevalence="party", max_iter=30, random_state=0).fit(CORPUS)
    part = CORPUS.part(0, 150)
    wrong = [{"party": "left" if d % 2 == 0 else "right"} for d in range(150)]
    swapped = Corpus.from_texts([one.text for one in part], metadata=wrong, vocabulary=model.vocabulary_)
    scores = [evaluate(model, corpus, left_to_right=True, completion=0.1) for corpus in (part, swapped)]
    assert scores[0].nats_per_word > scores[1].nats_per_word + 0.01
    assert scores[0].left_to_right.nats_per_word > scores[1].left_to_right.nats_per_word + 0.005
    one, two = (left_to_right_of(model, CORPUS.part(d, d + 1)).nats for d in (0, 1))
    assert left_to_right_of(model, CORPUS.part(0, 2)).nats == pytest.approx(one + two)
    with pytest.warns(UserWarning, match="150 documents of 150 without a value of party"):
        evaluate(model, [one.text for one in part])


@pytest.mark.parametrize("inference", WAYS)
def test_threads_saving_and_resuming_give_the_same_numbers(inference, tmp_path):
    settings = {"inference": inference, "max_iter": 14, "tol": 0.0, "random_state": 0}

    def make(threads=1):
        return LDA(3, prevalence="party + year", n_jobs=threads, **settings)

    one, two = make().fit(CORPUS), make(2).fit(CORPUS)
    one.save(tmp_path / "one")
    two.save(tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    names.check(tmp_path / "one")
    loaded = LDA.load(tmp_path / "one")
    loaded.save(tmp_path / "again")
    assert contents(tmp_path / "again") == contents(tmp_path / "one")
    assert np.array_equal(loaded.transform(CORPUS), one.transform(CORPUS))
    assert loaded.expected_shares().equals(one.expected_shares())
    corpus = CORPUS.write(tmp_path / "corpus")
    for name, stops in (("whole", ()), ("parts", (3, 5))):
        begin(make(), corpus, tmp_path / name)
        for steps in stops:
            watch = StopAfter(steps)
            with pytest.raises(Interrupted):
                model_runs.resume(tmp_path / name, every=0.0, threads=1, watch=[watch], stopper=watch.take)
            names.check(tmp_path / name)
            assert LDA.load(tmp_path / name).params_[COEFFICIENTS].values.shape == (3, 3)
        model_runs.resume(tmp_path / name, every=60.0, threads=1)
    assert contents(tmp_path / "whole") == contents(tmp_path / "parts")


def test_a_saved_model_with_another_coding_is_refused(tmp_path):
    model = LDA(3, prevalence="party", max_iter=2, tol=0.0, random_state=0).fit(CORPUS)
    model.save(tmp_path / "model")
    directory = ModelDirectory(tmp_path / "model")
    for name, values in (
        ("small/coding", np.frombuffer(b'{"columns": []}', np.uint8)),
        ("small/coefficients", np.zeros((5, 3))),
        ("small/variances", np.ones(3)),
        ("small/information", np.eye(4)),
    ):
        snapshot = directory.read()
        directory.write(replace(snapshot, arrays={**snapshot.arrays, name: values}))
        with pytest.raises(UserError, match="model"):
            LDA.load(tmp_path / "model")
        directory.write(snapshot)
    LDA.load(tmp_path / "model")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"inference": "gibbs-delayed"}, "does not go with a prior by metadata"),
        ({"schedule": "memoised"}, "does not go with a prior by metadata"),
        ({"engine": SparkEngine(None)}, "engine='spark' does not go with a prior by metadata"),
        ({"inference": "gibbs", "words": TREE}, "does not go with a prior by metadata"),
        ({"alpha": 0.1}, "prevalence learns alpha"),
        ({"alpha": "learned-symmetric"}, "prevalence learns alpha"),
        ({"prevalence": "0 + party"}, "no intercept"),
        ({"prevalence": "party +"}, "ends in place of the name of a field"),
        ({"prevalence": "nothing"}, "no document has the field 'nothing'"),
    ],
)
def test_what_does_not_go_with_prevalence_is_refused_in_a_line(settings, told):
    with pytest.raises(UserError, match=told) as error:
        LDA(**{"n_topics": 3, "prevalence": "party", "max_iter": 2, **settings}).fit(CORPUS)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("inference", ["mean-field", "hybrid"])
def test_online_runs_learn_the_effect(inference):
    schedule = Online(batch_size=60, kappa=0.7, tau0=4)
    model = LDA(3, prevalence="party", inference=inference, schedule=schedule, max_iter=12, random_state=0)
    model.fit(CORPUS)
    k = int(np.argmax(_share_of_first(model)))
    mine = model.expected_shares().query(f"topic == {k}").set_index("at")["share"]
    assert mine["party=left"] - mine["party=right"] == pytest.approx(0.3, abs=0.09)


def test_online_with_one_minibatch_and_rate_one_is_batch():
    settings = {"prevalence": "party", "max_iter": 12, "tol": 0.0, "random_state": 0}
    whole = Online(CORPUS.n_documents, kappa=0.0, tau0=1.0, shuffle=False)
    batch = LDA(3, **settings).fit(CORPUS)
    online = LDA(3, **settings, schedule=whole).fit(CORPUS)
    for name in (COEFFICIENTS, VARIANCES, "alpha"):
        np.testing.assert_allclose(online.params_[name].values, batch.params_[name].values, rtol=1e-6)


OTHER_WORDS = {
    "concepts": {"words": TREE},
    "open": {"words": "open"},
    "guide": {"guide": {"a's": ["a*"]}, "eta": 0.1},
}


@pytest.mark.parametrize("words", list(OTHER_WORDS))
def test_it_goes_with_other_words(words, tmp_path):
    model = LDA(3, prevalence="party", max_iter=25, random_state=0, **OTHER_WORDS[words]).fit(CORPUS)
    shares = model.transform(CORPUS)
    side = np.arange(CORPUS.n_documents) % 2
    assert np.ptp([shares[side == one].mean(axis=0) for one in (0, 1)], axis=0).max() > 0.15
    model.save(tmp_path / "model")
    assert np.array_equal(LDA.load(tmp_path / "model").transform(CORPUS), shares)


def test_it_goes_with_several_languages():
    rng = np.random.default_rng(0)
    texts, metadata = [], []
    for d in range(120):
        z = rng.choice(2, 12, p=[0.8, 0.2] if d % 2 else [0.2, 0.8])
        texts.append(
            {code: " ".join(f"{code}{'ab'[k]}{rng.integers(6)}" for k in z) for code in ("en", "de")}
        )
        metadata.append({"party": "left" if d % 2 else "right"})
    corpus = Corpus.from_texts(texts, metadata=metadata, rule=VocabularyRule(1, 1.0))
    model = LDA(2, prevalence="party", max_iter=30, random_state=0).fit(corpus)
    assert model.expected_shares()["difference"].abs().max() > 0.35


def test_levels_of_many_values_are_pooled():
    """Forty authors of eight documents each: their coefficients are drawn together as far as they differ."""
    rng = np.random.default_rng(4)
    authors, texts, metadata = rng.normal(0.0, 0.8, 40), [], []
    for d in range(320):
        share = 1.0 / (1.0 + np.exp(-authors[d % 40]))
        z = rng.random(12) < rng.beta(4.0 * share, 4.0 * (1.0 - share))
        texts.append(" ".join(f"{'ba'[int(k)]}{rng.integers(8)}x" for k in z))
        metadata.append({"author": f"author{d % 40:02d}"})
    corpus = Corpus.from_texts(texts, metadata=metadata, rule=VocabularyRule(1, 1.0))
    model = LDA(2, prevalence="author", max_iter=60, random_state=0).fit(corpus)
    k = int(np.argmax(_share_of_first(model)))
    coding = model.learned_.model.covariates
    rows = np.array([coding.typical({"author": f"author{a:02d}"}) for a in range(40)])
    logs = rows @ model.params_[COEFFICIENTS].values
    found = logs[:, k] - logs[:, 1 - k]
    plain = np.array(
        [sum(word[0] == "a" for text in texts[a::40] for word in text.split()) for a in range(40)]
    )
    plain = np.log((plain + 0.5) / (96.5 - plain))
    assert np.corrcoef(found, authors)[0, 1] > 0.8
    assert found.std() < plain.std(), "less than the documents' own shares say"
    assert (
        np.square(found - found.mean() - authors + authors.mean()).mean()
        < 1.1 * np.square(plain - authors).mean()
    )
    assert 0.03 < model.params_[VARIANCES].values[1] < 1.0


def test_too_many_levels_are_refused():
    texts, metadata = ["a1x b1x"] * 600, [{"author": f"{d % 500}"} for d in range(600)]
    with pytest.raises(UserError, match="500 columns for each topic; 50 topics can have 409"):
        LDA(50, prevalence="author").fit(
            Corpus.from_texts(texts, metadata=metadata, rule=VocabularyRule(1, 1.0))
        )


def test_topics_with_a_prior_by_metadata_are_not_merged():
    model = LDA(3, prevalence="party", max_iter=2, tol=0.0, random_state=0).fit(CORPUS)
    before = model.params_[COEFFICIENTS].values.copy()
    with pytest.raises(UserError, match="depends on metadata"):
        model.merge_topics([[0, 1]])
    assert np.array_equal(model.params_[COEFFICIENTS].values, before)


def test_a_stream_does_not_go_with_prevalence():
    with pytest.raises(UserError, match="does not go with a prior by metadata"):
        LDA(3, prevalence="party").partial_fit(CORPUS)


def test_documents_without_metadata_are_refused_with_their_number():
    texts, metadata = ["a1x b1x"] * 5, [{"party": "left"}, {}, {"party": "right"}, {"party": ""}, {}]
    with pytest.raises(UserError, match="3 documents of 5 have no 'party'"):
        LDA(2, prevalence="party").fit(Corpus.from_texts(texts, metadata=metadata))
    with pytest.raises(UserError, match="no document has the field 'party'"):
        LDA(2, prevalence="party").fit(texts)
    fractions = Corpus.from_matrix([[0.5, 1.0], [1.0, 2.0]])
    with pytest.raises(UserError):
        LDA(2, prevalence="1").fit(fractions)


FRAMES = {
    "records": list,
    "pandas": lambda rows: pd.DataFrame(rows, index=range(7, 7 + 2 * len(rows), 2)),
    "polars": pl.DataFrame,
    "lazy": lambda rows: pl.DataFrame(rows).lazy(),
    "arrow": pa.Table.from_pylist,
}


@pytest.mark.parametrize("form", list(FRAMES))
def test_metadata_are_given_apart_from_texts_in_any_form(form):
    part = CORPUS.part(0, 80)
    texts, metadata = [one.text for one in part], [dict(one.metadata) for one in part]
    settings = {"prevalence": "party + year", "max_iter": 4, "tol": 0.0, "random_state": 0}
    corpus = Corpus.from_texts(texts, metadata=metadata)
    expected = LDA(3, **settings).fit(corpus).transform(corpus)
    frame, model = FRAMES[form](metadata), LDA(3, **settings)
    tokens = [text.split() for text in texts]
    assert np.array_equal(model.fit(texts, metadata=frame).transform(tokens, metadata=frame), expected)
    assert np.array_equal(model.fit_transform(texts, metadata=frame), expected)
    if form == "pandas":
        framed = LDA(3, **settings).set_output(transform="pandas").fit_transform(frame.assign(text=texts))
        assert np.array_equal(framed.to_numpy(), expected)


@pytest.mark.parametrize(
    ("documents", "metadata", "told"),
    [
        (["a b"], [{"party": "x"}] * 3, "has 3 rows for 1 document"),
        (CORPUS, [], "goes with a list of texts"),
        (np.eye(3), [{}] * 3, "goes with a list of texts"),
        ([{"en": "a", "de": "b"}], [{}], "goes with a list of texts"),
        (["a b"], {"party": "x"}, "is of the class dict"),
        (["a b"], [{"text": "x"}], "has a field 'text'"),
    ],
)
def test_metadata_that_do_not_fit_are_refused(documents, metadata, told):
    with pytest.raises(UserError, match=told):
        LDA(3, prevalence="party").fit(documents, metadata=metadata)


def test_expected_shares_need_a_prior_by_metadata():
    model = LDA(3, max_iter=2, tol=0.0, random_state=0).fit(CORPUS)
    with pytest.raises(UserError, match="do not depend on metadata"):
        model.expected_shares()
    model = LDA(3, prevalence="party + year", max_iter=2, tol=0.0, random_state=0).fit(CORPUS)
    frame = model.expected_shares("party=left, year=1990:1994:2")
    assert frame["at"].unique().tolist() == [f"party=left, year={year}" for year in (1990, 1992, 1994)]
    assert len(model.expected_shares("year=1990:1994")) == 3 * 11
    np.testing.assert_allclose(frame.groupby("at")["share"].sum(), 1.0)
    for at in ("party", "party=", "region=1", "party=up", "year=a", "year=1:2:0", "year=0:1e9:1"):
        with pytest.raises(UserError) as error:
            model.expected_shares(at)
        assert "\n" not in str(error.value)


def test_effects_after_a_fit_use_the_prior_of_each_document():
    """Short documents: with the prior of their group, effects are not pulled together."""
    corpus = planted(documents=400, words=6, effect=0.4)
    settings = {"max_iter": 40, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = [LDA(3, prevalence=one, **settings).fit(corpus) for one in ("party", None)]
    estimates = []
    for model in models:
        found = model.effects(corpus, 'C(party, contr.treatment("right"))')
        k = int(np.argmax(_share_of_first(model)))
        estimates.append(
            float(found[(found["topic"] == k) & (found["term"] != "Intercept")]["estimate"].iloc[0])
        )
    assert estimates[0] == pytest.approx(0.4, abs=0.09)
    assert estimates[1] < 0.9 * estimates[0]
    short = [str(effects(model, corpus, "party")) for model in models]
    assert ["too small" in text for text in short] == [False, True]
    assert "too small" not in str(effects(models[1], planted(documents=40, words=120), "party"))


def test_variances_are_among_the_params():
    model = LDA(3, prevalence="party + year", max_iter=40, random_state=0).fit(CORPUS)
    variances = model.params_[VARIANCES].values
    assert variances[1] > variances[2] > 0.0, "party matters, year does not"
