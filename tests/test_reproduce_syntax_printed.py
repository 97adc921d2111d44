"""The printed inference of the syntactic topic model: slopes, bound, ascent, and the print itself."""

import gzip
import itertools
import json

import numpy as np
import pytest
from scipy.special import polygamma
from scipy.stats import dirichlet

from stickbreaker.syntax.kernels.tree_topics import Nodes

pytestmark = pytest.mark.usefixtures("reproduction")

K, WORDS = 3, 4
ALPHAS = {"alpha": 0.4, "alpha_documents": 1.5, "alpha_transitions": 2.5, "sigma": 0.3}


def nodes(sizes=(4, 0, 3)):
    """Random trees: each word hangs below the one before it, or what that hangs on, or is a root. Every fifth
    word is outside the vocabulary."""
    draw, heads = np.random.default_rng([2, *sizes]), []
    for size in sizes:
        path = [-1]
        for place in range(size):
            del path[int(draw.integers(1, len(path) + 1)) :]
            heads.append(path[-1])
            path.append(place)
    words = draw.integers(0, WORDS, len(heads))
    words[2::5] = -1
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return Nodes(offsets.astype(np.int64), words.astype(np.int32), np.array(heads, np.int32))


def started(seed=0, sweeps=1):
    from reproduce.syntax_printed import PrintedInference, Settings

    found = PrintedInference(nodes(), WORDS, Settings(K, **ALPHAS), seed)
    for _ in range(sweeps):
        found.sweep()
    return found


def scattered(seed=0):
    """An inference of which no parameter is at its best."""
    draw, found = np.random.default_rng(seed), started(seed)
    found.gamma, found.nu = draw.gamma(2.0, size=found.gamma.shape), draw.gamma(2.0, size=found.nu.shape)
    found.lambda_, found.tau = draw.gamma(2.0, size=found.lambda_.shape), draw.dirichlet(np.ones(K))
    found.phi, found.omega = draw.dirichlet(np.ones(K), len(found.phi)), draw.gamma(9.0, 0.1, len(found.phi))
    recount(found)
    return found


def recount(found):
    from reproduce.syntax_printed_kernels import count_words

    counts = found.counts
    counts.transitions[:], counts.words[:], counts.rest[:] = 0.0, 0.0, 0.0
    for d, (first, last) in enumerate(itertools.pairwise(found.nodes.offsets)):
        of = slice(first, last)
        count_words(found.nodes.words[of], found.nodes.heads[of], d, found.phi[of], found.omega[of], counts)


def slopes_of(bound, at, step=1e-4):
    """By finite differences of the logarithm."""
    slopes = np.empty(len(at))
    for i in range(len(at)):
        ends = []
        for sign in (1, -1):
            moved = at.copy()
            moved[i] *= np.exp(sign * step)
            ends.append(bound(moved))
        slopes[i] = (ends[0] - ends[1]) / (2 * step)
    return slopes


def bound_with(found, name, row=None):
    def bound(values):
        held = getattr(found, name)
        setattr(found, name, held.copy())
        if row is None:
            found.tau = values / values.sum()
        else:
            getattr(found, name)[row] = values
        nats = found.bound()
        setattr(found, name, held)
        return nats

    return bound


def parts(found, name, row):
    """c and b of a row of gamma or nu."""
    from reproduce.syntax_printed import means

    counts, settings = found.counts, found.settings
    if name == "gamma":
        return settings.alpha_documents * found.tau + counts.topics[row], counts.slack[row] @ means(found.nu)
    c = settings.alpha_transitions * found.tau + counts.transitions[row]
    return c, counts.slack[:, row] @ means(found.gamma)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "row"), [("gamma", 0), ("gamma", 1), ("gamma", 2), ("nu", 0), ("nu", K)])
def test_slopes_in_gamma_and_nu_are_those_of_the_bound(name, row):
    from reproduce.syntax_printed_kernels import share_part

    found, slope = scattered(), np.empty(K)
    at = getattr(found, name)[row]
    share_part(np.log(at), *parts(found, name, row), slope)
    expected = slopes_of(bound_with(found, name, row), at)
    np.testing.assert_allclose(-slope, expected, rtol=1e-5, atol=1e-6)
    assert np.abs(expected).min() > 1e-3


def test_slopes_in_tau_are_those_of_the_bound():
    from reproduce.syntax_printed import expected_log, weights_part

    for seed in range(3):
        found = scattered(seed)
        sums = expected_log(found.gamma).sum(axis=0), expected_log(found.nu).sum(axis=0)
        _, slope = weights_part(np.log(found.tau), found.settings, len(found.gamma), *sums)
        expected = slopes_of(bound_with(found, "tau"), found.tau)
        np.testing.assert_allclose(-slope, expected, rtol=1e-5, atol=1e-6)


