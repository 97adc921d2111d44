"""Terms with levels in the prior of topic shares: (1 | author), of pooled levels, and walks over dates."""

import json
from functools import cache

import numpy as np
import pytest
from click.testing import CliRunner
from tests.golden import names
from tests.topics.model import test_prevalence
from tests.topics.model.test_prevalence import categories, chain, drawn, log_probability

from stickbreaker import LDA, Corpus, Online, UserError
from stickbreaker.cli import main
from stickbreaker.core.errors import Interrupted
from stickbreaker.corpus import VocabularyRule
from stickbreaker.estimators import model_runs
from stickbreaker.testing.estimators import StopAfter, begin, contents
from stickbreaker.topics.formula_coding import learn_coding
from stickbreaker.topics.model.priors.level_information import (
    LevelSums,
    level_draws,
    solved,
    with_unknown_levels,
)
from stickbreaker.topics.model.priors.prevalence import (
    COEFFICIENTS,
    INFORMATION,
    LEVEL_VARIANCES,
    LEVELS,
    PrevalencePrior,
)
from stickbreaker.topics.model.priors.prevalence_steps import (
    HELD,
    LevelRange,
    Precisions,
    _inverse_of_chains,
    centred,
    coefficient_step,
    learned_level_variances,
    precisions_of,
    solve_chains,
)
from stickbreaker.topics.model.priors.prevalence_terms import Coefficients, alphas_of, sums_of_terms
from stickbreaker.topics.model.solvers.prevalence_sums import mean_terms

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
AUTHORS, MONTHS, TOPICS = 12, 6, 3
FORMULAS = {"pooled": (False,), "walk": (True,), "both": (False, True)}


def drawn_topics(walks, seed=0, documents=300, most=40, spread=0.8, sizes=(AUTHORS, MONTHS)):
    """Topics of tokens of documents with one column and a level of each term; the coefficients drawn from."""
    rng = np.random.default_rng(seed)
    sizes = [sizes[int(walk)] for walk in walks]
    starts = np.cumsum([0, *sizes])
    codes = np.column_stack([rng.integers(0, n, documents) for n in sizes])
    counts = [np.bincount(codes[:, t], minlength=n).astype(float) for t, n in enumerate(sizes)]
    ranges = [
        LevelRange(start, start + len(own), own, walk)
        for start, own, walk in zip(starts[:-1], counts, walks, strict=True)
    ]
    x = rng.normal(size=(documents, 1))
    rows = np.column_stack([np.ones(documents), x - x.mean(), codes + starts[:-1]])
    levels = [
        rng.normal(0.0, spread, (n, TOPICS)).cumsum(axis=0) if walk else rng.normal(0.0, spread, (n, TOPICS))
        for n, walk in zip(sizes, walks, strict=True)
    ]
    columns = np.vstack([rng.normal(-0.5, 0.3, TOPICS), rng.normal(0.0, 0.5, TOPICS)])
    coefficients = centred(Coefficients(columns, np.concatenate(levels)), ranges)
    theta = np.array([rng.dirichlet(a) for a in alphas_of(rows, coefficients, np.ones(TOPICS))])
    lengths = rng.integers(0, most, documents)
    z = categories(rng, np.repeat(theta, lengths, axis=0))
    return rows, coefficients, np.cumsum([0, *lengths]), z, ranges


def sums_at(rows, coefficients, offsets, z):
    alphas = alphas_of(rows, coefficients, np.ones(TOPICS))
    terms = mean_terms(offsets, z[None], alphas)
    return sums_of_terms(rows, coefficients, alphas, terms, terms.slopes, terms.slopes)


def height(rows, coefficients, offsets, z, prior):
    """log p of the topics and of the coefficients, but for a constant."""
    nats = log_probability(alphas_of(rows, coefficients, np.ones(TOPICS)), offsets, z).sum()
    nats -= 0.5 * (prior.columns[:, None] * coefficients.columns**2).sum()
    return nats - 0.5 * (coefficients.levels * prior.times_levels(coefficients.levels)).sum()


