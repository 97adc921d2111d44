"""The bitexts of the translation study: sets of sentence pairs as domains, split by documents and aligned."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from reproduce.texts import BITEXTS, bitext_rows, outside_rows

from stickbreaker.core.random_streams import share_of
from stickbreaker.translation.alignment.aligned_words import Links
from stickbreaker.translation.alignment.word_aligner import WordAligner
from stickbreaker.translation.bitext import Bitext, BitextFields, Pair

TARGET = "en"
TEST = 0.1  # of the documents
TEST_SEED = 1  # another than that of the documents by which lexicons choose their strengths
LINES = 20  # of a document, in sets that name none


class Material(NamedTuple):
    """Bitexts with the links of their words; those of the tests are by the aligner of the first."""

    train: Bitext
    links: Links
    test: Bitext
    test_links: Links
    outside: Bitext  # from places that the others are not from
    outside_links: Links


def pairs_of(source: str) -> Iterator[Pair]:
    """All pairs from a language into English; a document is called "set:name", its domain is the set."""
    for name, (_, languages) in BITEXTS.items():
        if source not in languages:
            continue
        number = 0
        for row in bitext_rows(name):
            if row.get(source) and row.get(TARGET):
                document = row.get("doc") or f"lines {number // LINES}"
                number += 1
                yield Pair(row[source], row[TARGET], f"{name}:{document}", name)


def outside_pairs_of(source: str) -> Iterator[Pair]:
    """All pairs of the outside set; its domains are news, social, e-commerce and conversation."""
    for row in outside_rows(source):
        yield Pair(row[source], row[TARGET], row["doc"], row["domain"])


def prepare(source: str, folder: Path, say: Callable[[str], None]) -> dict[str, list[int]]:
    """Split, align and save; returns pairs and documents of the training, the test and the outside part."""
    parts: tuple[list[Pair], list[Pair]] = ([], [])
    for pair in pairs_of(source):
        parts[share_of(pair.document or "", TEST_SEED) < TEST].append(pair)
    train, test = (Bitext.of(part, source, TARGET) for part in parts)
    bitexts = {"train": train, "test": test, "outside": Bitext.of(outside_pairs_of(source), source, TARGET)}
    sizes = len(train.words[0]), len(train.words[1])
    aligner = WordAligner.learn(*train.sides, sizes, on_step=say)
    for name, bitext in bitexts.items():
        bitext.write(folder / name)
        links = aligner.align(*bitext.seen_by(train))
        np.savez(folder / f"{name}-links.npz", **links._asdict())
    return {name: [bitext.n_pairs, len(bitext.names)] for name, bitext in bitexts.items()}


@cache
def material(source: str, folder: str) -> Material:
    """What `prepare` saved."""
    parts: list[Bitext | Links] = []
    for name in ("train", "test", "outside"):
        parts.append(Bitext.open(Path(folder) / name, BitextFields(source, TARGET)))
        with np.load(Path(folder) / f"{name}-links.npz") as arrays:
            parts.append(Links(**arrays))
    return Material(*parts)
