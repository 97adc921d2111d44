"""Sentences whose words are known: speech to children in phonemes, and Chinese."""

import gzip
from functools import cache
from pathlib import Path
from typing import NamedTuple

from reproduce.texts import DATA

FILES = {
    "Brent": "br-phono/br-phono.txt",
    "CTB6": "chinese-segmentation/ctb6_train.txt.gz",
    "CTB6, test part": "chinese-segmentation/ctb6_test.txt.gz",
    "PKU, test part": "chinese-segmentation/pku_test_gold.txt.gz",
    "CityU, test part": "chinese-segmentation/cityu_test_gold.txt.gz",
}


class Sentences(NamedTuple):
    """The words of each sentence, and each sentence without spaces."""

    gold: list[list[str]]
    joined: list[str]


@cache
def sentences(name: str) -> Sentences:
    """The sentences of a text, without empty ones."""
    path: Path = DATA / FILES[name]
    read = gzip.open if path.suffix == ".gz" else open
    with read(path, "rt", encoding="utf-8") as file:
        gold = [line.split() for line in file if line.split()]
    return Sentences(gold, ["".join(words) for words in gold])
