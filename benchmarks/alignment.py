"""Word alignment, German to English: time to learn and quality of links, compared with Thot's.

`make bench WHAT=alignment` aligns help texts of LibreOffice, texts of Battle for Wesnoth and captions of
Multi30k, on which the settings of both programs were chosen (some seventy of ours and six of Thot's were
tried). There is no gold alignment. Words in question are German words that occur once in a sentence whose
translation has exactly one of their English words in the Ding dictionary. found: the share of them that is
linked to that word; right: the share of their links that go there; F: the harmonic mean. Thot (pip install
sil-thot): its hidden Markov model in both directions, grow-diag-final-and. CPU seconds of both directions.
The table is printed row by row and kept in bench-results/.
"""

import argparse
import gzip
import importlib
import re
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from benchmarks.harness import Report, Row, options, run
from reproduce.texts import DATA, DICTIONARIES, bitext_rows

from stickbreaker.translation.alignment.aligned_words import as_lists, sentences_of
from stickbreaker.translation.alignment.word_aligner import WordAligner

TEXTS = ("libreoffice", "wesnoth", "multi30k")
WORD = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
THOT = {
    "variational_bayes": True,
    "hmm_p0": 0.6,
    "hmm_alignment_smoothing_factor": 0.2,
}  # the best on Multi30k
THOT_STEPS = 5, 5  # of model 1, of the hidden Markov model
COLUMNS = (
    "text", "program", "pairs", "German words", "CPU s to learn", "wall s to learn", "CPU s to align",
    "words in question", "found", "right", "F", "links/word",
)  # fmt: skip

Tokens = list[list[str]]
PairLinks = Sequence[Sequence[tuple[int, int]]]


class Question(NamedTuple):
    """A German word and the English one it is to be linked to."""

    pair: int
    german: int
    english: int


class Aligned(NamedTuple):
    """The links of a program and its times in seconds."""

    links: PairLinks
    learning_cpu: float  # seconds
    learning_wall: float
    aligning_cpu: float


def measure(report: Report, args: argparse.Namespace) -> None:
    if not report.has(*args.texts, "dictionary of de"):
        return
    report.section("German to English", (__doc__ or "").split("\n\n")[1].replace("\n", " "), COLUMNS)
    dictionary = read_dictionary()
    align_with_ours(*[[["ein", "Wort"]]] * 2)  # compiles
    for name in args.texts:
        german, english = read_text(name)
        asked = questions(german, english, dictionary)
        for program, align in (("ours", align_with_ours), ("Thot, HMM", align_with_thot)):
            row: Row = {"text": name, "program": program, "pairs": len(german)}
            report.row({**row, **figures(align, german, english, asked)})


def parser() -> argparse.ArgumentParser:
    found = options(__doc__)
    found.add_argument("--texts", nargs="+", choices=TEXTS, default=list(TEXTS), help="default: all")
    return found


def read_text(name: str) -> tuple[Tokens, Tokens]:
    """German and English sentences: lower case, runs of letters, runs of digits, other characters."""
    rows = list(bitext_rows(name))
    german, english = ([WORD.findall(row[language].lower()) for row in rows] for language in ("de", "en"))
    return german, english


def read_dictionary() -> dict[str, set[str]]:
    """English words by German word."""
    words: defaultdict[str, set[str]] = defaultdict(set)
    for line in gzip.decompress((DATA / DICTIONARIES["de"]).read_bytes()).decode().splitlines():
        german, english = line.split("\t")[:2]
        if " " not in german + english:
            words[german].add(english)
    return words


def questions(german: Tokens, english: Tokens, dictionary: dict[str, set[str]]) -> list[Question]:
    """The words in question, see above."""
    found: list[Question] = []
    for pair, (source, target) in enumerate(zip(german, english, strict=True)):
        for i, word in enumerate(source):
            if word in dictionary and source.count(word) == 1:
                places = [j for j, other in enumerate(target) if other in dictionary[word]]
                if len(places) == 1:
                    found.append(Question(pair, i, places[0]))
    return found


