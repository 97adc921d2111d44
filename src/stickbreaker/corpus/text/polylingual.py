"""Documents with a text in each of several languages: their analysis, and joining rows into documents."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stickbreaker.core.errors import UserError, shown
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus.document import Document
from stickbreaker.corpus.phrases.joining import Round
from stickbreaker.corpus.readers.field_rules import code_of
from stickbreaker.corpus.readers.problems import Bad, Problems
from stickbreaker.corpus.text.analysis import AnalysedText, Analysis
from stickbreaker.corpus.text.dropped_words import DroppedWords, added_up, dropped_words
from stickbreaker.corpus.text.languages import has_lemmas, has_stemmer, has_stop_words, language_code
from stickbreaker.corpus.vocabulary import Vocabulary, VocabularyRule, language_of, tagged, untagged

BETWEEN = "\n\n"  # joins the sides of a document if they are stored as one text


@dataclass(frozen=True)
class PolylingualAnalysis:
    """The analyses of several languages, by code, in the order in which they were given (the first names
    topics in reports). Tokens carry their language: "de:haus".

    >>> both = PolylingualAnalysis.of(Analysis(), ["en", "de"])
    >>> both.analyse_sides({"en": "The house.", "de": "Das Haus."})[1].words
    ['de:das', 'de:haus', 'en:the', 'en:house']
    """

    by_language: Mapping[str, Analysis]

    @classmethod
    def of(cls, base: Analysis, languages: Iterable[str]) -> "PolylingualAnalysis":
        """An analysis per language: `base` with the language's own stop words, stemmer and lemmas.

        Languages without a stemmer, stop words or lemmas go without.
        """
        codes = dict.fromkeys(language_code(name) for name in languages)
        return cls({code: _for_language(base, code) for code in codes})

    @property
    def sentences(self) -> str:
        """The rule for where sentences end: see `Analysis`."""
        return next((one.sentences for one in self.by_language.values()), "punctuation")

    @property
    def letters(self) -> str:
        """How letters are read: see `Analysis`."""
        return next((one.letters for one in self.by_language.values()), "unicode")

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(self.by_language)

    def analyse_sides(self, texts: Mapping[str, str]) -> tuple[str, AnalysedText]:
        """Join a document's texts (by language code) into one text, and return it with its tokens.

        texts: at least one; they are joined in order of codes, with an empty line between them. Positions are
        those in the joined text. Raises UserError for a language that is not in `languages`.
        """
        text, n_tokens, parts = "", 0, list[AnalysedText]()
        for code in sorted(texts):
            if code not in self.by_language:
                known = ", ".join(self.languages)
                raise UserError(f"a text in the language {code}", remedy=f"the languages are {known}")
            text = text + BETWEEN if parts else text
            words, starts, sentences = self.by_language[code].analyse(texts[code])
            parts.append(
                AnalysedText([tagged(code, w) for w in words], starts + len(text), sentences + n_tokens)
            )
            text, n_tokens = text + texts[code], n_tokens + len(words)
        return text, AnalysedText(
            [word for part in parts for word in part.words],
            np.concatenate([part.starts for part in parts]).astype(np.int32),
            np.concatenate([part.sentences for part in parts]).astype(np.int32),
        )

    def ends(self, text: str, starts: Sequence[int], words: Sequence[str]) -> list[int]:
        """The character positions at which tokens end (exclusive).

        text: a document's texts, joined by `analyse_sides`; starts: the characters at which the tokens begin
        in it; words: the tokens, with language.
        """
        ends = np.zeros(len(starts), np.int64)
        for code, analysis in self.by_language.items():
            here = [i for i, word in enumerate(words) if language_of(word) == code]
            ends[here] = analysis.ends(text, [starts[i] for i in here])
        return ends.tolist()

    def eligible(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Whether each word (with language) may be in a vocabulary; words of unknown languages may not."""
        out = np.zeros(len(words), np.bool_)
        for code, analysis in self.by_language.items():
            here = [i for i, word in enumerate(words) if language_of(word) == code]
            out[here] = analysis.eligible([untagged(words[i]) for i in here])
        return out

    def rules_against(self, words: Sequence[str]) -> list[str | None]:
        """For each word (with language), the rule that keeps it out of a vocabulary, as `rule_against`."""
        return list(map(self.rule_against, words))

    def rule_against(self, word: str) -> str | None:
        """The rule (a key of `dropped_words.RULES`) that keeps a word (with language) out of a vocabulary.

        None if none does, or if the word's language is unknown.
        """
        analysis = self.by_language.get(language_of(word))
        return None if analysis is None else analysis.rule_against(untagged(word))

    @property
    def phrases(self) -> tuple[tuple[str, ...], ...]:
        """The phrases as in `Analysis.phrases`, the rounds of one language after those of another."""
        return tuple(pairs for analysis in self.by_language.values() for pairs in analysis.phrases)

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The phrases of all languages by round: mappings from a pair of words to the word that they become.

        Round i has those of every language's round i. The words carry their language.
        """
        rounds: list[dict[tuple[str, str], str]] = []
        for code, analysis in self.by_language.items():
            for number, pairs in enumerate(analysis.rounds):
                rounds += [{}] if number == len(rounds) else []
                rounds[number].update(
                    {
                        (tagged(code, first), tagged(code, second)): tagged(code, joined)
                        for (first, second), joined in pairs.items()
                    }
                )
        return tuple(rounds)

    def with_phrases(self, rounds: Sequence[Round]) -> "PolylingualAnalysis":
        """Return a copy of the analysis with other phrases. rounds: as in the attribute `rounds`."""
        return PolylingualAnalysis(
            {
                code: analysis.with_phrases([_in_language(pairs, code) for pairs in rounds])
                for code, analysis in self.by_language.items()
            }
        )

    def resolved(self) -> "PolylingualAnalysis":
        """The same with each language's stop words and segmentation spelled out, as corpora store it."""
        return PolylingualAnalysis({code: one.resolved() for code, one in self.by_language.items()})

    def to_dict(self) -> JsonObject:
        """The analyses as values for JSON, from which `analysis_from` makes them again."""
        order = {} if self.languages == tuple(sorted(self.languages)) else {"order": list(self.languages)}
        return {"languages": {code: one.to_dict() for code, one in self.by_language.items()}, **order}