def dense(prior):
    matrix = np.diag(prior.diagonal)
    for place, value in enumerate(prior.beside[:-1]):
        matrix[place, place + 1] = matrix[place + 1, place] = -value
    return matrix


@pytest.mark.parametrize("kind", list(FORMULAS))
def test_sums_by_level_are_gradients_and_can_be_added(kind):
    rows, coefficients, offsets, z, _ = drawn_topics(FORMULAS[kind])
    rows[7, 2:] = -1.0  # a level that was not learned
    sums, step = sums_at(rows, coefficients, offsets, z), 1e-5
    for place in ((0, 1), (3, 0), (len(coefficients.levels) - 1, 2)):
        ends = []
        for sign in (1.0, -1.0):
            levels = coefficients.levels.copy()
            levels[place] += sign * step
            alphas = alphas_of(rows, coefficients._replace(levels=levels), np.ones(TOPICS))
            ends.append(log_probability(alphas, offsets, z).sum())
        assert sums.level_slopes[place] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-4)
    parts = [
        sums_at(rows[:90], coefficients, offsets[:91], z),
        sums_at(rows[90:], coefficients, offsets[90:], z),
    ]
    for one, other, whole in zip(*parts, sums, strict=True):
        np.testing.assert_allclose(one + other, whole, rtol=1e-10, atol=1e-10)
    if kind == "pooled":  # as columns of 0 and 1 for each level
        wide = np.column_stack([rows[:, :2], rows[:, 2:] == np.arange(AUTHORS)])
        columns = Coefficients(np.vstack(coefficients), coefficients.levels[:0])
        full = sums_at(wide, columns, offsets, z)
        np.testing.assert_allclose(full.slopes[2:], sums.level_slopes)
        np.testing.assert_allclose(full.bends[:, :2, 2:], sums.level_bends)
        np.testing.assert_allclose(full.couplings[:, :2, 2:], sums.level_couplings)
        np.testing.assert_allclose(np.einsum("kll->lk", full.scores[:, 2:, 2:]), sums.level_scores)


@pytest.mark.parametrize("start", [-3.0, 1.0])
@pytest.mark.parametrize("kind", list(FORMULAS))
def test_steps_with_levels_reach_the_maximum(kind, start):
    rows, truth, offsets, z, ranges = drawn_topics(FORMULAS[kind])
    prior = precisions_of(np.array([1.0, 0.5]), np.full(len(ranges), 0.3), ranges)
    found = Coefficients(np.zeros((2, TOPICS)) + start, np.zeros_like(truth.levels))
    for _ in range(150):
        found = centred(
            coefficient_step(found, prior, sums_at(rows, found, offsets, z), together=False),
            ranges,
        )
    sums = sums_at(rows, found, offsets, z)
    assert np.abs(sums.slopes - prior.columns[:, None] * found.columns).max() < 0.1
    assert np.abs(sums.level_slopes - prior.times_levels(found.levels)).max() < 0.1
    best, rng = height(rows, found, offsets, z, prior), np.random.default_rng(1)
    for _ in range(20):
        other = Coefficients(*(one + 0.02 * rng.normal(size=one.shape) for one in found))
        assert height(rows, other, offsets, z, prior) < best


def test_chains_are_solved_and_inverted():
    ranges = [LevelRange(0, 4, np.ones(4), False), LevelRange(4, 11, np.ones(7), True)]
    prior = precisions_of(np.ones(1), np.array([2.0, 0.5]), ranges)
    whole, rng = dense(prior), np.random.default_rng(0)
    values, sides = rng.normal(size=(11, 3)), rng.normal(size=(3, 11, 2))
    np.testing.assert_allclose(prior.times_levels(values), whole @ values)
    np.testing.assert_allclose(whole[:4, :4], np.eye(4) / 2.0)
    steps = np.diff(np.eye(7), axis=0)
    np.testing.assert_allclose(whole[4:, 4:], steps.T @ steps / 0.5 + HELD * np.eye(7))
    said = rng.uniform(0.0, 3.0, (3, 11))
    systems = np.array([np.diag(one) + whole for one in said])
    expected = np.linalg.solve(systems, sides)
    np.testing.assert_allclose(solve_chains(said + prior.diagonal, prior.beside, sides), expected)
    own, between = _inverse_of_chains(said + prior.diagonal, prior.beside)
    inverses = np.linalg.inv(systems)
    np.testing.assert_allclose(own, np.einsum("kll->kl", inverses))
    np.testing.assert_allclose(between[:, :-1], np.einsum("kll->kl", inverses[:, :-1, 1:]))


