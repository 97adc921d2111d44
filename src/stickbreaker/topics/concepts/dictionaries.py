"""Reads files of words that belong together: dictionaries, counts of aligned words, constraints, WordNet."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from stickbreaker.core.errors import UserError, naming, shown
from stickbreaker.corpus.readers.sources import listed_lines

CEDICT = re.compile(r"(\S+) (\S+) \[([^\]]*)\] ?/(.*)")
ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
SYNSET = re.compile(r"([0-9]{8})-([nvasr])")
SPACE = re.compile(r"[\s_]")
PARTICLE = re.compile(r"^(?:to|a|an|the) ", re.IGNORECASE)


class Entry(NamedTuple):
    """An entry of a dictionary: the number of its line, a word, its translation, and `times`, how often the
    two were counted together as aligned words (0 if not counted).
    """

    line: int
    word: str
    translation: str
    times: float = 0.0


@dataclass
class WordFile:
    """An open file of words that belong together: a dictionary or a list of constraints. Its lines can be
    read only once.

    `form` is its format: a key of `FORMATS` for a dictionary, or "constraints". `lines`: pairs of line number
    and text.
    """

    name: str
    form: str
    lines: Iterator[tuple[int, str]]

    @classmethod
    def open(cls, path: str | Path, form: str | None = None) -> "WordFile":
        """Open a file in a given format; None guesses it from the first line. Empty lines and comments are
        ignored.

        Raises UserError naming the file, both here and later when lines are read.
        """
        lines = ((n, line) for n, line in _lines(str(path)) if line.strip() and not line.startswith("#"))
        first = list(islice(lines, 1))
        form = form or (_guessed(first[0][1]) if first else "tsv")
        return cls(str(path), form, chain(first, lines))

    def entries(self, traditional: bool = False) -> Iterator[Entry]:
        """The entries of a dictionary, read line by line. For CC-CEDICT, words are in simplified characters
        unless `traditional`.

        Raises UserError with file and line if an entry is invalid, and for a file of constraints.
        """
        if self.form not in FORMATS:
            raise UserError(
                "has MERGE_ lines and is not a dictionary", where=self.name, remedy="give another file"
            )
        for number, line in self.lines:
            with naming(self.name, number):
                entries = list(FORMATS[self.form](line.rstrip("\r\n"), traditional))
            yield from (entry._replace(line=number) for entry in entries)

    def constraints(self) -> Iterator[tuple[int, list[str]]]:
        """The lists of words that must stay together, from the MERGE_ lines of a file in MALLET's format:
        (line number, words).

        Raises UserError with file and line for other lines. SPLIT_ is refused since concepts can only join
        words: see docs/explanation/concepts-equations.md.
        """
        for number, line in self.lines:
            kind, *words = line.split("\t") if "\t" in line else line.split()
            found = list(dict.fromkeys(word.strip() for word in words if word.strip()))
            with naming(self.name, number):
                if kind.strip() == "SPLIT_":
                    problem = "SPLIT_ separates words, but concepts join them"
                    raise UserError(problem, remedy="remove the line")
                if kind.strip() != "MERGE_" or len(found) < 2:
                    remedy = "write MERGE_, a tab, words"
                    raise UserError(f"{shown(line.strip())} is not a constraint", remedy=remedy)
            yield number, found


def dictionary_entries(
    path: str | Path, form: str | None = None, traditional: bool = False
) -> Iterator[Entry]:
    """Open the dictionary at a path and read its entries. For `form`, the file's format, see `WordFile.open`;
    for `traditional`, `WordFile.entries`.
    """
    return WordFile.open(path, form).entries(traditional)


def _guessed(line: str) -> str:
    """The format of a file of words, guessed from its first line: "constraints", "cedict", "counts" or
    "tsv".
    """
    if line.split()[0] in ("MERGE_", "SPLIT_"):
        return "constraints"
    fields = line.rstrip("\r\n").split("\t")
    if CEDICT.match(line) or (len(fields) == 4 and "[" not in fields[0]):
        return "cedict"
    return "counts" if len(fields) == 3 else "tsv"


def _pair(line: str, traditional: bool) -> Iterator[Entry]:
    fields = line.split("\t")
    if len(fields) != 2 or not all(field.strip() for field in fields):
        raise UserError(f"{shown(line)} is not a pair of words", remedy="write a word, a tab, a translation")
    yield Entry(0, fields[0].strip(), fields[1].strip())


def _counted(line: str, traditional: bool) -> Iterator[Entry]:
    fields = line.split("\t")
    remedy = "write a word, a tab, a translation, a tab, their count"
    try:
        word, translation, times = (field.strip() for field in fields)
        count = float(times)
    except ValueError:
        raise UserError(f"{shown(line)} is not a pair with its count", remedy=remedy) from None
    if not word or not translation or not 0.0 <= count < float("inf"):
        raise UserError(f"{shown(line)} is not a pair with its count", remedy=remedy)
    yield Entry(0, word, translation, count)


def _cedict(line: str, traditional: bool) -> Iterator[Entry]:
    """The entries of a line of CC-CEDICT: its Chinese word with each of its English senses.

    Remarks in brackets and a leading "to" or article are removed from senses. The word is in simplified
    characters unless `traditional`. A line of four fields separated by tabs is accepted too. Raises UserError
    for another line.
    """
    fields = line.split("\t")
    if len(fields) != 4:
        found = CEDICT.match(line)
        if found is None:
            remedy = "write: traditional simplified [pinyin] /sense/sense/"
            raise UserError(f"{shown(line)} is not an entry of CC-CEDICT", remedy=remedy)
        fields = list(found.groups())
    word = fields[0 if traditional else 1].strip()
    for sense in fields[3].strip().strip("/").split("/"):
        for part in ASIDE.sub(" ", sense).split(";"):
            english = PARTICLE.sub("", " ".join(part.split()))
            if word and english:
                yield Entry(0, word, english)


FORMATS: dict[str, Callable[[str, bool], Iterator[Entry]]] = {
    "tsv": _pair,
    "counts": _counted,
    "cedict": _cedict,
}


class Synset(NamedTuple):
    """A synset of WordNet (a set of synonyms): its key, such as "noun.00001740", its words by language ("" if
    there is only one), and as `parent` the key of its first hypernym (a more general synset), or None.
    """

    key: str
    words: Mapping[str, tuple[str, ...]]
    parent: str | None


def synsets_of(
    folder: str | Path, language: str | None = "", others: Mapping[str, str | Path] | None = None
) -> Iterator[Synset]:
    """The synsets in the database files of WordNet (data.noun, data.verb, …; see wndb(5WN)).

    `language`: that of the database's words; None leaves its words out. `others`: by language, a file with
    the words of the same synsets, in the format of the Open Multilingual Wordnet. Phrases are left out.
    Raises UserError if there is no such file, a line is malformed, or most synsets of a file of `others` are
    not in the database.
    """
    files = [
        path for kind in ("noun", "verb", "adj", "adv") if (path := Path(folder) / f"data.{kind}").exists()
    ]
    if not files:
        raise UserError("has no data.noun", where=folder, remedy="give the directory dict/ of WordNet")
    translated = {code: _synset_words(str(path)) for code, path in (others or {}).items()}
    unmet = {code: set(words) for code, words in translated.items()}
    for path in files:
        part = path.suffix.removeprefix(".")
        for number, line in _lines(str(path)):
            if line.startswith("  ") or not line.strip():
                continue  # the licence
            try:
                key, own, parent = _synset(part, line.partition("|")[0].split())
            except (ValueError, IndexError, KeyError):
                remedy = "give files in WordNet's format: offset, file, kind, words, pointers"
                raise UserError("malformed line", where=str(path), line=number, remedy=remedy) from None
            words = {} if language is None else {language: own}
            for code, found in translated.items():
                unmet[code].discard(key)
                words[code] = found.get(key, ())
            yield Synset(key, words, parent)
    for code, keys in unmet.items():
        n_keys = len(translated[code])
        if 2 * len(keys) > n_keys:
            problem = f"{len(keys):,} of its {n_keys:,} synsets are not in {folder}"
            remedy = "give the database that its numbers are of, mostly WordNet 3.0"
            raise UserError(problem, where=str((others or {})[code]), remedy=remedy)


def _synset_words(path: str) -> dict[str, tuple[str, ...]]:
    """Read the words of synsets, by key, from a file of the Open Multilingual Wordnet, which has words of
    WordNet's synsets in another language.

    A line has a synset such as 00001740-n, "lemma" (also with a language before it) and a word, separated by
    tabs. Other lines (definitions, examples) are skipped, and so are phrases. Raises UserError if no line has
    a word.
    """
    words: dict[str, dict[str, None]] = {}
    for _, line in _lines(path):
        fields = [field.strip() for field in line.split("\t")]
        found = SYNSET.fullmatch(fields[0])
        if found is None or len(fields) < 3 or fields[1].rpartition(":")[2] != "lemma":
            continue
        offset, part = found.groups()
        own = words.setdefault(f"{_PARTS[part]}.{offset}", {})
        if fields[2] and not SPACE.search(fields[2]):
            own[fields[2]] = None
    if not words:
        remedy = "a line is 00001740-n, a tab, fra:lemma, a tab, a word, as in the Open Multilingual Wordnet"
        raise UserError("has no words of synsets", where=path, remedy=remedy)
    return {key: tuple(own) for key, own in words.items()}


def _synset(part: str, fields: list[str]) -> tuple[str, tuple[str, ...], str | None]:
    """The key, words and first hypernym (a key, or None) of a synset, from the fields of its line in a
    WordNet database; phrases are left out.

    The fields are: offset, file, kind, number of words (hexadecimal); for each word, the word and an id;
    number of pointers; for each pointer, its symbol, offset, part of speech and words. part: the synset's
    part of speech, such as "noun". Raises ValueError, IndexError or KeyError for a malformed line.
    """
    if not fields[0].isdigit():
        raise ValueError
    n_words = int(fields[3], 16)
    words = [fields[4 + 2 * i].partition("(")[0].lower() for i in range(n_words)]
    after = 4 + 2 * n_words
    parent = None
    for i in range(int(fields[after])):
        symbol, offset, kind, _ = fields[after + 1 + 4 * i : after + 5 + 4 * i]
        if symbol in ("@", "@i") and parent is None:
            parent = f"{_PARTS[kind]}.{offset}"
    single = tuple(dict.fromkeys(word for word in words if word and "_" not in word))
    return f"{part}.{fields[0]}", single, parent


_PARTS = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}


def _lines(path: str) -> Iterator[tuple[int, str]]:
    return listed_lines(path, "give a file of words", skippable=False)
