"""Export of one sample of a language model in the ARPA format, which SRILM, KenLM and others read."""

import gzip
import io
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, TextIO, cast

import numpy as np

from stickbreaker.core.errors import UserError, shown
from stickbreaker.core.files import atomic_file
from stickbreaker.core.records import Array
from stickbreaker.ngrams.kernels.pitman_yor import CUSTOMERS, TABLES
from stickbreaker.ngrams.model.contexts import Contexts, Integers, context_words
from stickbreaker.ngrams.model.language_model import LanguageModel
from stickbreaker.ngrams.word_numbers import END, UNKNOWN, Base

BEGINNING = "<s>"
NEVER = -99.0  # log10 p of what never occurs, by the convention of the format


def write_arpa(
    model: LanguageModel, base: Base, out: Path, sample: int = -1, *, overwrite: bool = False
) -> dict[int, int]:
    """Write one sample (from 0; -1: the last) as an ARPA file; returns the number of n-grams by order.

    The file is exact: a sample predicts p(w | u) = p + bow(u) p(w | shorter context), with the backoff weight
    bow(u) = (b + a T) / (C + b) (Teh 2006, equation 7). The mean over samples has no such form. If the model
    scores unknown words by their letters, `<unk>` gets the total probability of all of them. base: the words
    and their G0. Raises UserError for a model of unbounded order, whose predictions are mixtures over orders,
    for words that the format cannot represent, for a sample that does not exist, and if `out` exists (unless
    `overwrite`).
    """
    if model.ends is not None:
        problem = "an unbounded model mixes orders, which the ARPA format cannot represent"
        raise UserError(problem, remedy="learn one with --order 3")
    if not -len(model.samples) <= sample < len(model.samples):
        remedy = f"the model has {len(model.samples)}, counted from 0"
        raise UserError(f"there is no sample {sample}", remedy=remedy)
    names, spelled = base.numbers.names, base.numbers.spelled
    _refuse_words(names, spelled=spelled)
    levels = _levels(model, np.exp(base.log_p), sample)
    unseen = max(1.0 - float(levels[0].p.sum()), 1e-99)
    packed = out.suffix.lower() == ".gz"
    with atomic_file(out, overwrite=overwrite) as partial, _writer(partial, packed=packed) as file:
        counts = {level: len(found.p) for level, found in enumerate(levels, 1)}
        counts[1] += 1 + spelled
        file.write("\n\\data\\\n")
        file.writelines(f"ngram {order}={count}\n" for order, count in counts.items())
        for order, level in enumerate(levels, 1):
            file.write(f"\n\\{order}-grams:\n")
            last = order == len(levels)
            if order == 1:
                _line(file, NEVER, BEGINNING, None if last else _log10(level.begins))
                if spelled:
                    _line(file, float(np.log10(unseen)), UNKNOWN, None)
            for words, p, left in level.lines(model.end):
                spelling = [names[word] for word in words]
                if words[0] == model.end and order > 1:
                    spelling[0] = BEGINNING
                _line(file, float(np.log10(p)), " ".join(spelling), None if last else _log10(left))
        file.write("\n\\end\\\n")
    return counts


@contextmanager
def _writer(path: Path, *, packed: bool) -> Generator[TextIO]:
    """A context in which a text file is written, by gzip if `packed`; equal texts give equal bytes."""
    with path.open("wb") as file:
        raw = gzip.GzipFile("", "wb", fileobj=file, mtime=0) if packed else file
        text = io.TextIOWrapper(cast(BinaryIO, raw), "utf-8", newline="\n")
        yield text
        text.flush()
        if packed:
            raw.close()


class _Level(NamedTuple):
    """The n-grams of one order, with their probabilities and backoff weights."""

    words: Integers  # n-grams × words, in the order of the text
    p: Array  # of the last word given the others
    left: Array  # backoff weight of the n-gram as a context
    begins: float  # backoff weight of the beginning of a sentence

    def lines(self, end: int) -> Iterator[tuple[list[int], float, float]]:
        """Yield the word numbers, p, and backoff weight of each n-gram; the weight is 1 if the n-gram ends
        with the end-of-sentence mark `end`."""
        left = np.where(self.words[:, -1] == end, 1.0, self.left)
        yield from zip(self.words.tolist(), self.p.tolist(), left.tolist(), strict=True)


def _levels(model: LanguageModel, base: Array, number: int) -> list[_Level]:
    """The n-grams of sample `number` of a model, one level for each order from 1 on.

    They are all words, and the longer n-grams that have customers in the sample. base (words): G0.
    """
    contexts, sample = model.contexts, model.samples[number]
    a, b = model.discounts[number], model.concentrations[number]
    depths, restaurants = contexts.depths, contexts.restaurants
    customers, tables = (sample.totals[:, column].astype(np.float64) for column in (CUSTOMERS, TABLES))
    left = np.where(customers > 0, (b[depths] + a[depths] * tables) / (customers + b[depths]), 1.0)
    symbols = context_words(contexts)
    p = np.empty(len(restaurants))
    levels: list[_Level] = []
    for depth in range(int(depths.max()) + 1):
        slots = np.flatnonzero((depths[restaurants] == depth) & (sample.seats[:, CUSTOMERS] > 0))
        slots = np.arange(contexts.n_words) if depth == 0 else slots
        at = restaurants[slots]
        seated = sample.seats[slots, CUSTOMERS] - a[depth] * sample.seats[slots, TABLES]
        shorter = base[slots] if depth == 0 else p[contexts.parents[slots]]
        share = np.where(customers[at] > 0, seated / (customers[at] + b[depth]), 0.0)
        p[slots] = share + left[at] * shorter
        words = np.column_stack([symbols[at, :depth][:, ::-1], contexts.slot_keys[slots] % contexts.n_words])
        longer = _contexts_of(contexts, words)
        backs_off = np.where(longer >= 0, left[longer], 1.0)
        begins = contexts.find_restaurants(np.zeros(1, np.int64), np.array([model.end]))[0]
        levels.append(_Level(words, p[slots], backs_off, float(left[begins]) if begins >= 0 else 1.0))
    return levels


def _contexts_of(contexts: Contexts, words: Integers) -> Integers:
    """The restaurant number of each context (contexts × words, in the order of the text); -1 if the model
    lacks it."""
    at = np.zeros(len(words), np.int64)
    for column in words.T[::-1]:
        at = contexts.find_restaurants(at, column)
    return at


def _refuse_words(names: tuple[str, ...], *, spelled: bool) -> None:
    """Raise UserError for words that readers of the format would misread: with spaces, or equal to marks.

    names: the words, then the end mark, which is not checked; spelled: whether the file gets an additional
    `<unk>`, so that no word may have this name.
    """
    marks = (BEGINNING, END, "<UNK>", UNKNOWN) if spelled else (BEGINNING, END, "<UNK>")  # KenLM's <unk>
    for word in names[:-1]:
        if word in marks or word.split() != [word]:
            problem = f"the ARPA format cannot hold the word {shown(word)}"
            raise UserError(problem, remedy="learn from a text without it")


def _log10(share: float) -> float:
    return float(np.log10(share))


def _line(file: TextIO, log10_p: float, words: str, log10_left: float | None) -> None:
    """Write an n-gram as a line of the ARPA format.

    log10_left: log10 of the backoff weight, which is left out if the weight is 1 or this is None.
    """
    back = "" if log10_left is None or log10_left == 0.0 else f"\t{log10_left:.12g}"
    file.write(f"{log10_p:.12g}\t{words}{back}\n")
