"""The numbers by which a syntactic topic model knows the words of trees."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from stickbreaker.corpus import Vocabulary
from stickbreaker.corpus.sequences import Trees
from stickbreaker.syntax.model.ordered_trees import OrderedTrees, ordered_trees

BLANK, TAG = "blank", "tag"  # what a word is that is not in the vocabulary


@dataclass(frozen=True)
class TreeWords:
    """The words of trees: rows of a vocabulary, and after them, where unknown words are their tags, the tags.

    >>> words = TreeWords(Vocabulary.of(["dog"]), ("NN", "VB"), TAG)
    >>> words.names
    ('dog', '<NN>', '<VB>')
    """

    vocabulary: Vocabulary
    tags: Sequence[str]  # of the corpus that is learned from
    unknown: str  # BLANK: a node without a word; TAG: its tag

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All words by number, tags in angle brackets."""
        return (*self.vocabulary.words, *(f"<{tag}>" for tag in self.tags if self.unknown == TAG))

    @property
    def n_words(self) -> int:
        """Words that a topic may have."""
        return len(self.vocabulary) + (len(self.tags) if self.unknown == TAG else 0)

    def ordered(self, trees: Trees) -> OrderedTrees:
        """Documents that are seen through the vocabulary, heads first, their words by these numbers.

        A tag that the corpus learned from does not have makes no word.
        """
        if self.unknown == TAG:
            first, numbers = len(self.vocabulary), {tag: number for number, tag in enumerate(self.tags)}
            of_tags = [first + numbers[tag] if tag in numbers else -1 for tag in trees.tag_names]
            own = np.array([*of_tags, -1], np.int32)[trees.tags]
            trees = replace(trees, words=np.where(trees.words >= 0, trees.words, own))
        return ordered_trees(trees)