def figures(
    align: Callable[[Tokens, Tokens], Aligned | None], german: Tokens, english: Tokens, asked: list[Question]
) -> Row:
    """The figures of a program, as a row."""
    aligned = align(german, english)
    if aligned is None:
        return {"German words": "not installed (pip install sil-thot)"}
    n_words = sum(map(len, german))
    return {
        "German words": n_words,
        "CPU s to learn": aligned.learning_cpu,
        "wall s to learn": aligned.learning_wall,
        "CPU s to align": aligned.aligning_cpu,
        "words in question": len(asked),
        **quality(aligned.links, asked),
        "links/word": sum(map(len, aligned.links)) / n_words,
    }


def quality(links: PairLinks, asked: list[Question]) -> Row:
    """Shares of words that are linked to the right one, and of their links that go there."""
    hits, n_links = 0, 0
    for question in asked:
        places = [j for i, j in links[question.pair] if i == question.german]
        hits += question.english in places
        n_links += len(places)
    found, right = hits / max(len(asked), 1), hits / max(n_links, 1)
    return {
        "found": f"{found:.4f}",
        "right": f"{right:.4f}",
        "F": f"{2 * hits / (len(asked) + n_links):.4f}" if asked else "",
    }


def align_with_ours(german: Tokens, english: Tokens) -> Aligned:
    """WordAligner with its default settings, two threads."""
    (source, n_source), (target, n_target) = numbered(german), numbered(english)
    sides = sentences_of(source), sentences_of(target)
    cpu, wall = time.process_time(), time.perf_counter()
    aligner = WordAligner.learn(*sides, (n_source, n_target), threads=2)
    cpu_learned, wall_learned = time.process_time(), time.perf_counter()
    links = aligner.align(*sides, threads=2)
    return Aligned(as_lists(links), cpu_learned - cpu, wall_learned - wall, time.process_time() - cpu_learned)


def numbered(sentences: Tokens) -> tuple[list[list[int]], int]:
    """Words by number, and how many there are."""
    numbers: dict[str, int] = {}
    return [[numbers.setdefault(word, len(numbers)) for word in words] for words in sentences], len(numbers)


def align_with_thot(german: Tokens, english: Tokens) -> Aligned | None:
    """Thot's hidden Markov models, symmetrised; None if it is not installed."""
    try:
        thot: Any = importlib.import_module("thot.alignment")
    except ImportError:
        return None
    cpu, wall = time.process_time(), time.perf_counter()
    models = [thot_model(thot, *sides) for sides in ((german, english), (english, german))]
    cpu_learned, wall_learned = time.process_time(), time.perf_counter()
    both = thot.SymmetrizedAligner(*models)
    both.heuristic = thot.SymmetrizationHeuristic.GROW_DIAG_FINAL_AND
    links: list[list[tuple[int, int]]] = []
    for source, target in zip(german, english, strict=True):
        matrix = both.get_best_alignment(source, target)[1].to_numpy()
        links.append(list(zip(*(places.tolist() for places in matrix.nonzero()), strict=True)))
    return Aligned(links, cpu_learned - cpu, wall_learned - wall, time.process_time() - cpu_learned)


def thot_model(thot: Any, source: Tokens, target: Tokens) -> Any:
    """A hidden Markov model of one direction, learned from model 1's translations."""
    plain = thot.Ibm1AlignmentModel()
    plain.variational_bayes = THOT["variational_bayes"]
    for words, others in zip(source, target, strict=True):
        plain.add_sentence_pair(words, others, 1)
    train(plain, THOT_STEPS[0])
    ordered = thot.HmmAlignmentModel(plain)
    for name, value in THOT.items():
        setattr(ordered, name, value)
    train(ordered, THOT_STEPS[1])
    return ordered


def train(model: Any, steps: int) -> None:
    """Some steps of EM."""
    model.start_training()
    for _ in range(steps):
        model.train()
    model.end_training()


if __name__ == "__main__":
    run("alignment", "Word alignment", parser(), measure)
