"""Translating documents sentence by sentence, and tuning the weights for it."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from stickbreaker.core.records import Array
from stickbreaker.engines.local import usable_cores
from stickbreaker.ngrams.backoff_model import BackoffModel
from stickbreaker.translation.bleu import Reference, corpus_bleu, sentence_bleu
from stickbreaker.translation.decoding.decoder import LIMITS, Decoder, Translation, cut_sentence
from stickbreaker.translation.pairwise_ranking import learn_weights
from stickbreaker.translation.phrases.phrase_model import FIRST_WEIGHTS, PhraseModel

ROUNDS = 8
N_BEST = 100
FIRST_SEARCH = LIMITS._replace(stack=20, candidates=200)  # from which topics are inferred
KEPT = 0.5  # of the old weights, in the next round's
LEAST_SCALE = 0.01  # features that vary less than this share of the most variable one are not learned


class TokenDocument(NamedTuple):
    """The sentences of a document as tokens, with its topic shares (None: no topics are used)."""

    sentences: list[list[str]]
    shares: Array | None
    language_shares: Array | None = None  # (topics,) for a language model with topics


def translate_documents(
    model: PhraseModel, documents: Sequence[TokenDocument], n_best: int = 1, threads: int | None = None
) -> list[list[list[Translation]]]:
    """The best translations of each sentence of each document, at most `n_best`, best first.

    Documents are distributed over threads; the result does not depend on their number. A sentence of more
    than 256 words is cut, and gets one translation, joined from its pieces; one without words gets none. For
    a language model with topics, documents without `language_shares` get them first (`with_language_shares`).
    """
    documents, weights = with_language_shares(model, documents, threads), model.decoder_weights()

    def translated(document: TokenDocument) -> list[list[Translation]]:
        language = model.language_model
        if not isinstance(language, BackoffModel):
            assert document.language_shares is not None
            language = language.mixed(document.language_shares)
        return _translations(model, Decoder(language, weights), document, n_best)

    with ThreadPoolExecutor(threads or usable_cores()) as pool:
        return list(pool.map(translated, documents))


def with_language_shares(
    model: PhraseModel, documents: Sequence[TokenDocument], threads: int | None = None
) -> list[TokenDocument]:
    """The documents with their shares of the language model's topics; unchanged if it has no topics.

    The shares are inferred from a first translation with untuned weights and without topics, so that tuning
    and later translation use the same shares.
    """
    language = model.language_model
    if isinstance(language, BackoffModel):
        return list(documents)
    first = replace(model, weights=FIRST_WEIGHTS, adapts=False, ranks=0)
    decoder = Decoder(language.of_no_document, first.decoder_weights(), FIRST_SEARCH)

    def seen(document: TokenDocument) -> TokenDocument:
        if document.language_shares is not None:
            return document
        found = _translations(first, decoder, document, 1)
        return document._replace(language_shares=language.shares_of([own[0].words for own in found if own]))

    with ThreadPoolExecutor(threads or usable_cores()) as pool:
        return list(pool.map(seen, documents))


def _translations(
    model: PhraseModel, decoder: Decoder, document: TokenDocument, n_best: int
) -> list[list[Translation]]:
    """The best translations of each sentence of a document, at most `n_best`.

    A sentence that must be cut into pieces gets one, a sentence without words none.
    """
    pieces = [cut_sentence(sentence) for sentence in document.sentences]
    options = model.options_of([list(piece) for own in pieces for piece in own], document.shares)
    found: list[list[Translation]] = []
    at = iter(options)
    for own in pieces:
        parts = [decoder.translate(one, n_best) if one.n else [] for one in islice(at, len(own))]
        found.append(parts[0] if len(parts) == 1 else _joined([part[0] for part in parts if part]))
    return found


def _joined(pieces: list[Translation]) -> list[Translation]:
    """Join the translations of a sentence's pieces to one, and return it in a list.

    Its words are concatenated, its features and score are sums, and it has no spans.
    """
    words = tuple(word for piece in pieces for word in piece.words)
    features = np.sum([piece.features for piece in pieces], axis=0)
    return [Translation(words, sum(piece.score for piece in pieces), features, ())]


class TuningRound(NamedTuple):
    """One round of tuning: the weights that it translated with, and the quality of the translations."""

    weights: dict[str, float]
    bleu: float  # 0 to 1, on the development sentences
    length: float  # words of the translations / words of the references


def tune(
    model: PhraseModel,
    documents: Sequence[TokenDocument],
    references: Sequence[Sequence[Sequence[str]]],
    *,
    rounds: int = ROUNDS,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[TuningRound], None] | None = None,
) -> list[TuningRound]:
    """Tune weights on documents with references, by rounds of pairwise ranking (Hopkins and May 2011).

    Returns all rounds; the caller should use the weights of the best. `references`: translations of each
    document's sentences, as tokens. Each round translates the documents with the last weights, adds the best
    translations to those of earlier rounds, and learns weights from all; the next weights are half old, half
    learned. Raises UserError if nothing can be learned.
    """
    wanted = [Reference.of(reference) for own in references for reference in own]
    pool: list[dict[tuple[str, ...], Array]] = [{} for _ in wanted]
    quality: list[dict[tuple[str, ...], float]] = [{} for _ in wanted]
    history: list[TuningRound] = []
    documents = with_language_shares(model, documents, threads)
    for number in range(rounds):
        lists = [found for own in translate_documents(model, documents, N_BEST, threads) for found in own]
        best = [found[0].words if found else () for found in lists]
        length = sum(map(len, best)) / max(1, sum(one.length for one in wanted))
        history.append(TuningRound(model.weights, corpus_bleu(best, wanted), length))
        if progress is not None:
            progress(history[-1])
        if number == rounds - 1:
            break
        for found, candidates, scores, reference in zip(lists, pool, quality, wanted, strict=True):
            for one in found:
                candidates[one.words] = one.features
                if one.words not in scores:
                    scores[one.words] = sentence_bleu(one.words, reference)
        features = [np.array(list(candidates.values())) for candidates in pool if len(candidates) > 1]
        own = [
            np.array([scores[w] for w in c]) for c, scores in zip(pool, quality, strict=True) if len(c) > 1
        ]
        learned = learn_weights(features, own, seed, least_scale=LEAST_SCALE, step=number)
        before = np.array([model.weights[name] for name in model.features])
        mixed = _mixed(before, learned, features)
        weights = {**model.weights, **dict(zip(model.features, mixed.tolist(), strict=True))}
        model = replace(model, weights=weights)
    return history


def _mixed(before: Array, learned: Array, features: Sequence[Array]) -> Array:
    """Mix old and learned weights (features), with a share of `KEPT` for the old ones.

    features: candidates × features of each sentence. Before they are mixed, the weights `before` and the
    weights `learned` are each divided by sum over features of |weight| · (standard deviation of the feature
    within sentences), so that a large weight of a feature with little variation does not make others small.
    """
    apart = np.concatenate([own - own.mean(axis=0) for own in features])
    sizes = np.sqrt((apart**2).mean(axis=0))
    first, second = (one / ((np.abs(one) @ sizes) or 1.0) for one in (before, learned))
    return KEPT * first + (1.0 - KEPT) * second