@pytest.mark.parametrize("kind", ["pooled", "walk"])
@pytest.mark.parametrize("spread", [0.15, 0.8])
def test_the_planted_variance_is_recovered(kind, spread):
    """Topics of tokens known: many levels of few documents each."""
    sizes = (120, 60)
    rows, truth, offsets, z, ranges = drawn_topics(FORMULAS[kind], 2, 1500, 30, spread, sizes)
    found, variances = Coefficients(np.zeros((2, TOPICS)), np.zeros_like(truth.levels)), np.array([0.25])
    for _ in range(200):
        prior = precisions_of(np.array([1.0, 0.5]), variances, ranges)
        sums = sums_at(rows, found, offsets, z)
        found = centred(coefficient_step(found, prior, sums, together=False), ranges)
        variances = learned_level_variances(found.levels, variances, sums.level_scores, ranges)
    assert np.sqrt(variances[0]) == pytest.approx(spread, rel=0.25, abs=0.05)
    if kind == "pooled":
        assert (found.levels**2).mean() < (truth.levels**2).mean(), "levels are drawn to their mean"
    errors = np.sqrt(((found.levels - truth.levels) ** 2).mean())
    assert errors < 0.95 * truth.levels.std()


def test_the_mean_of_a_walk_is_in_the_intercept():
    rows, truth, *_, ranges = drawn_topics((True,))
    shifted = truth._replace(levels=truth.levels + 3.0)
    again = centred(shifted, ranges)
    alphas = [alphas_of(rows, one, np.ones(TOPICS)) for one in (shifted, again)]
    np.testing.assert_allclose(*alphas)
    assert np.abs(ranges[0].documents @ again.levels).max() < 1e-9
    assert isinstance(precisions_of(np.ones(2), np.ones(1), ranges), Precisions)


FORMULA = 'party + (1 | author) + walk(day, "month")'
RNG = np.random.default_rng(4)
WRITERS = RNG.normal(0.0, 0.8, (40, 3))
WALK = RNG.normal(0.0, 0.2, (24, 3)).cumsum(axis=0)


def written(documents=600, words=20):
    """Documents of forty authors in two parties and twenty-four months, about three topics."""
    rng, texts, metadata = np.random.default_rng(1), [], []
    for d in range(documents):
        author, month = d % 40, int(rng.integers(24))
        logs = WRITERS[author] + WALK[month] - WALK.mean(axis=0)
        z = rng.choice(3, words, p=rng.dirichlet(np.exp(logs)))
        texts.append(" ".join(f"{'abc'[k]}{rng.integers(8)}x" for k in z))
        day = f"{2000 + month // 12}-{1 + month % 12:02d}-15"
        metadata.append({"author": f"w{author:02d}", "party": "lr"[author % 2], "day": day})
    return Corpus.from_texts(texts, metadata=metadata, rule=VocabularyRule(1, 1.0))


CORPUS = written()


def own_topics(model):
    """The number of the model's topic for each of those planted."""
    words = model.vocabulary_.words
    rows = [[w for w, word in enumerate(words) if word.startswith(first)] for first in "abc"]
    return [int(model.topic_word_[:, own].sum(axis=1).argmax()) for own in rows]