def printed_slopes(found, name, row):
    """By x, as equations 4 and 5 are printed: sums leave out j, and the last denominator of 5 is of another
    row."""
    x = getattr(found, name)[row]
    c, _ = parts(found, name, row)
    slope = polygamma(1, x) * (c - x) - polygamma(1, x.sum()) * (c - x).sum()
    gamma, nu, slack = found.gamma, found.nu, found.counts.slack
    for i in range(K):
        if name == "gamma":
            for j in range(K + 1):
                left = np.arange(K) != j
                top = nu[j, i] * x[left].sum() - (nu[j] * x)[left].sum()
                slope[i] -= slack[row, j] * top / (x.sum() ** 2 * nu[j].sum())
        else:
            left = np.arange(K) != i
            for d in range(len(gamma)):
                top = gamma[d, i] * x[left].sum() - (x * gamma[d])[left].sum()
                slope[i] -= slack[d, row] * top / (nu[i].sum() ** 2 * gamma[d].sum())
    return slope


@pytest.mark.parametrize("name", ["gamma", "nu"])
def test_the_printed_slopes_are_others(name):
    found = scattered()
    at = getattr(found, name)[0]
    expected = slopes_of(bound_with(found, name, 0), at) / at
    assert np.abs(printed_slopes(found, name, 0) - expected).max() > 1e-3


@pytest.mark.slow
def test_the_bound_is_what_it_is_by_definition():
    """E_q of log p - log q by draws of theta, pi and beta from q; sums over z are exact."""
    found = scattered()
    found.gamma, found.nu, found.lambda_ = found.gamma + 5.0, found.nu + 5.0, found.lambda_ + 5.0
    tree, settings, draw = found.nodes, found.settings, np.random.default_rng(3)
    d_of = np.repeat(np.arange(len(found.gamma)), np.diff(tree.offsets))
    heads = np.where(tree.heads < 0, -1, tree.heads + tree.offsets[d_of])
    left = 1.0 - np.append(0.0, np.cumsum(found.tau[:-1]))
    broken = found.tau[:-1] / left[:-1]
    fixed = (np.log(settings.alpha) + (settings.alpha - 1) * np.log1p(-broken) - np.log(left[:-1])).sum()
    fixed -= (found.phi * np.log(found.phi)).sum()
    totals = []
    for _ in range(1500):
        total = fixed
        drawn = []
        for shapes, prior in (
            (found.gamma, settings.alpha_documents * found.tau),
            (found.nu, settings.alpha_transitions * found.tau),
            (found.lambda_, np.full(WORDS, settings.sigma)),
        ):
            rows = np.array([draw.dirichlet(row) for row in shapes])
            total += sum(
                dirichlet.logpdf(x, prior) - dirichlet.logpdf(x, row)
                for x, row in zip(rows, shapes, strict=True)
            )
            drawn.append(rows)
        theta, pi, beta = drawn
        for n, (word, head) in enumerate(zip(tree.words, heads, strict=True)):
            above = np.eye(K + 1)[K] if head < 0 else np.append(found.phi[head], 0.0)
            product = theta[d_of[n]] * pi
            total += above @ np.log(product) @ found.phi[n]
            total -= above @ product.sum(axis=1) / found.omega[n] + np.log(found.omega[n]) - 1.0
            total += found.phi[n] @ np.log(beta[:, word]) if word >= 0 else 0.0
        totals.append(total)
    error = np.std(totals) / np.sqrt(len(totals))
    assert error < 0.15
    assert abs(np.mean(totals) - found.bound()) < 4 * error


def test_the_bound_falls_in_no_step():
    from reproduce.syntax_printed import PrintedInference, Settings

    steps = ("climb_transitions", "climb_weights", "learn_words", "infer_documents")
    for seed in range(3):
        found = PrintedInference(nodes((9, 0, 12)), WORDS, Settings(K, **ALPHAS), seed)
        found.infer_documents()
        bounds = [found.bound()]
        for _ in range(30):
            for step in steps:
                getattr(found, step)()
                bounds.append(found.bound())
        assert np.diff(bounds).min() > -1e-8
        assert bounds[-1] > bounds[0] + 0.5
        assert bounds[-1] - bounds[-5] < 0.05 * (bounds[-1] - bounds[0])


