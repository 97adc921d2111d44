"""Training and held-out sentences of a grammar; those that cannot be parsed are reported or skipped."""

import unicodedata
import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError, counted, shown
from stickbreaker.core.records import Record
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.source import Source
from stickbreaker.grammars.model.chart_texts import chart_fits, why_too_long
from stickbreaker.grammars.model.compiled import Compiled
from stickbreaker.grammars.model.grammar_sentences import UNKNOWN, Sentences
from stickbreaker.grammars.model.sentence_parser import LearnedGrammar
from stickbreaker.grammars.plan import reader_of
from stickbreaker.grammars.settings import GrammarSettings
from stickbreaker.grammars.text_symbols import terminals_of

ONE_FORM = "write the grammar and the text in one form, NFC"


class NothingParsed(UserError):
    """Raised if a grammar cannot parse any training sentence, so that there is nothing to learn from."""


def training_sentences(
    settings: GrammarSettings,
    corpus: Corpus,
    source: Source,
    grammar: Compiled,
    *,
    skip_unknown: bool = False,
) -> tuple[Sentences, int]:
    """The training sentences that can be parsed, and how many others are skipped. Warns if the grammar has a
    symbol of the text in another form of Unicode.

    Raises UserError for a sentence that cannot be parsed, unless `unparsed` skips these; NothingParsed if
    no sentence can be parsed. With `skip_unknown`, sentences with unknown symbols are always skipped.
    """
    found = _of_source(settings, source, corpus, grammar, held_out=False)
    if not len(found.documents):
        raise UserError("there is no sentence to learn from", where=corpus.path, remedy="give a text")
    kept = parsable(found, grammar)
    other_form = "" if kept.all() else in_another_form(corpus.vocabulary.words, grammar.terminals)
    wrong = ~kept & ~found.with_unknown() if skip_unknown else ~kept
    if wrong.any() and settings.unparsed == "fail":
        first = int(np.flatnonzero(wrong)[0])
        name, unknown = _first_unknown(settings, corpus, int(found.documents[first]), grammar)
        problem = unknown or why_unparsed(found[first], grammar)
        fits = chart_fits(grammar, found.sizes[first : first + 1])[0]
        mend = "extend the grammar" if fits else "cut long texts into sentences"
        if unknown and other_form:
            problem, mend = f"{problem}; {other_form}", ONE_FORM
        remedy = f"{mend}, or skip such sentences with --unparsed skip"
        raise UserError(f"document {shown(name)}: {problem}", remedy=remedy)
    if not kept.any():
        remedy = "leave out these sentences" if skip_unknown else "extend the grammar"
        problem = "no sentence can be parsed by the grammar"
        if other_form:
            problem, remedy = f"{problem}; {other_form}", ONE_FORM
        raise NothingParsed(problem, remedy=remedy)
    skipped = int((~kept).sum())
    if other_form:
        number = f"{counted(skipped, 'sentence')} {'is' if skipped == 1 else 'are'} skipped"
        warnings.warn(f"{number}, and {other_form}; {ONE_FORM}", stacklevel=2)
    return found.take(kept), skipped


def held_out_sentences(
    settings: GrammarSettings, source: Source, corpus: Corpus, grammar: Compiled
) -> Sentences:
    """The held-out sentences that can be parsed, to score a run. Raises UserError if there are none."""
    found = _of_source(settings, source, corpus, grammar, held_out=True)
    found = found.take(parsable(found, grammar))
    if not len(found.documents):
        raise UserError("no held-out document has a sentence", remedy="raise the held-out share")
    return found


def _of_source(
    settings: GrammarSettings, source: Source, corpus: Corpus, grammar: Compiled, *, held_out: bool
) -> Sentences:
    """The training sentences of a source, or with `held_out` its held-out sentences, all in one object."""
    reader = reader_of(settings, corpus.vocabulary, grammar.terminals, corpus.n_documents)
    parts: list[Sentences] = []
    for block in range(source.n_blocks):
        numbers, content = source.block(block, held_out=held_out)
        part = reader.read(content, documents=numbers)
        parts.append(part._replace(documents=numbers[part.documents]))
    ends = np.cumsum([0] + [len(part.letters) for part in parts])
    starts = [part.starts[:-1] + end for part, end in zip(parts, ends, strict=False)]
    return Sentences(
        np.concatenate([np.zeros(0, np.int32), *(part.letters for part in parts)]),
        np.concatenate([*starts, ends[-1:]]).astype(np.int64),
        np.concatenate([np.zeros(0, np.int64), *(part.documents for part in parts)]),
    )