@pytest.mark.parametrize("inference", ["mean-field", "hybrid", "gibbs", "online"])
def test_planted_levels_are_recovered_and_drawn_to_their_mean(inference):
    settings = {"inference": inference, "max_iter": 60}
    if inference == "online":
        settings = {"schedule": Online(batch_size=60, kappa=0.7, tau0=4), "max_iter": 15}
    model = LDA(3, prevalence=FORMULA, random_state=0, **settings).fit(CORPUS)
    order, levels = own_topics(model), model.params_[LEVELS].values
    authors = levels[:40][np.argsort(model.learned_.model.covariates.level_terms[0].names)][:, order]
    periods = levels[40:][:, order]
    assert min(np.corrcoef(authors[:, k], WRITERS[:, k])[0, 1] for k in range(3)) > 0.75
    assert np.corrcoef(periods.ravel(), (WALK - WALK.mean(axis=0)).ravel())[0, 1] > 0.8
    deviations = np.sqrt(model.params_[LEVEL_VARIANCES].values)
    assert 0.5 < deviations[0] < 0.95
    assert 0.08 < deviations[1] < 0.3
    assert authors.std() < deviations[0], "levels are drawn to their mean"
    assert np.abs(authors.mean(axis=0)).max() < 0.12
    frame = model.expected_shares()
    party = frame[frame["at"] == "party=r"]
    widths = party["difference_high"] - party["difference_low"]
    assert widths.min() > 0.08, "twenty authors a party, not three hundred documents"
    assert ((party["difference_low"] < 0.1) & (party["difference_high"] > -0.1)).all()


def test_authors_of_few_documents_who_are_alike_stay_alike_in_chains():
    """The noise of the drawn topics is not taken for differences between authors."""
    rng, texts, metadata = np.random.default_rng(1), [], []
    for d in range(500):
        topics = rng.choice(6, 12, p=rng.dirichlet(np.full(6, 0.5)))
        topics = np.where(rng.random(12) < 0.7, topics, rng.integers(0, 6, 12))
        texts.append([f"{'abcdef'[k]}{rng.integers(20)}" for k in topics])
        metadata.append({"author": f"w{d % 200}"})
    corpus = Corpus.from_tokens(texts, metadata=metadata, rule=VocabularyRule(1, 1.0))
    model = LDA(6, prevalence="(1 | author)", inference="gibbs", max_iter=200, random_state=0).fit(corpus)
    assert np.sqrt(model.params_[LEVEL_VARIANCES].values[0]) < 0.4


def test_a_level_that_was_not_learned_is_average_and_dates_beyond_the_ends_are_as_there():
    model = LDA(3, prevalence='(1 | author) + walk(day, "month")', max_iter=20, random_state=0).fit(CORPUS)

    def shares(*metadata):
        return model.transform(Corpus.from_texts(["a1x b1x"] * len(metadata), metadata=metadata))

    first, last = {"author": "w03", "day": "2000-01"}, {"author": "w03", "day": "2001-12-31"}
    with pytest.warns(UserWarning, match="1 document without a level of .1 . author. that was learned"):
        found = shares(first, {"author": "new", "day": "2000-01"})
    assert np.abs(found[0] - found[1]).max() > 0.02
    with pytest.warns(UserWarning, match="2 documents of a date not between 2000-01 and 2001-12"):
        ends = shares(first, {**first, "day": "1950"}, last, {**last, "day": 2030})
    assert np.array_equal(ends[0], ends[1])
    assert np.array_equal(ends[2], ends[3])
    assert np.abs(ends[0] - ends[2]).max() > 0.02
    with pytest.warns(UserWarning, match="without a level of walk"):
        shares({"author": "w03"}, first)