def test_each_word_has_the_best_topics_given_all_others():
    """Equation 3: no other phi_n has a higher bound, its omega and its children's as they are."""
    from reproduce.syntax_printed import expected_log, means
    from reproduce.syntax_printed_kernels import update_words

    found, tree = scattered(), nodes()
    of = slice(4, 5)  # the first word of the last document
    x = means(found.nu) @ means(found.gamma[2])
    words, heads = tree.words[4:], tree.heads[4:]
    phi, omega = found.phi[4:].copy(), found.omega[4:].copy()
    update_words(words, heads, expected_log(found.gamma[2]), x, found.expected, np.empty((3, K)), phi, omega)
    found.phi[of] = phi[:1]
    recount(found)
    best, draw = found.bound(), np.random.default_rng(5)
    for _ in range(50):
        held = found.phi[of].copy()
        moved = held[0] * np.exp(0.01 * draw.normal(size=K))
        found.phi[of] = moved / moved.sum()
        recount(found)
        assert found.bound() < best
        found.phi[of] = held


def test_words_are_predicted_by_exact_sums():
    from reproduce.syntax_printed_runs import PrintedTopics

    from stickbreaker.syntax.kernels.tree_topics import sum_topics
    from stickbreaker.syntax.model.ordered_trees import OrderedTrees

    found, tree = started(sweeps=5), nodes((9, 0, 12))
    zeros = np.zeros(len(tree.words), np.int32)
    documents = np.repeat(np.arange(3), np.diff(tree.offsets))
    trees = OrderedTrees(tree, np.arange(len(zeros)), documents, zeros, 1)
    topics, sums = PrintedTopics(found), np.empty(3)
    each = topics.log_words(trees, np.arange(3), trees, 0)
    sum_topics(tree, topics.weights(topics.mean_shares(trees)), sums)
    np.testing.assert_allclose(np.bincount(documents, each, 3), sums, rtol=1e-10)
    assert (each[tree.words < 0] == 0.0).all()
    assert (each[tree.words >= 0] < 0.0).all()


@pytest.fixture
def sample(tmp_path, monkeypatch):
    """A treebank of 16 documents where ../shared would be, and few starts."""
    from reproduce import syntax_printed_runs, syntax_runs

    draw, lines = np.random.default_rng(4), []
    for document in range(16):
        lines.append(f"# newdoc id = {document}")
        for _ in range(5):
            noun, verb = draw.choice(["cow", "pony"]), draw.choice(["falls", "runs"])
            rows = [("the", "DET", 2), (noun, "NOUN", 3), (verb, "VERB", 0)]
            lines += [
                f"{n}\t{word}\t_\t{tag}\t_\t_\t{head}\t_\t_\t_" for n, (word, tag, head) in enumerate(rows, 1)
            ]
            lines.append("")
    path = tmp_path / "ptb-sample/wsj_dependencies.conllu.gz"
    path.parent.mkdir()
    path.write_bytes(gzip.compress("\n".join([*lines, ""]).encode()))
    monkeypatch.setattr(syntax_runs, "DATA", tmp_path)
    monkeypatch.setattr(syntax_printed_runs, "STARTS", 2)


@pytest.mark.slow
def test_the_sample_has_a_row_of_the_printed_inference(sample):
    from reproduce import syntax_tables
    from reproduce.pages import markdown

    data = syntax_tables.measure_sample(full=False, sweeps=5)
    runs = [syntax_tables.Run.from_json(each) for each in json.loads(json.dumps(data["runs"]))]
    (printed,) = syntax_tables.of(runs, syntax_tables.PRINTED)
    (ours, *_) = syntax_tables.of(runs, "STM")
    assert printed.words == ours.words
    assert printed.own_words == ours.own_words == sum(printed.words)
    assert {tag: n for tag, (_, n) in printed.by_tag.items()} == {"DET": 6, "NOUN": 6, "VERB": 6}
    assert 1.4 < printed.perplexity < 4.0
    assert printed.bound is not None
    assert printed.bound < -np.log(2.0) * 2 / 3  # a choice of two for two words of three, at the best
    table = markdown("", (), [syntax_tables.section({"runs": data["runs"]})])
    assert f"| STM, as printed | {printed.perplexity:.1f} | – | – | – |" in table


def test_the_start_of_the_best_bound_is_scored(sample):
    from reproduce.syntax_printed import Settings
    from reproduce.syntax_printed_runs import PRINTED, learn_printed
    from reproduce.syntax_runs import Plan

    run = learn_printed(Plan("treebank sample", 1, PRINTED, 4), Settings(3))
    again = learn_printed(Plan("treebank sample", 1, PRINTED, 4), Settings(3))
    assert run._replace(seconds=0.0) == again._replace(seconds=0.0)
