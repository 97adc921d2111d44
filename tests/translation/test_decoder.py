"""The decoder against all translations of short sentences."""

from concurrent.futures import ThreadPoolExecutor
from itertools import groupby

import numpy as np
import pytest
from tests.oracle.phrase_translation import Lines, derivations, features, translations
from tests.oracle.sentence_options import PhraseOptions, sentence_options
from tests.tiers import sampled
from tests.translation.random_translations import MANY, arpa, decoder, flat, sentence

from stickbreaker import UserError
from stickbreaker.translation.decoding.decoder import MOST_WORDS, cut_sentence
from stickbreaker.translation.kernels.decoder import search
from stickbreaker.translation.kernels.phrase_options import sentence_of
from stickbreaker.translation.kernels.search_graph import is_covered

pytestmark = pytest.mark.kernels

WEIGHTS = [0.7, -0.3, 0.5, 0.2, 0.4]


def random_case(seed, order=3, n=4, **settings):
    """Lines of a language model and options of a sentence."""
    rng = np.random.default_rng(seed)
    return arpa(rng, order), sentence(rng, n, **settings)


@pytest.mark.parametrize("seed", sampled(range(8), 2))
@pytest.mark.parametrize("limit", [0, 2, 9])
def test_unbounded_stacks_find_all_translations(tmp_path, seed, limit):
    order, n = 1 + seed % 4, 3 + seed % 2
    text, options = random_case(seed, order, n)
    machine = decoder(tmp_path / "m.arpa", text, WEIGHTS, MANY._replace(distortion=limit))
    everything = translations(n, options, Lines(text), WEIGHTS, limit)
    found = machine.translate(flat(n, options), len(everything) + 10)
    assert [one.score for one in found] == pytest.approx([one[0] for one in everything])
    best = {words: score for score, words, _, _ in everything}
    assert {one.words for one in found} == set(best)
    for one in found:
        assert one.score == pytest.approx(best[one.words])


@pytest.mark.parametrize("seed", sampled(range(3), 2))
def test_features_are_those_of_the_spans_and_make_the_score(tmp_path, seed):
    text, options = random_case(seed, n=4)
    machine = decoder(tmp_path / "m.arpa", text, WEIGHTS)
    for one in machine.translate(flat(4, options), 20):
        pairs = [(a, b, one.words[c:d]) for a, b, c, d in one.spans]
        assert tuple(word for _, _, words in pairs for word in words) == one.words
        possible = [
            features(each, options, Lines(text))[1]
            for each in derivations(4, options, 9)
            if [(options[k][0], options[k][1], tuple(options[k][2])) for k in each] == pairs
        ]
        assert any(one.features.tolist() == pytest.approx(values) for values in possible)
        terms = [weight * value for weight, value in zip(WEIGHTS, one.features.tolist(), strict=True)]
        assert one.score == pytest.approx(sum(terms), rel=1e-14)


@pytest.mark.parametrize("seed", sampled(range(4), 2))
def test_pruning_only_lowers_the_best_score(tmp_path, seed):
    text, options = random_case(seed, n=5, options=3)
    best = decoder(tmp_path / "m.arpa", text, WEIGHTS).translate(flat(5, options))[0].score
    scores = []
    for stack, candidates, threshold in [(1, 1, np.inf), (2, 5, np.inf), (50, 50, 0.1), (100, 500, np.inf)]:
        limits = MANY._replace(stack=stack, candidates=candidates, threshold=threshold)
        machine = decoder(tmp_path / "m.arpa", text, WEIGHTS, limits)
        scores.append(machine.translate(flat(5, options))[0].score)
    assert max(scores) <= best + 1e-12
    assert scores[0] < best
    assert scores[-1] == pytest.approx(best, abs=0.3)


