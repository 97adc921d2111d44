"""Phrase models of small bitexts, whose language model knows how frequent words are and nothing else."""

import math

import numpy as np

from stickbreaker.ngrams.backoff_model import BackoffModel
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.phrases.phrase_model import FIRST_WEIGHTS, PhraseModel
from stickbreaker.translation.phrases.phrase_table import PhraseTable


def unigrams(words):
    """Lines of an ARPA file in which all words are as frequent."""
    every = ("<s>", "</s>", "<unk>", *words)
    p = -math.log10(len(every))
    lines = "".join(f"{p:.6f}\t{word}\n" for word in every)
    return f"\\data\\\nngram 1={len(every)}\n\n\\1-grams:\n{lines}\n\\end\\\n"


def phrase_model(lexicon, place, *, adapts=True, **weights):
    """The phrases of a lexicon, with topics unless `adapts` is False; the language model goes through a file
    in a directory `place`."""
    words = lexicon.bitext.words
    file = place / "unigrams.arpa"
    file.write_text(unigrams(words[1]), encoding="utf-8")
    table = PhraseTable.of(lexicon.bitext.sides, lexicon.links, (len(words[0]), len(words[1])))
    model = BackoffModel.read(file, words[1])
    return PhraseModel(lexicon, table, model, {**FIRST_WEIGHTS, **weights}, adapts)


def lexicon_of(bitext, links, shares, strengths):
    """A lexicon with shares of documents from nowhere; each topic is a domain."""
    from stickbreaker.translation.lexicon.domains import KnownDomains

    topics = [f"topic {k}" for k in range(shares.shape[1])]
    domains = KnownDomains(topics, [1] * len(topics))
    return TopicLexicon(bitext, domains, links, shares, (strengths, strengths))


def phrase_of(model, option):
    """A translation of a table by its words: source, target, links of (source place, target place)."""
    table, words = model.table, model.lexicon.bitext.words
    (numbers,), (length,) = table.source_of(table.phrases[option : option + 1])
    target = table.target_words[slice(*table.offsets[option : option + 2])]
    links = {divmod(bit, 5) for bit in range(25) if table.links[option] >> bit & 1}
    return tuple(words[0][n] for n in numbers[:length]), tuple(words[1][n] for n in target), links


def options_by_phrase(model):
    """The numbers of the translations of each source phrase."""
    found = {}
    for option in range(model.table.n_options):
        found.setdefault(phrase_of(model, option)[0], []).append(option)
    return {phrase: np.array(own) for phrase, own in found.items()}
