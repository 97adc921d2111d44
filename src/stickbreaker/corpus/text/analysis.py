"""From text to tokens: the analysis of a corpus, which is stored so that new text is treated alike."""

import dataclasses
import functools
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Literal, NamedTuple, cast

import numpy as np
import regex
from numpy.typing import NDArray

from stickbreaker.core.arguments import refuse_other_fields
from stickbreaker.core.errors import UserError, noun_for
from stickbreaker.core.json_checks import (
    JsonObject,
    Kind,
    is_count,
    is_flag,
    is_text,
    list_of,
    optional,
    refuse_other_kinds,
)
from stickbreaker.corpus.phrases.joining import Round, breaks_in, join_words, rounds_of
from stickbreaker.corpus.text.cleaning import CLEANINGS, CleanText, cleaned
from stickbreaker.corpus.text.languages import (
    english_contractions,
    has_lemmas,
    language_code,
    lemmatizer_of,
    stemmer_of,
    stop_words_of,
)
from stickbreaker.corpus.text.letters import (
    HEBREW,
    LETTER_RULES,
    MIDDLE_DOT,
    LetterRule,
    has_dotted_i,
    lower_case,
    marks_remover,
)
from stickbreaker.corpus.text.segmentation import (
    OTHER_LETTER,
    SEGMENTATIONS,
    WITHOUT_SPACES,
    Span,
    character_pattern,
    cut_runs,
    has_icu,
    is_without_spaces,
    run_pattern,
)
from stickbreaker.corpus.vocabulary import LONGEST_WORD

_ELIDING = frozenset({"ca", "fr", "it"})  # l'homme is two words
_SENTENCE_END = regex.compile(
    r"(?<![.!?…])[.!?…]++[\"'”’)\]]*+\s++(?!\p{Ll})|[。！？｡។៕။]|(?>\r\n|[\r\n])[^\S\r\n]*+[\r\n]"
)
BEGIN_MARK, END_MARK = "<s>", "</s>"
# as written by KenLM and SRILM
_SENTENCE_MARKS = regex.compile(r"(?<![^\r\n])[^\S\r\n]*+<s>|</s>[^\S\r\n]*+<s>|</s>[^\S\r\n]*+(?![^\r\n])")
SPACED = r"\S++"  # the token pattern for everything between spaces
_SEPARATORS = "\x1c\x1d\x1e\x1f"  # spaces only to `str.split`
_LINE_END = regex.compile(r"[\r\n]")
_LETTER = regex.compile(r"\p{L}")
TAG_COLUMNS = (None, "upos", "xpos")  # of CoNLL-U; None: UPOS, or XPOS of words whose UPOS is "_"
SENTENCES = {"punctuation": _SENTENCE_END, "line": _LINE_END, "document": None}  # what ends them
_MOST_FORMS = 400_000  # distinct spellings cached at a time


SETTINGS: dict[str, Kind] = {
    "language": optional(is_text),
    "normalization": optional(is_text),
    "lowercase": is_flag,
    "stop_words": lambda value: is_text(value) or list_of(is_text)(value),
    "extra_stop_words": list_of(is_text),
    "stemming": is_flag,
    "token_pattern": optional(is_text),
    "min_length": is_count,
    "segmentation": is_text,
    "sentences": is_text,
    "sentence_marks": is_text,
    "possessives": is_text,
    "letters": is_text,
    "phrases": list_of(list_of(is_text)),
    "text_field": is_text,
    "tags": optional(is_text),
    "upos": list_of(is_text),
    "clean": optional(is_text),
    "lemmas": is_flag,
}
_PLAIN: JsonObject = {  # values that `to_dict` leaves out
    "sentences": "punctuation",
    "sentence_marks": "text",
    "possessives": "apart",
    "letters": "plain",
    "phrases": (),
    "text_field": "text",
    "tags": None,
    "upos": (),
    "clean": None,
    "lemmas": False,
}


class AnalysedText(NamedTuple):
    """The tokens of a text: `words` in order, and where they and the sentences begin.

    `starts` (tokens, int32): the character at which each token begins; `sentences` (int32): the token with
    which each sentence begins.
    """

    words: list[str]
    starts: NDArray[np.int32]
    sentences: NDArray[np.int32]


