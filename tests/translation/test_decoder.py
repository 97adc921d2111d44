"""The decoder against all translations of short sentences."""

import numpy as np
import pytest
from tests.oracle.phrase_translation import Lines, translations
from tests.translation.random_translations import MANY, arpa, decoder, flat, sentence

pytestmark = pytest.mark.kernels

WEIGHTS = [0.7, -0.3, 0.5, 0.2, 0.4]


def random_case(seed, order=3, n=4, **settings):
    rng = np.random.default_rng(seed)
    return arpa(rng, order), n, sentence(rng, n, **settings)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("limit", [0, 2, 9])
def test_unbounded_stacks_find_all_translations(tmp_path, seed, limit):
    order, n = 1 + seed % 4, 3 + seed % 2
    text, n, options = random_case(seed, order, n)
    machine = decoder(tmp_path / "m.arpa", text, WEIGHTS, MANY._replace(distortion=limit))
    everything = translations(n, options, Lines(text), WEIGHTS, limit)
    found = machine.translate(flat(n, options), len(everything) + 10)
    assert len(found) == len(everything)
    assert [one.score for one in found] == pytest.approx([one[0] for one in everything])
    best = {words: (score, values) for score, words, values, _ in everything}
    assert len({one.words for one in found}) == len(found)
    for one in found:
        assert one.score == pytest.approx(best[one.words][0])