@pytest.mark.parametrize("seed", range(3))
def test_what_remains_is_estimated_by_all_gaps(tmp_path, seed):
    """The gap at the end is one of them."""
    n, (text, options) = 5, random_case(seed, n=5)
    machine = decoder(tmp_path / "m.arpa", text, WEIGHTS)
    made = flat(n, options)
    sentence = sentence_of(n, made.longest, made.options, machine.weights, machine.model.arrays)
    graph = search(sentence, machine.weights, machine.model.arrays, machine.limits)
    ends = set()
    for node in range(1, int(graph.used[0]) - 1):
        covered = [is_covered(graph, node, place) for place in range(n)]
        gaps = [list(places) for free, places in groupby(range(n), lambda i, c=covered: not c[i]) if free]
        assert graph.futures[node] == pytest.approx(sum(sentence.spans[g[0], g[-1] + 1] for g in gaps))
        ends.add(covered[-1])
    assert ends == {False, True}


def test_threads_change_nothing(tmp_path):
    text, _ = random_case(1)
    machine = decoder(tmp_path / "m.arpa", text, WEIGHTS, MANY._replace(stack=5, candidates=30))
    sentences = [flat(n, random_case(n, n=n)[1]) for n in range(1, 9)]
    alone = [machine.translate(one, 5) for one in sentences]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda one: machine.translate(one, 5), sentences))
    for one, other in zip(alone, together, strict=True):
        assert [(a.words, a.score, a.spans) for a in one] == [(b.words, b.score, b.spans) for b in other]


def test_long_sentences_have_more_than_one_number_of_covered_words(tmp_path):
    text, _ = random_case(2)
    machine = decoder(tmp_path / "m.arpa", text, WEIGHTS, MANY._replace(stack=3, candidates=10, distortion=3))
    options = [(place, place + 1, ["a"], [0.0, 0.0]) for place in range(150)]
    found = machine.translate(flat(150, options))[0]
    assert found.words == ("a",) * 150
    assert [span.source_begin for span in found.spans] == list(range(150))
    with pytest.raises(UserError, match="cut it into pieces"):
        machine.translate(flat(150, options)._replace(n=MOST_WORDS + 1))


def test_what_options_do_not_cover_has_no_translation(tmp_path):
    text, _ = random_case(3)
    machine = decoder(tmp_path / "m.arpa", text, WEIGHTS)
    assert machine.translate(flat(3, [(0, 2, ["a"], [0.0, 0.0]), (1, 3, ["b"], [0.0, 0.0])])) == []
    nothing = sentence_options([], lambda phrase: None, 5, 4, np.zeros(2))
    assert [one.words for one in machine.translate(nothing)] == [()]


def test_unknown_words_pass_through(tmp_path):
    text, _ = random_case(4)
    machine = decoder(tmp_path / "m.arpa", text, WEIGHTS, MANY._replace(distortion=0))
    house = PhraseOptions(np.array([0, 2]), np.array([0, 1]), np.array([[1.0, 0.5]]))
    table = {("Haus",): house, ("Hof", "Haus"): house}
    source = ["Haus", "Zebra", "Yak", "Zebra"]
    options = sentence_options(source, table.get, 3, 4, np.array([-2.0, -1.0]))
    assert options.passed == ("Zebra", "Yak")
    assert options.options.words.tolist() == [0, 1, 4, 5, 4]
    found = machine.translate(options)
    assert [one.words for one in found] == [("a", "b", "Zebra", "Yak", "Zebra")]
    assert found[0].features[:2].tolist() == [-5.0, -2.5]
    assert sentence_options(["Hof", "Haus"], table.get, 1, 4, np.zeros(2)).longest == 1
    assert sentence_options(["Hof", "Haus"], table.get, 3, 4, np.zeros(2)).options.ends.tolist() == [1, 2, 2]


def test_long_sentences_are_cut_at_punctuation():
    words = ["a", ",", "b", ".", "c", "d", "e", "f", "g"]
    assert cut_sentence(words, 9) == [words]
    assert cut_sentence(words, 5) == [["a", ",", "b", "."], ["c", "d", "e", "f", "g"]]
    assert cut_sentence(words, 3) == [["a", ","], ["b", "."], ["c", "d", "e"], ["f", "g"]]
    assert cut_sentence([], 3) == [[]]