def _in_language(pairs: Round, code: str) -> Round:
    """The pairs of one language in a round of phrases, with the language's code removed from their words."""
    return {
        (untagged(first), untagged(second)): untagged(joined)
        for (first, second), joined in pairs.items()
        if language_of(first) == language_of(second) == code
    }


def analysis_from(values: JsonObject) -> Analysis | PolylingualAnalysis:
    """The analysis, of one language or several, from the plain values that its `to_dict` returned.

    Raises TypeError, KeyError, ValueError or UserError for other values.

    >>> analysis_from(PolylingualAnalysis.of(Analysis(), ["fr", "en"]).to_dict()).languages
    ('fr', 'en')
    """
    if "languages" not in values:
        return Analysis.from_dict(dict(values))
    parts = {code: Analysis.from_dict(one) for code, one in values["languages"].items()}
    if any(one.language != code for code, one in parts.items()):
        raise ValueError("a language has the analysis of another")
    order: list[str] = values.get("order", sorted(parts))
    if sorted(order) != sorted(parts):
        raise ValueError("an order of other languages")
    return PolylingualAnalysis({code: parts[code] for code in order})


def refuse_other_languages(analysis: Analysis | PolylingualAnalysis | None, vocabulary: Vocabulary) -> None:
    """Raise ValueError if an analysis of several languages lacks a language of the vocabulary's words.

    Also if the words carry no language. Does nothing for `None` or an analysis of one language.
    """
    if isinstance(analysis, PolylingualAnalysis):
        languages = set(vocabulary.languages)
        if not languages or not languages <= set(analysis.languages):
            raise ValueError("a vocabulary of languages other than the analysis")


def _for_language(base: Analysis, code: str) -> Analysis:
    stop_words = base.stop_words
    if stop_words == "language" and not has_stop_words(code):
        stop_words = "none"
    stemming, lemmas = base.stemming and has_stemmer(code), base.lemmas and has_lemmas(code)
    return dataclasses.replace(base, language=code, stop_words=stop_words, stemming=stemming, lemmas=lemmas)


def with_every_language(documents: Iterable[Document], fields: Mapping[str, str]) -> Iterator[Document]:
    """Yield the documents; after the last, raise UserError if no document had a text in some language.

    fields: the name of each language's text field, by code. Does not raise if no document had texts by
    language at all.
    """
    met: set[str] = set()
    for document in documents:
        met.update(document.texts or ())
        yield document
    for code, field in fields.items():
        if met and code not in met:
            raise UserError(
                f"no document has a text in the field {field!r} ({code})", remedy="check --text-field"
            )