@pytest.mark.parametrize("inference", ["mean-field", "gibbs"])
def test_levels_are_saved_and_resumed(inference, tmp_path):
    settings = {"inference": inference, "max_iter": 14, "tol": 0.0, "random_state": 0}
    one, two = (LDA(3, prevalence=FORMULA, n_jobs=n, **settings).fit(CORPUS) for n in (1, 2))
    one.save(tmp_path / "one")
    two.save(tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    names.check(tmp_path / "one")
    loaded = LDA.load(tmp_path / "one")
    assert np.array_equal(loaded.transform(CORPUS), one.transform(CORPUS))
    assert loaded.expected_shares("author=w03").equals(one.expected_shares("author=w03"))
    corpus = CORPUS.write(tmp_path / "corpus")
    for name, stops in (("whole", ()), ("parts", (3, 5))):
        begin(LDA(3, prevalence=FORMULA, **settings), corpus, tmp_path / name)
        for steps in stops:
            watch = StopAfter(steps)
            with pytest.raises(Interrupted):
                model_runs.resume(tmp_path / name, every=0.0, threads=1, watch=[watch], stopper=watch.take)
        model_runs.resume(tmp_path / name, every=60.0, threads=1)
    assert contents(tmp_path / "whole") == contents(tmp_path / "parts")


def test_the_program_shows_how_far_levels_lie_apart(tmp_path):
    model = LDA(3, prevalence=FORMULA, max_iter=20, random_state=0).fit(CORPUS)
    model.save(tmp_path / "model")
    run = CliRunner().invoke
    shown = run(main, ["effect", str(tmp_path / "model")])
    assert shown.exit_code == 0, shown.output
    assert "(1 | author): 40 levels, deviation 0." in shown.stdout
    assert "(15 documents)  topic" in shown.stdout
    assert 'walk(day, "month"): 24 levels, deviation 0.' in shown.stdout
    assert "compared with" in shown.stdout
    assert "day=2001-12" in shown.stdout
    told = json.loads(run(main, ["effect", str(tmp_path / "model"), "--topic", "1", "--json"]).stdout)
    assert [one["levels"] for one in told["terms"]] == [40, 24]
    assert {one["topic"] for one in told["terms"][0]["largest"]} == {0, 1, 2}
    frame = model.expected_shares("day=2000-03:2000-05, author=w01")
    assert frame["at"].unique().tolist() == [f"day=2000-0{m}, author=w01" for m in (3, 4, 5)]
    for at in ("author=nobody", "day=1:2:3", "day=2000-05:2000-03", "day=soon"):
        with pytest.raises(UserError) as error:
            model.expected_shares(at)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ("(1 | nothing)", "no document has the field 'nothing'"),
        ('walk(author, "month")', "no document has a date in 'author'"),
        ('walk(day, "era")', "a period in quotes"),
        ("(party | author)", "as in .1 . author."),
        ("party:(1 | author)", "is in an interaction"),
        ('walk(long, "day")', "periods, and 1,000 are possible"),
        ("(1 | gap)", "1 document of 600 have no 'gap'"),
    ],
)
def test_terms_with_levels_that_make_no_sense_are_refused_in_a_line(formula, told):
    metadata = [
        {**one.metadata, "long": f"{1500 + d}", "gap": "x" if d else ""} for d, one in enumerate(CORPUS)
    ]
    with pytest.raises(UserError, match=told) as error:
        learn_coding(formula, metadata)
    assert "\n" not in str(error.value)


def test_a_formula_of_effects_has_no_levels_of_its_own():
    model = LDA(3, max_iter=2, tol=0.0, random_state=0).fit(CORPUS)
    with pytest.raises(UserError, match="is for a model's prior"):
        model.effects(CORPUS, "(1 | author)")


@cache
def coded(documents):
    metadata = [{"author": "abc"[d % 3]} for d in range(documents)]
    coding = learn_coding("(1 | author)", metadata)
    return coding, coding.rows(metadata)


class TestLevelsGibbs(test_prevalence.TestPrevalenceGibbs):
    """The laws of chains with coefficients of authors: Geweke's test with these drawn from their prior."""

    def made(self, tokens, z, eta, coefficients, seed=1):
        coding = coded(3)[0]
        made = chain(tokens, z, eta, coefficients.columns, coding, seed)
        made.restore({**made.snapshot(), LEVELS: coefficients.levels})
        return made

    def corpus(self, documents):
        rng = np.random.default_rng(5)
        _, rows = coded(documents)
        coefficients = Coefficients(rng.normal(-1.0, 0.5, (1, 5)), rng.normal(0.0, 0.5, (3, 5)))
        return (*drawn(rng, rows, coefficients, rng.integers(0, 30, documents), 60), coefficients)

    def sampler(self, seed):
        tokens, z, coefficients = self.corpus(40)
        return self.made(tokens, np.zeros_like(z), 0.1, coefficients, seed)

    def another(self):
        tokens, z, coefficients = self.corpus(39)
        return self.made(tokens, z, 0.1, coefficients)

    def alphas(self, tokens, state):
        coefficients = Coefficients(state[COEFFICIENTS], state[LEVELS])
        return alphas_of(tokens.covariates, coefficients, np.ones(len(state[COEFFICIENTS][0])))

    def draw(self, generator):
        _, rows = coded(4)
        coefficients = Coefficients(generator.normal(-0.5, 0.3, (1, 3)), generator.normal(0.0, 1.0, (3, 3)))
        tokens, z = drawn(generator, rows, coefficients, [5, 1, 3, 4], 4)
        return tokens, self.made(tokens, z, 0.4, coefficients)

    def again(self, tokens, z, state):
        return self.made(tokens, z, 0.4, Coefficients(state[COEFFICIENTS], state[LEVELS]))


