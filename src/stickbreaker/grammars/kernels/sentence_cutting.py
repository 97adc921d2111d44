"""Cutting documents of symbols into sentences of a grammar's terminals."""

import numpy as np
from numba import njit

from stickbreaker.grammars.kernels.grammar_chart import PLAIN


@njit(**PLAIN)
def cut_symbols(words, offsets, starts, numbers, boundary):
    """Cut documents into sentences of a grammar's terminals.

    A sentence begins at each of `starts` (positions in `words`) and after each `boundary`, which is left out.
    words: the word numbers of all documents, which begin at `offsets` (documents + 1); numbers: the terminal
    of each word number; the last is for unknown words (-1). Returns the terminals, where sentences begin
    (sentences + 1), and the document of each sentence.
    """
    letters, owners = np.empty(len(words), np.int32), np.empty(len(words), np.int64)
    begins = np.empty(len(words) + 1, np.int64)
    number, n_sentences, place, fresh = 0, 0, 0, True
    for document in range(len(offsets) - 1):
        for at in range(offsets[document], offsets[document + 1]):
            while place < len(starts) and starts[place] <= at:
                fresh = True
                place += 1
            letter = numbers[words[at]]
            if letter == boundary:
                fresh = True
                continue
            if fresh:
                begins[n_sentences], owners[n_sentences] = number, document
                n_sentences += 1
                fresh = False
            letters[number] = letter
            number += 1
    begins[n_sentences] = number
    return letters[:number].copy(), begins[: n_sentences + 1].copy(), owners[:n_sentences].copy()
