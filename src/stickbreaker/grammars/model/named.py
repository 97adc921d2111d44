"""The named grammars, built over the symbols of a text."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from stickbreaker.core.errors import UserError
from stickbreaker.grammars.model.grammar import Adaptation, Grammar, Rule, Symbol, Terminal

VOWELS = frozenset("aeiouyæøœəıαεηιουωаеиоуыэюяієїё")  # letters, without diacritics
TOPICS = 5
WORD = "Word"  # the symbol whose pieces are words
ALPHA = 0.1  # initial prior weight of each topic in a document


def unigram(terminals: Sequence[str]) -> Grammar:
    """The grammar "unigram": a sentence is a sequence of words, which are remembered.

    Zhai et al. 2014, table 1. terminals: the symbols of the text.
    """
    rules = [("Sentence", "Words"), *_several("Words", "Word"), ("Word", "Chars")]
    return _grammar([*rules, *_several("Chars", "Char")], ["Word"], {"Char": terminals})


def collocation(terminals: Sequence[str]) -> Grammar:
    """The grammar "collocation": words, and collocations of words, are remembered.

    Zhai et al. 2014, table 1; Johnson & Goldwater 2009. Its rule WORD -> CHARS is that of the paper; the
    thesis prints WORD -> WORD. terminals: the symbols of the text.
    """
    rules = [("Sentence", "Collocs"), *_several("Collocs", "Colloc"), ("Colloc", "Words")]
    rules += [*_several("Words", "Word"), ("Word", "Chars"), *_several("Chars", "Char")]
    return _grammar(rules, ["Colloc", "Word"], {"Char": terminals})


def collocation_syllable(terminals: Sequence[str], vowels: str | None = None) -> Grammar:
    """The grammar "collocation-syllable": collocations of words of one to four syllables.

    Beginnings, nuclei and ends of syllables are remembered too (Johnson & Goldwater 2009). `vowels`: the
    symbols of a syllable's nucleus; None: the vowels among letters. Raises UserError if the text has no
    vowels or no consonants.
    """
    given = None if vowels is None else set(vowels.split() if " " in vowels.strip() else vowels)
    kernels = [one for one in terminals if (one in given if given is not None else _is_vowel(one))]
    others = [one for one in terminals if one not in kernels]
    if not kernels or not others:
        what = "vowels" if not kernels else "consonants"
        raise UserError(f"the text has no {what}", remedy="list the vowels with --vowels")
    rules = [("Sentence", "Collocs"), *_several("Collocs", "Colloc"), ("Colloc", "Words")]
    rules += _several("Words", "Word")
    rules += [("Word", "SyllableIF"), ("Word", "SyllableI SyllableF")]
    rules += [("Word", "SyllableI Syllable SyllableF"), ("Word", "SyllableI Syllable Syllable SyllableF")]
    for name, onset, rhyme in (
        ("SyllableIF", "OnsetI", "RhymeF"),
        ("SyllableI", "OnsetI", "Rhyme"),
        ("SyllableF", "Onset", "RhymeF"),
        ("Syllable", "Onset", "Rhyme"),
    ):
        rules += [(name, f"{onset} {rhyme}"), (name, rhyme)]
    for name, coda in (("RhymeF", "CodaF"), ("Rhyme", "Coda")):
        rules += [(name, f"Nucleus {coda}"), (name, "Nucleus")]
    edges = ["OnsetI", "Onset", "Coda", "CodaF"]
    rules += [(name, "Consonants") for name in edges] + [("Nucleus", "Vowels")]
    rules += [*_several("Consonants", "Consonant"), *_several("Vowels", "Vowel")]
    adapted = ["Colloc", "Word", "Nucleus", *edges]
    return _grammar(rules, adapted, {"Consonant": others, "Vowel": kernels})


def morphology(terminals: Sequence[str]) -> Grammar:
    """The grammar "morphology": a line is a word, made of a stem and perhaps a suffix; all are remembered.

    Johnson et al. 2007.
    """
    rules = [("Word", "Stem Suffix"), ("Word", "Stem"), ("Stem", "Chars"), ("Suffix", "Chars")]
    return _grammar([*rules, *_several("Chars", "Char")], ["Word", "Stem", "Suffix"], {"Char": terminals})


def topic(terminals: Sequence[str], n_topics: int = TOPICS) -> Grammar:
    """The grammar "topic": a sentence is a word's spelling, and each document has its own topic shares.

    The symbol Word, below all topics, remembers words too, so that topics share spellings. terminals: the
    characters of the text.
    """
    topics = [f"Topic{number}" for number in range(1, n_topics + 1)]
    rules = [Rule("Doc", (name,), ALPHA) for name in topics]
    rules += _rules(_words_of_topics(topics), {"Char": terminals})
    return Grammar(tuple(rules), {name: Adaptation() for name in [*topics, "Word"]}, by_document="Doc")


def marked_topic(terminals: Sequence[str], marks: Sequence[str], n_topics: int = TOPICS) -> Grammar:
    """The grammar "topic" for inference that does not know documents: a word follows its document's mark.

    Each document has a symbol of its own, which leads to its mark and a topic (Zhai et al. 2014, table 1).
    marks: a terminal for each document.
    """
    topics = [f"Topic{number}" for number in range(1, n_topics + 1)]
    rules = [("Sentence", f"Doc{number}") for number in range(1, len(marks) + 1)]
    found = _rules([*rules, *_words_of_topics(topics)], {"Char": terminals})
    for number, mark in enumerate(marks, 1):
        found += [Rule(f"Doc{number}", (Terminal(mark), name)) for name in topics]
    return Grammar(tuple(found), {name: Adaptation() for name in [*topics, "Word"]})


def _words_of_topics(topics: Sequence[str]) -> list[tuple[str, str]]:
    """The rules (parent, children) of a topic grammar: topics lead to words, words to characters."""
    return [*((name, "Word") for name in topics), ("Word", "Chars"), *_several("Chars", "Char")]


def with_words(grammar: Grammar, words: Mapping[tuple[str, ...], float]) -> Grammar:
    """Add words that are known in advance to a grammar, as rules of its symbol Word.

    words: {tuple of symbols: count}; the count is the rule's prior weight, and is added to the weight if the
    grammar has the rule already. Raises UserError if the grammar has no symbol Word, and for a count out of
    the range of weights.
    """
    if WORD not in grammar.symbols:
        remedy = "leave out known words, or write them as rules of a symbol that it has"
        raise UserError(f"known words are rules of {WORD}, which the grammar does not have", remedy=remedy)
    new: dict[tuple[Symbol, ...], float] = {tuple(map(Terminal, word)): n for word, n in words.items()}
    rules: list[Rule] = []
    for rule in grammar.rules:
        more = new.pop(rule.children, 0.0) if rule.parent == WORD and _of_text(rule) else 0.0
        rules.append(replace(rule, weight=rule.weight + more))
    rules += [Rule(WORD, children, count) for children, count in new.items()]
    return replace(grammar, rules=tuple(rules))


def _of_text(rule: Rule) -> bool:
    return all(isinstance(child, Terminal) for child in rule.children)


BY_NAME: dict[str, Callable[..., Grammar]] = {
    "unigram": unigram,
    "collocation": collocation,
    "collocation-syllable": collocation_syllable,
    "morphology": morphology,
    "topic": topic,
}


def mark_of(document: int) -> str:
    """The terminal that marks a document's words in the grammar "topic"; no character can equal it.

    >>> mark_of(0)
    '_1'
    """
    return f"_{document + 1}"


def _several(parent: str, child: str) -> list[tuple[str, str]]:
    """The two rules (parent, children) by which `parent` derives one or more of `child`."""
    return [(parent, child), (parent, f"{child} {parent}")]


def _rules(rules: Sequence[tuple[str, str]], ends: dict[str, Sequence[str]]) -> list[Rule]:
    found = [Rule(parent, tuple(children.split())) for parent, children in rules]
    return found + [Rule(parent, (Terminal(one),)) for parent, terminals in ends.items() for one in terminals]


def _grammar(rules: Sequence[tuple[str, str]], adapted: list[str], ends: dict[str, Sequence[str]]) -> Grammar:
    return Grammar(tuple(_rules(rules, ends)), {name: Adaptation() for name in adapted})


def _is_vowel(symbol: str) -> bool:
    return unicodedata.normalize("NFD", symbol)[:1].lower() in VOWELS
