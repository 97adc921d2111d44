"""Documents with a text in each of several languages: their analysis, and rows joined into documents."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError
from stickbreaker.corpus.analysis import Analysis, Tokens
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.languages import has_stemmer, has_stop_words, language_code
from stickbreaker.corpus.readers.problems import Problems
from stickbreaker.corpus.vocabulary import Vocabulary, VocabularyRule, language_of, tagged, untagged

BETWEEN = "\n\n"  # stands between the sides of a document where they are kept as one text


@dataclass(frozen=True)
class PolylingualAnalysis:
    """An analysis for each language, by its code, ascending. Tokens carry their language, as "de:haus".

    >>> both = PolylingualAnalysis.of(Analysis(), ["en", "de"])
    >>> both.analyse_sides({"en": "The house.", "de": "Das Haus."})[1].words
    ['de:das', 'de:haus', 'en:the', 'en:house']
    """

    by_language: Mapping[str, Analysis]

    @classmethod
    def of(cls, base: Analysis, languages: Iterable[str]) -> "PolylingualAnalysis":
        """`base` for several languages, each with its own stop words and stemmer where there are any."""
        codes = sorted({language_code(name) for name in languages})
        return cls({code: _for_language(base, code) for code in codes})

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(self.by_language)

    def analyse_sides(self, texts: Mapping[str, str]) -> tuple[str, Tokens]:
        """A document's sides as one text, in the order of the languages, and its tokens.

        Raises UserError for a language that is not among `languages`.
        """
        text, parts, n_tokens = "", [], 0
        for code in sorted(texts):
            if code not in self.by_language:
                known = ", ".join(self.languages)
                raise UserError(f"a text in the language {code}", remedy=f"the languages are {known}")
            text = text + BETWEEN if parts else text
            words, starts, sentences = self.by_language[code].analyse(texts[code])
            parts.append(Tokens([tagged(code, w) for w in words], starts + len(text), sentences + n_tokens))
            text, n_tokens = text + texts[code], n_tokens + len(words)
        return text, Tokens(
            [word for part in parts for word in part.words],
            np.concatenate([part.starts for part in parts]).astype(np.int32),
            np.concatenate([part.sentences for part in parts]).astype(np.int32),
        )

    def ends(self, text: str, starts: Sequence[int], words: Sequence[str]) -> list[int]:
        """The characters at which tokens end that begin at `starts`; `words` tell their languages."""
        ends = np.zeros(len(starts), np.int64)
        for code, analysis in self.by_language.items():
            here = [i for i, word in enumerate(words) if language_of(word) == code]
            ends[here] = analysis.ends(text, [starts[i] for i in here])
        return ends.tolist()

    def eligible(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Which words, with their language, may enter a vocabulary; none of an unknown language."""
        out = np.zeros(len(words), np.bool_)
        for code, analysis in self.by_language.items():
            here = [i for i, word in enumerate(words) if language_of(word) == code]
            out[here] = analysis.eligible([untagged(words[i]) for i in here])
        return out

    def resolved(self) -> "PolylingualAnalysis":
        """The same with the languages' stop words spelled out."""
        return PolylingualAnalysis({code: one.resolved() for code, one in self.by_language.items()})

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"languages": {code: one.to_dict() for code, one in self.by_language.items()}}


def analysis_from(values: Mapping[str, Any]) -> Analysis | PolylingualAnalysis:
    """The analysis that `to_dict` told. Raises TypeError or KeyError when it is another thing.

    >>> analysis_from(PolylingualAnalysis.of(Analysis(), ["en", "fr"]).to_dict()).languages
    ('en', 'fr')
    """
    if "languages" not in values:
        return Analysis.from_dict(dict(values))
    parts = {code: Analysis.from_dict(one) for code, one in values["languages"].items()}
    return PolylingualAnalysis(dict(sorted(parts.items())))


def _for_language(base: Analysis, code: str) -> Analysis:
    stop_words = base.stop_words
    if stop_words == "language" and not has_stop_words(code):
        stop_words = "none"
    stemming = base.stemming and has_stemmer(code)
    return dataclasses.replace(base, language=code, stop_words=stop_words, stemming=stemming)


def aligned(documents: Iterable[Document], problems: Problems) -> Iterator[Document]:
    """Rows that share an id and differ in language, joined: each becomes a side of one document.

    Documents come in the order of their first rows, with the metadata of all. Every text is held in memory
    until the last row is read. A language that comes twice for an id is reported.
    """
    joined: dict[str, Document] = {}
    for row in documents:
        if row.text is None:
            problem, remedy = "a side of a document needs a text, not tokens", "name a field of text"
            error = UserError(problem, where=row.where or None, line=row.line, remedy=remedy)
            problems.report("tokens for a text", error)
            continue
        known = joined.get(row.id or "")
        code, text = row.language or "", row.text
        if known is None:
            joined[row.id or ""] = dataclasses.replace(row, text=None, texts={code: text}, language=None)
        elif known.texts is not None and code not in known.texts:
            texts, metadata = {**known.texts, code: text}, {**row.metadata, **known.metadata}
            joined[row.id or ""] = dataclasses.replace(known, texts=texts, metadata=metadata)
        else:
            error = UserError(
                f"the id {row.id!r} was used before in the language {code}",
                where=row.where or None,
                line=row.line,
                remedy="rows that share an id differ in language; or --on-error skip to keep the first",
            )
            problems.report("duplicate id", error)
    yield from joined.values()


def choose_by_language(
    rule: VocabularyRule, counts: Vocabulary, analysis: PolylingualAnalysis, documents: Mapping[str, int]
) -> Vocabulary:
    """The vocabulary that a rule makes of each language's words by itself, in one.

    `documents` tells how many documents each language has. A given list of words carries languages.
    """
    chosen: dict[str, Vocabulary] = {}
    for code, part in counts.by_language().items():
        own = rule
        if rule.words is not None:
            own = dataclasses.replace(rule, words=tuple(w for w in rule.words if language_of(w) == code))
        try:
            chosen[code] = own.choose(part, analysis.eligible(part.words), documents.get(code, 0))
        except UserError as error:
            raise UserError(f"language {code}: {error}") from None
    strange = [word for word in rule.words or () if language_of(word) not in chosen]
    if strange:
        remedy = "words carry their language, as " + tagged(next(iter(chosen)), "word")
        raise UserError(f"the word {strange[0]!r} is of no language of the corpus", remedy=remedy)
    if not chosen:
        raise UserError("the vocabulary is empty: no document holds a word; see the text fields")
    return Vocabulary.joined(chosen)
