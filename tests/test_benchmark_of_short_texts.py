"""What the benchmark of short texts counts, and its own program."""

import numpy as np
from benchmarks.coherence import Topics
from benchmarks.short import Collection, Texts, gsdmm, lda

SUBJECTS = ("river bank water boat", "money bank loan tax", "cell gene virus plant")


def planted(n: int = 60) -> Collection:
    """Texts of two words of one subject each, the last of them blank."""
    generator, labels = np.random.default_rng(0), [str(number % 3) for number in range(n)]
    short = [" ".join(generator.choice(SUBJECTS[int(label)].split(), 2)) for label in labels]
    return Collection(Texts([*short, ""], [*labels, "0"], SUBJECTS * 9, ()))


def test_scores_are_of_labels_and_a_text_without_words_is_its_own_topic():
    of = planted()
    right = np.eye(3)[of.labels]
    nmi, purity = of.scores(Topics(np.ones((3, of.corpus.n_words)), right))
    assert 0.9 < nmi < 1.0
    assert purity == 1.0
    nmi, purity = of.scores(Topics(np.ones((3, of.corpus.n_words)), np.ones((61, 3))))
    assert nmi < 0.1
    assert 0.3 < purity < 0.4


def test_programs_find_planted_subjects():
    of = planted()
    for program in (
        gsdmm,
        lambda of, seed: lda(of, seed, inference="gibbs", alpha=0.1, eta=0.1, max_iter=50),
    ):
        topics = program(of, 0)
        assert np.allclose(topics.words.sum(axis=1), 1.0)
        assert of.scores(topics)[1] > 0.9
    assert of.tree.concepts