def aligned(
    documents: Iterable[Document], problems: Problems, language_field: str, *, apart: bool = False
) -> Iterator[Document]:
    """Join rows that share an id and differ in language: they become one document with texts by language.

    Documents are in the order of their first rows, with the metadata of all their rows (the first row's value
    counts). Nothing is yielded until the last row is read. A row without language or text, or with a language
    that its id has already, is reported to `problems` and left out. Raises UserError if there are several
    languages and no document has two, unless `apart` (for new documents of a model).
    """
    joined: dict[str, Document] = {}
    for row in documents:
        bad = _no_side(row, language_field)
        if bad is not None:
            problems.tell(bad, row.where or None, row.line)
            continue
        identity, side = row.id or "", {row.language or "": row.text or ""}
        known = joined.get(identity)
        if known is None:
            joined[identity] = dataclasses.replace(row, text=None, texts=side, language=None)
        elif known.texts is not None and row.language not in known.texts:
            texts, metadata = {**known.texts, **side}, {**row.metadata, **known.metadata}
            joined[identity] = dataclasses.replace(known, texts=texts, metadata=metadata)
        else:
            problem = f"the id {shown(identity)} was used before in the language {row.language}"
            remedy = "rows that share an id differ in language; or --on-error skip to keep the first"
            problems.tell(Bad("duplicate id", problem, remedy), row.where or None, row.line)
    met = {code for document in joined.values() for code in document.texts or ()}
    if not apart and len(met) > 1 and all(len(document.texts or ()) == 1 for document in joined.values()):
        problem = f"rows in {', '.join(sorted(met))} share no id, so no document has two languages"
        raise UserError(problem, remedy="name the field of the ids by --id-field")
    yield from joined.values()


def _no_side(row: Document, language_field: str) -> Bad | None:
    """What is wrong with a row that should be a document's text in one language; None if nothing is."""
    if row.language is None:
        problem = f"no language in the field {language_field!r}"
        return Bad("no language", problem, "give JSON Lines or a table that has the field")
    if row.text is None:
        problem = "a side of a document needs a text, not tokens"
        return Bad("tokens for a text", problem, "name a field of text")
    return None


def by_code(texts: Mapping[str, str]) -> dict[str, str]:
    """Texts by language code, from texts by code or name. Raises Bad for unknown or repeated languages.

    >>> by_code({"English": "The house.", "de": "Das Haus."})
    {'en': 'The house.', 'de': 'Das Haus.'}
    """
    sides: dict[str, str] = {}
    for name, text in texts.items():
        code = code_of(name)
        if code in sides:
            problem = f"two texts in the language {code}"
            raise Bad("two texts in a language", problem, "give one text per language")
        sides[code] = text
    return sides


def choose_by_language(
    rule: VocabularyRule, counts: Vocabulary, analysis: PolylingualAnalysis, documents: Mapping[str, int]
) -> tuple[Vocabulary, tuple[DroppedWords, ...]]:
    """Choose a vocabulary for each language; returns their union, and the words that were left out.

    counts: all words of the corpus (with language); documents: the number of documents in each language. The
    words in a rule's list carry their language. Raises UserError if a language's vocabulary would be empty,
    or a listed word is in no language of the corpus.
    """
    chosen: dict[str, Vocabulary] = {}
    dropped: list[tuple[DroppedWords, ...]] = []
    for code, part in counts.by_language().items():
        own = rule
        if rule.words is not None:
            own = dataclasses.replace(rule, words=tuple(w for w in rule.words if language_of(w) == code))
        try:
            n_documents = documents.get(code, 0)
            chosen[code] = own.choose(part, analysis.eligible(part.words), n_documents)
            reasons = analysis.rules_against(part.words)
            dropped.append(dropped_words(own, part, reasons, n_documents, chosen[code]))
        except UserError as error:
            raise UserError(f"language {code}: {error}") from None
    strange = [word for word in rule.words or () if language_of(word) not in chosen]
    if strange:
        remedy = "words carry their language, as " + tagged(next(iter(chosen)), "word")
        raise UserError(f"the word {shown(strange[0])} is in no language of the corpus", remedy=remedy)
    if not chosen:
        raise UserError("the vocabulary is empty: no document contains a word; check the text fields")
    return Vocabulary.joined(chosen), added_up(dropped)
