"""Word alignment as a whole: planted dictionaries, likelihood, threads, unknown words."""

import numpy as np
import pytest
from tests.tiers import sampled

from stickbreaker.translation.alignment.aligned_words import Sentences, as_lists, links_of, sentences_of
from stickbreaker.translation.alignment.alignment_learning import AlignmentSettings
from stickbreaker.translation.alignment.sentence_pieces import links_of_sentences, pieces_of
from stickbreaker.translation.alignment.word_aligner import WordAligner

N_WORDS = 60


def planted(seed, n_pairs=400, longest=12):
    """Sentences, translations by a random dictionary, some neighbours exchanged, some words dropped."""
    draw = np.random.default_rng(seed)
    dictionary = draw.permutation(N_WORDS)
    sources, targets, links = [], [], []
    for _ in range(n_pairs):
        source = (N_WORDS * draw.random(draw.integers(1, longest + 1)) ** 2).astype(int)
        order = list(range(len(source)))
        for i in range(len(order) - 1):
            if draw.random() < 0.15:
                order[i : i + 2] = order[i + 1], order[i]
        order = [i for i in order if draw.random() > 0.1] or order[:1]
        sources.append(source)
        targets.append(dictionary[source[order]])
        links.append([(i, j) for j, i in enumerate(order)])
    return sentences_of(sources), sentences_of(targets), links


@pytest.fixture(scope="module")
def text():
    return planted(1)


@pytest.fixture(scope="module")
def aligner(text):
    return WordAligner.learn(*text[:2], (N_WORDS, N_WORDS))


def found(aligner, source, target):
    """Links of one pair."""
    return as_lists(aligner.align(sentences_of([source]), sentences_of([target])))[0]


def test_a_planted_dictionary_is_found(aligner, text):
    source, target, planted_links = text
    found, right = (
        {(pair, *link) for pair, links in enumerate(lists) for link in links}
        for lists in (as_lists(aligner.align(source, target)), planted_links)
    )
    assert len(found & right) > 0.95 * len(right)
    assert len(found & right) > 0.95 * len(found)


def test_new_pairs_are_aligned(aligner):
    source, target, right = planted(1, 500)  # begins with the same dictionary
    new = as_lists(aligner.align(source, target))[400:]
    hits = sum(len(set(a) & set(b)) for a, b in zip(new, right[400:], strict=True))
    assert hits > 0.93 * sum(map(len, right[400:]))


@pytest.mark.parametrize("seed", sampled(range(3), 2))
def test_maximum_likelihood_never_falls(seed):
    """Of either model: alpha 0, each direction alone."""
    settings = AlignmentSettings(8, 12, 0, alpha=0.0)
    source, target, _ = planted(seed, 40, 20)
    trace = WordAligner.learn(source, target, (N_WORDS, N_WORDS), settings=settings).trace
    for steps in (trace[:8], trace[8:]):
        assert np.diff(steps, axis=0).max() < 1e-9
        assert (steps[-1] < steps[0] - 0.1).all()


def test_threads_change_nothing(aligner, text):
    one = WordAligner.learn(*text[:2], (N_WORDS, N_WORDS), threads=1)
    for name, array in one.to_arrays().items():
        assert array.tobytes() == aligner.to_arrays()[name].tobytes()
    links = [aligner.align(*text[:2], threads=threads) for threads in (1, 2, 5)]
    for others in links[1:]:
        for array, other in zip(links[0], others, strict=True):
            assert array.tobytes() == other.tobytes()


def test_saved_and_loaded_it_gives_the_same_links(aligner, text):
    arrays = {name: array.copy() for name, array in aligner.to_arrays().items()}
    loaded = WordAligner.from_arrays(arrays)
    for array, other in zip(aligner.align(*text[:2]), loaded.align(*text[:2]), strict=True):
        assert array.tobytes() == other.tobytes()
    for name, array in loaded.to_arrays().items():
        assert array.dtype == arrays[name].dtype
        assert array.tobytes() == arrays[name].tobytes()


def test_unlikely_translations_are_dropped(aligner):
    arrays = aligner.to_arrays()
    likely = np.maximum(arrays["translations_to_target"], arrays["translations_to_source"])[:-2]
    assert likely.min() >= 0.9999e-4
    assert len(likely) == len(arrays["targets"]) == arrays["offsets"][-1]


def test_steps_are_reported(text):
    lines = []
    settings = AlignmentSettings(2, 1, 1)
    learned = WordAligner.learn(*text[:2], (N_WORDS, N_WORDS), settings=settings, on_step=lines.append)
    assert learned.trace.shape == (4, 2)
    assert learned.trace[0] == pytest.approx(np.log(N_WORDS), rel=0.05)
    assert lines[1] == f"step 2: {learned.trace[1, 0]:.3f} and {learned.trace[1, 1]:.3f} nats per word"


def test_neighbours_place_unknown_words(aligner, text):
    dictionary = translations(text)
    source = [3, 5, -1, 8, 2]
    target = [dictionary[word] if word >= 0 else -1 for word in source]
    assert found(aligner, source, target) == [(i, i) for i in range(5)]
    assert found(aligner, source, [*target[:2], dictionary[40], *target[3:]])[2] == (2, 2)


def translations(text):
    source, target, links = text
    return {
        int(source.words[source.offsets[pair] + i]): int(target.words[target.offsets[pair] + j])
        for pair, linked in enumerate(links)
        for i, j in linked
    }


def test_empty_sides_have_no_links(aligner):
    source, target = sentences_of([[], [1], [], [2]]), sentences_of([[1], [], [], []])
    assert as_lists(aligner.align(source, target)) == [[], [], [], []]
    nothing = WordAligner.learn(source, target, (N_WORDS, N_WORDS))
    assert as_lists(nothing.align(source, target)) == [[], [], [], []]
    empty = sentences_of([])
    assert as_lists(WordAligner.learn(empty, empty, (0, 0)).align(empty, empty)) == []


def test_words_that_are_not_known_are_learned_around(text):
    source, target, _ = text
    words = np.where(np.arange(len(source.words)) % 7, source.words, -1).astype(np.int32)
    learned = WordAligner.learn(Sentences(words, source.offsets), target, (N_WORDS, N_WORDS))
    dictionary = translations(text)
    assert found(learned, [3, 8], [dictionary[3], dictionary[8]]) == [(0, 0), (1, 1)]
    assert np.isfinite(learned.trace).all()


def test_long_sentences_are_aligned_in_pieces(aligner, text):
    dictionary = translations(text)
    source = np.random.default_rng(3).integers(0, 40, 1500).tolist()
    links = found(aligner, source, [dictionary[word] for word in source])
    assert len(set(links) & {(i, i) for i in range(1500)}) > 1400


def test_pieces_have_equal_shares_and_links_know_their_sentence():
    source, target = sentences_of([[1], [0] * 401, []]), sentences_of([[1, 2], [0] * 6, [3]])
    pieces = pieces_of(source, target)
    assert pieces.source.lengths.tolist() == [1, 133, 134, 134, 0]
    assert pieces.target.lengths.tolist() == [2, 2, 2, 2, 1]
    links = links_of([[(0, 1)], [(0, 0)], [(5, 1)], [(133, 0)], []])
    whole = links_of_sentences(links, pieces, source, target)
    assert as_lists(whole) == [[(0, 1)], [(0, 0), (138, 3), (400, 4)], []]
