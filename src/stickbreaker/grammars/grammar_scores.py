"""Scores of a learned grammar: prediction and segmentation of sentences."""

from collections.abc import Sequence

import numpy as np

from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus import Analysis
from stickbreaker.grammars.document_shares import log_p_of_all
from stickbreaker.grammars.model.grammar_sentences import UNKNOWN
from stickbreaker.grammars.parsing import segmented_texts
from stickbreaker.grammars.segmentation_agreement import segmentation_of
from stickbreaker.grammars.text_grammar import TextGrammar


def scores_of(model: TextGrammar, texts: Sequence[str], nonterminal: str | None = None) -> JsonObject:
    """Score a grammar on texts: log p per symbol, and how well its pieces agree with the texts' words.

    Returns the numbers of sentences and symbols, "nats_per_symbol" (log p, so at most zero) and, if spaces
    show words, the `Segmentation` as dicts. If symbols are separated by spaces, words are separated by two
    spaces or a tab. A sentence that cannot be parsed is one piece; neither log p nor "symbols" include it. In
    log p, all symbols unseen in training count as one and the same symbol. nonterminal: whose subtrees are
    the pieces (None: as in `AdaptorGrammar.segment`). Raises UserError if no sentence can be parsed.
    """
    model.symbol_number(nonterminal)  # refuses an unknown symbol in any case
    lines = model.lines_of(texts)
    sentences = model.sentences_in(lines.content)
    nats = model.nats_of(sentences)
    parsed = np.isfinite(nats)
    symbols = int(np.diff(sentences.starts)[parsed].sum())
    if not symbols:
        raise UserError("there is nothing to score", remedy="no sentence can be parsed by the grammar")
    found: JsonObject = {
        "sentences": len(parsed),
        "unparsed": int((~parsed).sum()),
        "new_symbols": int((sentences.letters == UNKNOWN).sum()),
        "with_new_symbols": int(sentences.with_unknown().sum()),
        "symbols": symbols,
        "nats_per_symbol": min(log_p_of_all(model.parser.opened, sentences, nats) / symbols, 0.0),
    }
    gold = gold_of(model, texts)
    if model.has_topics or not any(len(words) > 1 for words in gold):
        return found
    cut = segmented_texts(model, texts, nonterminal)
    agreement = segmentation_of([one.pieces for one in cut], gold)
    return {**found, **{name: part._asdict() for name, part in agreement._asdict().items()}}


def gold_of(model: TextGrammar, texts: Sequence[str]) -> list[list[str]]:
    """The words of each text, as the reference for a segmentation.

    Texts are split at spaces or, if symbols themselves are separated by spaces, at two spaces or a tab.
    """
    analysis = model.analysis
    assert isinstance(analysis, Analysis)
    if model.settings.symbols == "characters":
        words = [text.split() for text in texts]
    else:
        words = [text.replace("\t", "  ").split("  ") for text in texts]
    joined = [[model.join(analysis.analyse(word).words) for word in line] for line in words]
    return [[word for word in line if word] for line in joined]
