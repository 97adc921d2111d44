"""How a syntactic topic model numbers the words of trees, known and unknown."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from stickbreaker.corpus import Vocabulary
from stickbreaker.corpus.sequences import Trees
from stickbreaker.syntax.model.ordered_trees import OrderedTrees, ordered_trees

BLANK, TAG = "blank", "tag"  # how words outside the vocabulary are represented


@dataclass(frozen=True)
class TreeWords:
    """Numbers the words of trees: the vocabulary's words, then the tags if these stand for unknown words.

    >>> words = TreeWords(Vocabulary.of(["dog"]), ("NN", "VB"), TAG)
    >>> words.names
    ('dog', '<NN>', '<VB>')
    """

    vocabulary: Vocabulary
    tags: Sequence[str]  # of the training corpus
    unknown: str  # BLANK: a node without a word; TAG: its tag

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The spelling of each word, by number; tags are in angle brackets."""
        return (*self.vocabulary.words, *(f"<{tag}>" for tag in self.tags if self.unknown == TAG))

    @property
    def n_words(self) -> int:
        """The number of words, including tags that stand for unknown words."""
        return len(self.vocabulary) + (len(self.tags) if self.unknown == TAG else 0)

    def ordered(self, trees: Trees) -> OrderedTrees:
        """Prepare documents for kernels: their words, with these numbers, as nodes in preorder.

        trees: documents read with `vocabulary`. An unknown word whose tag does not occur in the training
        corpus stays without a number (-1).
        """
        if self.unknown == TAG:
            first, numbers = len(self.vocabulary), {tag: number for number, tag in enumerate(self.tags)}
            of_tags = [first + numbers[tag] if tag in numbers else -1 for tag in trees.tag_names]
            own = np.array([*of_tags, -1], np.int32)[trees.tags]
            trees = replace(trees, words=np.where(trees.words >= 0, trees.words, own))
        return ordered_trees(trees)
