"""Converts gensim's bags of words: for each document a list of (number, count)."""

import operator
from array import array
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from stickbreaker.core.arguments import refuse_no_list, refuse_other_class
from stickbreaker.core.errors import UserError


def matrix_of(bags: Iterable[Iterable[tuple[int, float]]], words: Mapping[int, str]) -> tuple[Any, list[str]]:
    """gensim's bags as a sparse matrix (documents × words), and its words, by ascending number.

    `words` maps number to word, as gensim's Dictionary does. Raises UserError naming a document that is not a
    bag, or has an unknown number.

    >>> matrix_of([[(0, 2), (7, 1)], []], {0: "cat", 7: "dog"})[0].toarray().tolist()
    [[2.0, 1.0], [0.0, 0.0]]
    """
    from scipy import sparse

    refuse_no_list("the list of bags", bags)
    remedy = "give gensim's Dictionary, or a dict such as dict(enumerate(words))"
    refuse_other_class("id2word", words, Mapping, remedy=remedy)
    numbers = sorted(words.keys())
    column = {number: place for place, number in enumerate(numbers)}
    columns, weights, ends = array("q"), array("d"), array("q", [0])
    for place, bag in enumerate(bags):
        for number, weight in _entries(bag, place):
            if number not in column:
                problem = f"document {place} has word {number}, which is not in id2word"
                raise UserError(problem, remedy="give the dictionary that the bags were made with")
            columns.append(column[number])
            weights.append(weight)
        ends.append(len(columns))
    parts = (np.array(weights), np.array(columns), np.array(ends))
    matrix = sparse.csr_array(parts, shape=(len(ends) - 1, len(numbers)))
    return matrix, [words[number] for number in numbers]


def _entries(bag: Any, place: int) -> list[tuple[int, float]]:
    try:
        return [(operator.index(number), float(weight)) for number, weight in bag]
    except (TypeError, ValueError):
        remedy = "give what gensim's doc2bow returns"
        raise UserError(f"document {place} is not a list of (number, count)", remedy=remedy) from None
