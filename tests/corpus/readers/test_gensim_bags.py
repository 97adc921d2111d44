"""gensim's bags in memory. gensim itself is not needed: its dictionary is a mapping of number to word."""

from collections.abc import Iterator, Mapping

import numpy as np
import pytest

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus

BAGS = [[(4, 2), (0, 1.5)], [], [(np.int32(0), np.float32(3))]]


class Dictionary(Mapping):
    """What is a mapping as gensim's Dictionary is one."""

    def __init__(self, words: dict[int, str]) -> None:
        self.words = words

    def __getitem__(self, number: int) -> str:
        return self.words[number]

    def __iter__(self) -> Iterator[int]:
        return iter(self.words)

    def __len__(self) -> int:
        return len(self.words)


@pytest.mark.parametrize("kind", [dict, Dictionary])
def test_bags_of_gensim(kind):
    corpus = Corpus.from_gensim(iter(BAGS), kind({4: "cat", 0: "dog", 7: "bird"}), ids=["a", "b", "c"])
    assert corpus.vocabulary.words == ("dog", "cat", "bird")
    assert corpus.ids(0) == ["a", "b", "c"]
    bags = corpus.bags(0)
    assert bags.offsets.tolist() == [0, 2, 2, 3]
    assert bags.words.tolist() == [0, 1, 0]
    assert bags.counts.tolist() == [1.5, 2, 3]


@pytest.mark.parametrize(
    ("bags", "expected"),
    [
        ([[(0, 1)], [(1, 1)]], "document 1 has word 1, which is not in id2word; give the dictionary"),
        ([[(0, 1, 1)]], "document 0 is not a list of (number, count); give what gensim's doc2bow returns"),
        ([["ab"]], "document 0 is not a list of (number, count)"),
        ([[(0.5, 1)]], "document 0 is not a list of (number, count)"),
        ([3], "document 0 is not a list of (number, count)"),
        ([[(0, -1)]], "row 0, column 0: the weight -1.0 cannot be used"),
        ([[(0, float("nan"))]], "row 0, column 0: the weight nan cannot be used"),
        ([], "the matrix is empty"),
    ],
)
def test_bad_bags(bags, expected):
    with pytest.raises(UserError) as caught:
        Corpus.from_gensim(bags, {0: "cat"})
    assert str(caught.value).startswith(expected)
