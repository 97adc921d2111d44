"""Random language models as lines of an ARPA file, and random options of short sentences."""

import numpy as np

from stickbreaker.ngrams.backoff_model import BackoffModel
from stickbreaker.translation.decoding.decoder import Decoder, SentenceOptions
from stickbreaker.translation.kernels.decoder import Limits
from stickbreaker.translation.kernels.phrase_options import Options, Weights

WORDS = ["a", "b", "c", "d"]
MANY = Limits(10_000, 10_000, np.inf, 100)


def arpa(rng, order, unknown=True, share=0.6):
    """A model of random n-grams and weights; it need not sum to one, nor have the suffixes it should."""
    inner = [*WORDS, "<unk>"] if unknown else WORDS
    levels = [[(word,) for word in ("<s>", "</s>", *inner)]]
    for _ in range(1, order):
        longer = [(*u, w) for u in levels[-1] if u[-1] != "</s>" for w in ("</s>", *inner)]
        levels.append([ngram for ngram in longer if rng.random() < share])
    text = "\\data\\\n" + "".join(f"ngram {n}={len(level)}\n" for n, level in enumerate(levels, 1))
    for n, level in enumerate(levels, 1):
        text += f"\n\\{n}-grams:\n"
        for ngram in level:
            back = f"\t{-rng.random():.6f}" if n < order and rng.random() < 0.7 else ""
            text += f"{-2 * rng.random():.6f}\t{' '.join(ngram)}{back}\n"
    return text + "\n\\end\\\n"


def sentence(rng, n, longest=3, options=2, n_features=2):
    """Options (begin, end, words, features) of some spans, with one at least for each single word."""
    found = []
    for begin in range(n):
        for end in range(begin + 1, min(begin + longest, n) + 1):
            for _ in range(options if end == begin + 1 else rng.integers(0, options + 1)):
                words = [str(word) for word in rng.choice([*WORDS, "e"], rng.integers(0, 4))]
                found.append((begin, end, words, rng.normal(0.0, 1.0, n_features).tolist()))
    return found


def flat(n, options):
    """The same as the decoder reads them; `e` is a word that is passed through."""
    numbers = [*WORDS, "e"]
    longest = max(end - begin for begin, end, _, _ in options)
    arrays = Options(
        np.array([option[0] for option in options]),
        np.array([option[1] for option in options]),
        np.cumsum([0] + [len(option[2]) for option in options]),
        np.array([numbers.index(word) for option in options for word in option[2]], np.int64),
        np.array([option[3] for option in options]),
    )
    return SentenceOptions(n, longest, arrays, ("e",))


def weights_of(values):
    """Weights from a flat list: those of options, language model, words, distortion."""
    return Weights(np.array(values[:-3]), *values[-3:])


def decoder(path, text, weights, limits=MANY):
    path.write_text(text, encoding="utf-8")
    return Decoder(BackoffModel.read(path, WORDS), weights_of(weights), limits)