class MarksWarning(UserWarning):
    """Warns that sentence marks, <s> and </s>, were left out of texts.

    >>> print(MarksWarning(2))
    2 marks of sentences, <s> and </s>, were left out of the texts: ends of sentences are known without them
    """

    def __init__(self, number: int) -> None:
        marks, were = noun_for(number, "mark"), noun_for(number, "was", "were")
        super().__init__(
            f"{number:,} {marks} of sentences, <s> and </s>, {were} left out of the texts: ends of sentences "
            "are known without them"
        )


class _Forms(dict[str, str]):
    """A cache of spellings' normal forms, each computed by `form` at its first look-up."""

    def __init__(self, form: Callable[[str], str]) -> None:
        super().__init__()
        self.form = form

    def __missing__(self, spelling: str) -> str:
        if len(self) >= _MOST_FORMS:
            self.clear()
        self[spelling] = result = self.form(spelling)
        return result


@dataclass(frozen=True)
class Analysis:
    """How text becomes tokens, and which tokens are eligible for a vocabulary.

    Every token is kept, in order; stop words and tokens shorter than `min_length` characters (but not words
    of scripts without spaces) are not *eligible* for a vocabulary. `language` is a code or an English name,
    or None. `stop_words` is "language" (the language's own list), "none", or the words themselves;
    `extra_stop_words` are added. Stop words go through the same normalisation, lower case and stemming as
    tokens. `token_pattern` is a pattern of the `regex` package; None matches words of letters, marks and
    digits with at least one letter, with apostrophes inside ("don't", "4th"; in French, Italian and Catalan
    an apostrophe ends a word). `segmentation`: how scripts without spaces are read, by "pattern", as all
    others; "characters", each letter with its marks a token; "icu", as words (needs the package icu4py); or
    "language": "characters" for Chinese, Japanese, Thai, Lao, Khmer and Burmese, "pattern" for others.
    `sentences`: where sentences end, at "punctuation" and empty lines, at the end of every "line", or with
    the "document". `sentence_marks`: `<s>` at the beginning of a line and `</s>` at its end, as KenLM and
    SRILM mark sentences, are either ordinary "text", or "dropped" and end a sentence. `possessives`: how 's
    in English is read, "joined" ("president's" is the word "president"; "it's" and other contractions stay)
    or "apart" (as a separate word). `phrases` are pairs of words that are read as one, "new york" as
    "new_york", in rounds: a later round may join words that an earlier one made ("new_york city").
    `Corpus.build(phrases=True)` finds them. `text_field` is the field of the files that texts were read from,
    and will be read from for scoring; `tags` likewise is the column of the tags of trees: "upos", "xpos", or
    None (UPOS, or XPOS of words whose UPOS is "_"). `upos` are the parts of speech whose words were read from
    CoNLL-U; empty: all words. `clean` "web" reads addresses, @names and tags of HTML as spaces, and codes
    such as &amp; as characters, before words are found. With `lemmas`, words are replaced by their dictionary
    form, by the package simplemma. With `letters` "unicode", lower case follows the language (Turkish and
    Azerbaijani have ı for I); joiners, soft hyphens and other invisible marks do not end a word, and most are
    dropped, as are the marks of tone in Armenian words; quotes in Hebrew acronyms and the dot of l·l belong
    to their words, and U+02BC is an apostrophe. "language" (fewer of these rules) and "plain" (none) are how
    earlier versions read texts.

    Raises UserError for a setting that cannot be used.

    >>> Analysis().analyse("The cat didn't purr.").words
    ['the', 'cat', "didn't", 'purr']
    """

    language: str | None = "en"
    normalization: str | None = "NFC"
    lowercase: bool = True
    stop_words: str | tuple[str, ...] = "language"
    extra_stop_words: tuple[str, ...] = ()
    stemming: bool = False
    token_pattern: str | None = None
    min_length: int = 2
    segmentation: str = "language"
    sentences: str = "punctuation"
    sentence_marks: str = "text"
    possessives: str = "joined"
    phrases: tuple[tuple[str, ...], ...] = ()
    text_field: str = "text"
    letters: str = "unicode"
    tags: str | None = None
    upos: tuple[str, ...] = ()
    clean: str | None = None
    lemmas: bool = False

    def __getstate__(self) -> JsonObject:
        """The settings only: values computed from them are not copied."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    def __post_init__(self) -> None:
        refuse_other_fields(self)
        if self.language is not None:
            object.__setattr__(self, "language", language_code(self.language))
        if self.normalization not in ("NFC", "NFKC", None):
            raise UserError(f"unknown normalization {self.normalization!r}", remedy="take NFC, NFKC or none")
        if isinstance(self.stop_words, str) and self.stop_words not in ("language", "none"):
            raise UserError(f"unknown stop words {self.stop_words!r}", remedy="take language, none or a list")
        if not isinstance(self.stop_words, str):
            object.__setattr__(self, "stop_words", tuple(self.stop_words))
        if self.stemming and self.language is None:
            raise UserError("stemming needs a language", remedy="give the language, or leave stemming off")
        if self.lemmas and (self.language is None or not has_lemmas(self.language)):
            problem = f"no lemmas are known for {self.language or 'no language'}"
            raise UserError(problem, remedy="give another language, or leave lemmas out")
        if self.lemmas and self.stemming:
            raise UserError("lemmas cannot go with stemming", remedy="leave one of the two out")
        if self.clean is not None and self.clean not in CLEANINGS:
            raise UserError(f"unknown cleaning {self.clean!r}", remedy="take web, or leave it out")
        object.__setattr__(self, "extra_stop_words", tuple(self.extra_stop_words))
        object.__setattr__(self, "upos", tuple(self.upos))
        if self.min_length < 1:
            raise UserError(f"the minimum length is {self.min_length}", remedy="it is at least 1")
        if self.segmentation not in SEGMENTATIONS:
            remedy = "take language, pattern, characters or icu"
            raise UserError(f"unknown segmentation {self.segmentation!r}", remedy=remedy)
        if self.sentences not in SENTENCES:
            remedy = "take punctuation, line or document"
            raise UserError(f"unknown ends of sentences {self.sentences!r}", remedy=remedy)
        if self.sentence_marks not in ("text", "dropped"):
            raise UserError(f"unknown sentence marks {self.sentence_marks!r}", remedy="take text or dropped")
        if self.possessives not in ("joined", "apart"):
            raise UserError(f"unknown possessives {self.possessives!r}", remedy="take joined or apart")
        if self.tags not in TAG_COLUMNS:
            raise UserError(f"unknown tags {self.tags!r}", remedy="take upos or xpos, or leave them out")
        if self.letters not in LETTER_RULES:
            raise UserError(f"unknown letters {self.letters!r}", remedy=f"take {', '.join(LETTER_RULES)}")
        if self.token_pattern is not None and self._segmentation == "characters":
            problem = "a token pattern cannot go with segmentation by 'characters'"
            raise UserError(problem, remedy="leave one of the two out")
        if self.token_pattern == "":
            raise UserError(
                "the token pattern is empty", remedy="leave it out, or give one that matches words"
            )
        object.__setattr__(self, "phrases", tuple(map(tuple, self.phrases)))
        if not all(pair.count(" ") == 1 and pair == pair.strip() for one in self.phrases for pair in one):
            raise UserError("a phrase is not two words", remedy='write each as "new york"')
        _ = self._compiled  # refuses an invalid pattern now

    @property
    def pattern(self) -> str:
        """The regular expression for tokens; with ICU, for runs of text that ICU then cuts into words."""
        if self.token_pattern is not None:
            return self.token_pattern
        return self._pattern_with(LETTER_RULES[self.letters])

    def _pattern_with(self, rule: LetterRule) -> str:
        """The regular expression for words with the marks and signs of a rule."""
        joins = self.joins_apostrophes
        if self._segmentation == "pattern":
            return "(?V1)" * rule.by_annex + _word_pattern(r"\p{L}", joins, rule)
        make = character_pattern if self._segmentation == "characters" else run_pattern
        return make(_word_pattern(OTHER_LETTER, joins, rule), rule.marks)

    @property
    def joins_apostrophes(self) -> bool:
        """Whether an apostrophe may stand within a word; not in French, Italian and Catalan."""
        return self.language not in _ELIDING

    @property
    def is_by_letters(self) -> bool:
        """Whether words are found by the default pattern for scripts with spaces, without phrases.

        Only then a `WordFinder` can be used.
        """
        return self.token_pattern is None and self._segmentation == "pattern" and not self.phrases

    def analyse(self, text: str) -> AnalysedText:
        """The tokens of a text: words, their positions and those of sentences.

        >>> Analysis().analyse("One. Two.").sentences.tolist()
        [0, 1]
        """
        return self.analyse_cleaned(self.cleaned(text), text)

    def analyse_cleaned(self, clean: CleanText, given: str) -> AnalysedText:
        """The tokens of a cleaned text, with their positions in `given`, the text before cleaning."""
        text, places = clean
        marks = self.marks_in(text)
        if marks:
            text = _SENTENCE_MARKS.sub(lambda mark: " " * len(mark[0]), text)
        spans = self._spans(text)
        forms = self._forms
        starts = np.array([start for start, _ in spans], np.int32)
        pattern = SENTENCES[self.sentences]
        ends = [] if pattern is None else [match.end() for match in pattern.finditer(text)]
        ends = sorted([*ends, *(end for _, end in marks)])
        words = [forms[text[start:end]] for start, end in spans]
        sentences = _sentence_starts(starts, ends)
        if places is not None:
            starts = places[starts].astype(np.int32)
        if not self.phrases:
            return AnalysedText(words, starts, sentences)
        words, joined = join_words(
            words, np.union1d(sentences, breaks_in(given, starts, self.letters)), self.rounds
        )
        return AnalysedText(words, starts[joined], np.searchsorted(joined, sentences).astype(np.int32))

    def words_of(self, text: str) -> list[str]:
        """The tokens of a text without their positions, as `analyse` finds them, in less time.

        >>> Analysis().words_of("One. Two.")
        ['one', 'two']
        """
        if self.phrases or self.marks_in(text):
            return self.analyse(text).words
        text, forms = self.cleaned(text).text, self._forms
        if self.token_pattern is None and self._segmentation != "icu":
            pattern = self._compiled_plain if text.isascii() else self._compiled
            return [forms[word] for word in pattern.findall(text)]
        return [forms[text[start:end]] for start, end in self._spans(text)]

    def cleaned(self, text: str) -> CleanText:
        """The text after cleaning, and where its characters were before; unchanged unless `clean` is set.

        >>> Analysis(clean="web").analyse("@ann: rock &amp; don&#39;t roll").words
        ['rock', "don't", 'roll']
        """
        return CleanText(text, None) if self.clean is None else cleaned(text)

    def spaced_sentences(self, text: str) -> list[list[str]] | None:
        """Return the words of each sentence, as `analyse` but faster; None if that is not possible.

        It is possible if everything between spaces is a word, punctuation does not end sentences, and no
        phrases are joined. The text must have no sentence marks to be dropped: this is not checked.

        >>> Analysis(token_pattern=SPACED, sentences="line").spaced_sentences("One cat.\\n\\nTwo")
        [['one', 'cat.'], ['two']]
        """
        if self.token_pattern != SPACED or self.sentences == "punctuation" or self.phrases:
            return None
        if any(separator in text for separator in _SEPARATORS):
            return None
        text = self.cleaned(text).text
        lines = text.replace("\r", "\n").split("\n") if self.sentences == "line" else [text]
        form = self._forms.__getitem__
        return [list(map(form, words)) for words in map(str.split, lines) if words]

    def marks_in(self, text: str) -> list[Span]:
        """The spans of sentence marks in a text, if the analysis drops them; otherwise an empty list.

        >>> Analysis(sentence_marks="dropped").analyse("<s> two cats </s>").words
        ['two', 'cats']
        """
        if self.sentence_marks == "text" or "s>" not in text:
            return []
        return [match.span() for match in _SENTENCE_MARKS.finditer(text)]

    def ends(self, text: str, starts: Sequence[int]) -> list[int]:
        """Return the (exclusive) character position at which each token ends; used to mark words in texts.

        starts: the positions at which tokens begin; one at which no token begins is returned unchanged.
        Without icu4py, words that ICU found end after their first character, so that a corpus analysed
        elsewhere can be learned from and shown.

        >>> Analysis().ends("two words", [0, 4])
        [3, 9]
        """
        if self.segmentation == "icu" and not has_icu():
            return dataclasses.replace(self, segmentation="characters", token_pattern=None).ends(text, starts)
        if self.phrases:
            return self._ends_of_phrases(text, starts)
        if self.clean is not None:
            clean, places = self.cleaned(text)
            if places is not None:
                plain = dataclasses.replace(self, clean=None)
                ends = plain.ends(clean, np.searchsorted(places, starts).tolist())
                return places[ends].tolist()
            text = clean
        if self.segmentation == "icu":
            found = dict(self._spans(text))
            return [found.get(start, start) for start in starts]
        matches = [self._compiled.match(text, start) for start in starts]
        return [match.end() if match else start for match, start in zip(matches, starts, strict=True)]

    def _ends_of_phrases(self, text: str, starts: Sequence[int]) -> list[int]:
        plain = dataclasses.replace(self, phrases=())
        ends = plain.ends(text, starts)
        tokens = plain.analyse(text)
        breaks = np.union1d(tokens.sentences, breaks_in(text, tokens.starts, self.letters))
        places = join_words(tokens.words, breaks, self.rounds)[1]
        last = np.append(places[1:], len(tokens.words)) - 1  # for each, the position of its last word
        long = last > places
        begin = tokens.starts[places[long]].tolist()
        end = plain.ends(text, tokens.starts[last[long]].tolist())
        joined = dict(zip(begin, end, strict=True))
        return [joined.get(start, known) for start, known in zip(starts, ends, strict=True)]

    @functools.cached_property
    def rounds(self) -> tuple[Round, ...]:
        """The phrases by round, each a mapping from a pair of words to the word that they become."""
        return rounds_of(self.phrases)

    def with_phrases(self, rounds: Sequence[Round]) -> "Analysis":
        """Return a copy of the analysis with other phrases. rounds: as in the attribute `rounds`.

        >>> Analysis().with_phrases([{("new", "york"): "new_york"}]).analyse("in New York").words
        ['in', 'new_york']
        """
        phrases = tuple(tuple(f"{first} {second}" for first, second in pairs) for pairs in rounds)
        return dataclasses.replace(self, phrases=phrases)

    def form(self, spelling: str) -> str:
        """The normal form of a token's spelling: lower case, stemmed and so on, as the settings say.

        >>> Analysis(stemming=True).form("Houses")
        'hous'
        """
        return self._forms[spelling]

    def eligible(self, words: Sequence[str]) -> "NDArray[np.bool_]":
        """Whether each word may be in a vocabulary: it is long enough, has a letter and is not a stop word.

        A word of a script without spaces is always long enough: most Chinese words have one or two
        characters. With a custom token pattern, words need no letter. Words of more than 100 characters are
        not eligible.

        >>> Analysis().eligible(["the", "cat", "x", "水"]).tolist()
        [False, True, False, True]
        """
        return np.array([rule is None for rule in self.rules_against(words)], np.bool_)

    def rules_against(self, words: Sequence[str]) -> list[str | None]:
        """For each word, the rule that keeps it out of a vocabulary, or None (see `rule_against`)."""
        stop, least, against = self._stop_set, self.min_length, self.rule_against
        return [
            None
            if word.isalpha() and word.isascii() and least <= len(word) <= LONGEST_WORD and word not in stop
            else against(word)
            for word in words
        ]

    def rule_against(self, word: str) -> str | None:
        """The rule (a key of `dropped_words.RULES`) that keeps a word out of a vocabulary; None: none does.

        >>> Analysis().rule_against("the"), Analysis().rule_against("cat")
        ('stop_words', None)
        """
        if word in self._stop_set:
            return "stop_words"
        if self.min_length <= len(word) <= LONGEST_WORD and word.isascii() and word.isalpha():
            return None
        if len(word) < self.min_length and not is_without_spaces(word):
            return "min_length"
        if len(word) > LONGEST_WORD:
            return "max_length"
        return "letters" if self.token_pattern is None and _LETTER.search(word) is None else None

    def resolved(self) -> "Analysis":
        """The same analysis with the language's stop words and segmentation spelled out, as corpora store it.

        >>> "the" in Analysis().resolved().stop_words
        True
        """
        return self._resolved

    def to_dict(self) -> JsonObject:
        """The settings as values for JSON, from which `from_dict` makes the analysis again.

        >>> Analysis.from_dict(Analysis().to_dict()) == Analysis()
        True
        """
        values = dataclasses.asdict(self)
        return {name: value for name, value in values.items() if name not in _PLAIN or value != _PLAIN[name]}

    @classmethod
    def from_dict(cls, values: JsonObject) -> "Analysis":
        """The analysis from the values that its `to_dict` returned. Raises ValueError for other values."""
        values = {**_PLAIN, **values}
        refuse_other_kinds(values, SETTINGS)
        known = {name: values[name] for name in cls.__dataclass_fields__}
        for name in ("stop_words", "extra_stop_words", "upos"):
            if not isinstance(known[name], str):
                known[name] = tuple(known[name])
        return cls(**known)

    @property
    def _segmentation(self) -> str:
        """The segmentation in use: "pattern", "characters" or "icu"."""
        if self.segmentation != "language":
            return self.segmentation
        without = self.language in WITHOUT_SPACES and self.token_pattern is None
        return "characters" if without else "pattern"

    def _spans(self, text: str) -> list[Span]:
        """The start and end of each token in a text."""
        pattern = self._compiled_plain if text.isascii() else self._compiled
        spans = [match.span() for match in pattern.finditer(text)]
        if self.token_pattern is not None:
            spans = [span for span in spans if span[0] < span[1]]
        return cut_runs(text, spans, self.language) if self.segmentation == "icu" else spans

    @functools.cached_property
    def _compiled(self) -> regex.Pattern[str]:
        """The compiled token pattern. Raises UserError if it is invalid."""
        try:
            return regex.compile(self.pattern)
        except (regex.error, RecursionError) as error:
            remedy = "it is a pattern of Python's regex package"
            raise UserError(
                f"the token pattern {self.pattern!r} is invalid: {error}", remedy=remedy
            ) from None

    @functools.cached_property
    def _compiled_plain(self) -> regex.Pattern[str]:
        """The compiled pattern for texts without invisible marks (ASCII), which is faster."""
        return (
            self._compiled
            if self.token_pattern is not None
            else regex.compile(self._pattern_with(LETTER_RULES["plain"]))
        )

    @functools.cached_property
    def _forms(self) -> _Forms:
        return _Forms(self.form_maker())

    @functools.cached_property
    def _resolved(self) -> "Analysis":
        """What `resolved` returns, computed once; this object itself, with its caches, if nothing changes."""
        changed = {"stop_words": self._stop_words(), "segmentation": self._segmentation}
        same = all(getattr(self, name) == value for name, value in changed.items())
        return self if same else dataclasses.replace(self, **changed)

    @functools.cached_property
    def _stop_set(self) -> frozenset[str]:
        form, listed = self.form_maker(), (*self._stop_words(), *self.extra_stop_words)
        found = {form(word) for word in listed}
        if self.letters != "plain":  # as a text contains it, for example "c" in the French "c'"
            spans = [(word, self._spans(word)) for word in listed]
            found |= {form(word[slice(*cut[0])]) for word, cut in spans if len(cut) == 1}
        return frozenset(found)

    def _stop_words(self) -> tuple[str, ...]:
        """The stop words as listed: without the extra ones, and not yet in their normal forms."""
        if self.stop_words == "language":
            return () if self.language is None else stop_words_of(self.language)
        return () if isinstance(self.stop_words, str) else self.stop_words

    def form_maker(self) -> Callable[[str], str]:
        """A function that computes the normal form of a spelling (`form`), without a cache."""
        stem = stemmer_of(self.language) if self.stemming and self.language else None
        lemma = lemmatizer_of(self.language) if self.lemmas and self.language else None
        normalization = cast(Literal["NFC", "NFKC"] | None, self.normalization)
        lowercase, bare = self.lowercase, self.language == "en" and self.possessives == "joined"
        rule, removed = LETTER_RULES[self.letters], marks_remover(self.letters)
        language = self.language if rule.by_language else None
        dotted = lowercase and has_dotted_i(language)
        straight = str.maketrans(dict.fromkeys(rule.apostrophes, "'"))

        def form(spelling: str) -> str:
            plain = spelling.isascii() and not dotted  # it has no other marks, and is normal
            if not plain:
                spelling = removed(spelling)
            if normalization and not plain:
                spelling = unicodedata.normalize(normalization, spelling.translate(straight))
            if lemma is not None:
                spelling = lemma(_without_possessive(spelling, rule.apostrophes) if bare else spelling)
            if lowercase:
                spelling = spelling.lower() if plain else lower_case(spelling, language)
            if bare:
                spelling = _without_possessive(spelling, rule.apostrophes)
            if stem is not None:
                spelling = stem(spelling)
            if not normalization or (plain and stem is None):
                return spelling
            return unicodedata.normalize(normalization, spelling)

        return form


@functools.cache
def default_analysis() -> Analysis:
    """`Analysis()`: always the same object, so that its caches are shared."""
    return Analysis()


def tokens_without_marks(tokens: Sequence[str]) -> Sequence[str]:
    """A document's tokens without the sentence marks at its ends, a leading "<s>" and a final "</s>".

    >>> tokens_without_marks(["<s>", "a", "cat", "</s>"])
    ['a', 'cat']
    """
    return tokens[tokens[:1] == [BEGIN_MARK] : len(tokens) - (tokens[-1:] == [END_MARK])]


def _without_possessive(word: str, apostrophes: str) -> str:
    """An English word without the 's of a possessive; contractions stay. apostrophes: which signs are one.

    >>> [_without_possessive(word, "'’") for word in ("president's", "it's", "boss")]
    ['president', "it's", 'boss']
    """
    if len(word) < 3 or word[-2] not in apostrophes or word[-1] not in "sS":
        return word
    return word if f"{word[:-2]}'s".lower() in english_contractions() else word[:-2]


def _word_pattern(letter: str, apostrophes: bool, rule: LetterRule) -> str:
    """Return a regular expression for words: letters, marks and digits, with at least one letter.

    letter: the pattern of one letter. With `apostrophes`, a word may have apostrophes inside. The marks of
    the rule belong to the letter before them, and by Annex 29 to the digit before them (rule WB4 of Unicode's
    Annex 29). A run of digits is tried once, so that no input takes quadratic time.
    """
    marks = rule.marks
    if rule.not_letters:
        letter = rf"[{letter}--[{rule.not_letters}]]"
    inside = rf"[{letter}\p{{M}}\p{{N}}{marks}]"
    quote = rf"[{rule.apostrophes}]"
    after = rf"{quote}[{marks}]*+[{letter}\p{{M}}\p{{N}}]{inside}*+" if marks else rf"{quote}{inside}++"
    if not rule.by_annex:
        word = rf"(?<!\p{{N}})\p{{N}}*+{letter}{inside}*+"
        return word + rf"(?:{after})*+" if apostrophes else word
    digits = rf"\p{{N}}(?<!\p{{N}}[\p{{M}}{marks}]*+\p{{N}})[\p{{M}}\p{{N}}{marks}]*+"
    joints = [
        rf"{sign}(?<={own}[\p{{M}}{marks}]*+{sign})[{marks}]*+{own}{inside}*+"
        for own, sign in ((rf"[[{HEBREW}]&&\p{{L}}]", r"[\"\u05f4]"), ("[lL]", MIDDLE_DOT))
    ]
    return rf"(?:{digits})?+{letter}{inside}*+(?:{'|'.join([after] * apostrophes + joints)})*+"


def _sentence_starts(starts: NDArray[np.int32], ends: list[int]) -> NDArray[np.int32]:
    """The index of the first token of each sentence that has tokens.

    starts, ends: the characters at which tokens begin and sentences end, ascending.
    """
    if not (len(starts) and ends):
        return np.zeros(min(1, len(starts)), np.int32)
    first = np.concatenate([[0], np.searchsorted(starts, ends)]).astype(np.int32)
    fresh = np.diff(first, prepend=-1) > 0
    return first[fresh & (first < len(starts))]