def test_information_is_that_of_the_whole_matrix_without_the_levels():
    """If all documents say the same of topics, by their weights: against the Schur complement in full."""
    rng, n = np.random.default_rng(0), 60
    codes = rng.integers(0, 7, n)
    documents = np.bincount(codes, minlength=7).astype(float)
    x = np.column_stack([np.ones(n), rng.normal(size=n)])
    weights, root = rng.uniform(0.5, 2.0, n), rng.normal(size=(3, 3))
    each = root @ root.T
    z = np.column_stack([x, codes[:, None] == np.arange(7)])
    whole = np.kron((z * weights[:, None]).T @ z, each)
    means = np.array([(weights[codes == a, None] * x[codes == a]).sum(axis=0) for a in range(7)])
    sums = LevelSums((x * weights[:, None]).T @ x, means, weights.sum() * each)
    one = LevelRange(0, 7, documents, False)
    precisions = np.array([0.0, 2.0])
    found = with_unknown_levels(whole[:6, :6], sums, precisions, np.array([0.5]), [one])
    levels = whole[6:, 6:] + np.eye(21) / 0.5
    expected = whole[:6, :6] - whole[:6, 6:] @ np.linalg.solve(levels, whole[6:, :6])
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)
    places = np.array([2, 5, 2])
    drawn = level_draws(one, 0.5, sums.shares, sums.whole, places, rng.normal(size=(40_000, 3, 3)))
    assert np.array_equal(drawn[:, 0], drawn[:, 2])
    here = slice(6 + 3 * 2, 6 + 3 * 3)
    covariance = np.linalg.inv(whole[here, here] + np.eye(3) / 0.5)
    np.testing.assert_allclose(np.cov(drawn[:, 0].T), covariance, atol=0.02)
    walk = one._replace(walks=True)
    held = solved(walk, 0.5, sums.shares, rng.normal(size=(7, 2)))
    assert np.abs(documents @ held).max() < 1e-3
    drawn = level_draws(walk, 0.5, sums.shares, sums.whole, np.array([2, 3]), rng.normal(size=(9_000, 2, 3)))
    assert np.corrcoef(drawn[:, 0, 0], drawn[:, 1, 0])[0, 1] > 0.15, "neighbours move together"
    assert (np.linalg.eigvalsh(found) > 0.0).all()


def test_too_many_levels_are_refused():
    metadata = [{"author": f"{d}"} for d in range(50_000)]
    prior = PrevalencePrior((0.1,) * 200, "(1 | author)")
    with pytest.raises(UserError, match="50,000 levels for each topic; 200 topics can have 20,971"):
        prior.coded(metadata)
    assert PrevalencePrior((0.1,) * 50, "(1 | author)").coded(metadata).ranges[0].stop == 50_000


def test_a_saved_model_with_other_levels_is_refused(tmp_path):
    model = LDA(3, prevalence="(1 | author)", max_iter=2, tol=0.0, random_state=0).fit(CORPUS)
    assert INFORMATION in model.params_
    params = dict(model.params_)
    for name, values in ((LEVELS, np.zeros((39, 3))), (LEVEL_VARIANCES, np.zeros(2))):
        with pytest.raises(ValueError, match="of another formula"):
            model.learned_.model.documents.restored({**params, name: params[name]._replace(values=values)})