def _first_unknown(
    settings: GrammarSettings, corpus: Corpus, document: int, grammar: Compiled
) -> tuple[str, str]:
    """For an error message: a document's id, and a text on its first unknown symbol ("" if none).

    document: its number in the corpus.
    """
    block = int(np.searchsorted(np.cumsum(corpus.block_sizes), document, side="right"))
    place = document - sum(corpus.block_sizes[:block])
    content = corpus.sequences(block).slice(place, place + 1)
    boundaries = settings.punctuation == "boundaries"
    numbers = terminals_of(corpus.vocabulary, grammar.terminals, boundaries=boundaries)
    unknown = np.flatnonzero(numbers[content.words] == UNKNOWN)
    name = corpus.ids(block)[place]
    if not len(unknown):
        return name, ""
    at = int(unknown[0])
    if content.words[at] < 0:
        return name, f"symbol {at + 1} is not in the corpus's vocabulary"
    symbol = shown(corpus.vocabulary.words[content.words[at]])
    return name, f"symbol {at + 1}, {symbol}, is not a terminal of the grammar"


def in_another_form(symbols: Sequence[str], terminals: Sequence[str]) -> str:
    """For a message: a symbol of the text that the grammar has in another form of Unicode; else "".

    >>> in_another_form(["e\\u0301"], ["\\u00e9"])
    "the grammar has 'é' in another form of Unicode (NFC in place of NFD)"
    """
    known = set(terminals)
    composed = {unicodedata.normalize("NFC", terminal): terminal for terminal in terminals}
    for symbol in symbols:
        own = composed.get(unicodedata.normalize("NFC", symbol))
        if own is not None and symbol not in known:
            forms = [_form_of(one) for one in (own, symbol)]
            return f"the grammar has {shown(own)} in another form of Unicode ({' in place of '.join(forms)})"
    return ""


def _form_of(symbol: str) -> str:
    """The normal form of Unicode that a symbol is in: "NFC", "NFD" or "neither"."""
    forms = ("NFC", "NFD")
    return next((form for form in forms if unicodedata.is_normalized(form, symbol)), "neither")


def parsable(sentences: Sentences, grammar: Compiled) -> NDArray[np.bool_]:
    """(sentences,) Whether each sentence can be parsed by a grammar; those with unknown symbols cannot."""
    found = ~sentences.with_unknown()
    rest = sentences.take(found)
    found[found] = np.isfinite(without_uses(grammar).nats(rest.letters, rest.starts))
    return found


def why_unparsed(letters: NDArray[np.int32], grammar: Compiled) -> str:
    """For an error message, why a grammar cannot parse a sentence whose symbols are all known."""
    if not chart_fits(grammar, np.array([len(letters)]))[0]:
        return why_too_long(grammar, len(letters))
    last = without_uses(grammar).beginning(letters)
    if last == len(letters):
        return "the sentence ends where every tree of the grammar continues"
    symbol = shown(grammar.terminals[letters[last]])
    return f"no sentence of the grammar continues with symbol {last + 1}, {symbol}"


def without_uses(grammar: Compiled) -> LearnedGrammar:
    """The grammar before any learning: it remembers no subtrees, and rules have their prior weights."""
    n, none = len(grammar.adapted), np.zeros(0, np.int64)
    uses = np.zeros(grammar.n_rules)
    return LearnedGrammar(
        grammar, uses, np.zeros(n), np.ones(n), none, none, np.zeros(0, np.int32), np.zeros(1, np.int64)
    )


def refuse_other_sums(params: Record, grammar: Compiled) -> None:
    """Raise ValueError if the sentences and cut counts in a saved model's params do not fit its grammar."""
    sums = tuple(params[name].values for name in ("letters", "lengths", "cuts", "kept", "skipped"))
    letters, lengths, cuts, kept, skipped = sums
    if any(values.dtype.kind not in "iu" for values in sums) or kept.shape != () or skipped.shape != ():
        raise ValueError("sums are not whole numbers")
    if int(skipped) < 0:
        raise ValueError("the number of skipped sentences belongs to another text")
    if letters.ndim != 1 or lengths.ndim != 1 or cuts.shape != (len(grammar.adapted), len(letters)):
        raise ValueError("sums belong to another text")
    if lengths.min(initial=1) < 1 or int(lengths.sum()) != len(letters):
        raise ValueError("sentences belong to another text")
    if len(letters) and not 0 <= int(letters.min()) <= int(letters.max()) < len(grammar.terminals):
        raise ValueError("symbols belong to another grammar")
    if cuts.size and not 0 <= int(cuts.min()) <= int(cuts.max()) <= int(kept):
        raise ValueError("there are more cuts than samples")
