"""The character model written from its definition: dictionaries of contexts, recursion, plain sums."""

import itertools
import math
from collections import Counter, defaultdict
from fractions import Fraction

MARK = None
CODE_POINTS = 0x110000 - 0x800


def followers_of(words, order):
    """What follows every context of fewer than `order` letters; words: {word: how often}."""
    followers = defaultdict(Counter)
    for word, times in words.items():
        marked = (MARK, *word)
        for i in range(1, len(marked)):
            for size in range(min(order, i + 1)):
                followers[marked[i - size : i]][marked[i]] += times
    return followers


def letter_probability(letter, context, followers):
    """Witten and Bell: (count + kinds p(letter | shorter context)) / (total + kinds), down to uniform."""
    alphabet = followers[()]
    if context not in followers:
        return letter_probability(letter, context[1:], followers)
    seen = followers[context]
    total, kinds = sum(seen.values()), len(seen)
    if context:
        shorter = letter_probability(letter, context[1:], followers)
    else:
        shorter = 1 / (len(alphabet) + 1)
        if letter not in alphabet:
            shorter /= CODE_POINTS - len(alphabet)
    return (seen[letter] + kinds * shorter) / (total + kinds)


def log_letters(word, followers, order):
    """log of the product of p(letter | the order - 1 before it, one mark in front of the word)."""
    marked = (MARK, *word)
    return sum(
        math.log(letter_probability(marked[i], marked[max(i - order + 1, 0) : i], followers))
        for i in range(1, len(marked))
    )


def length_probability(length, masses, kinds):
    """zeta(length) from masses {length: count} and the number of lengths that occur, with geometric tail."""
    total = sum(masses.values())
    mean = sum(size * mass for size, mass in masses.items()) / total
    geometric = 1 / (1 + mean) * (mean / (1 + mean)) ** (length - 1)
    return (masses.get(length, 0) + kinds * geometric) / (total + kinds)


def masses_by_length(words):
    """How many words have each length; words: {word: how often}."""
    masses = defaultdict(float)
    for word, times in words.items():
        masses[len(word)] += times
    return dict(masses)


def log_probability(word, words, order):
    """log G0(word) with empirical lengths."""
    masses = masses_by_length(words)
    zeta = length_probability(len(word), masses, len(masses))
    return math.log(zeta) + log_letters(word, followers_of(words, order), order)


def least_squares(sizes, p, c):
    """{length: zeta} of the smallest sum of (p - zeta c)² with zeta >= 0, sum 1: every set of positive
    lengths is tried, in fractions, until the conditions of Karush, Kuhn and Tucker hold.
    """
    lengths = sorted(set(sizes))
    a, b = dict.fromkeys(lengths, Fraction(0)), dict.fromkeys(lengths, Fraction(0))
    for size, share, letters in zip(sizes, p, c, strict=True):
        a[size] += Fraction(letters) ** 2
        b[size] += Fraction(letters) * Fraction(share)
    for count in range(1, len(lengths) + 1):
        for positive in itertools.combinations(lengths, count):
            level = (sum(b[i] / a[i] for i in positive) - 1) / sum(1 / a[i] for i in positive)
            zeta = {i: (b[i] - level) / a[i] for i in positive}
            if min(zeta.values()) >= 0 and all(b[i] <= level for i in lengths if i not in positive):
                return {i: float(zeta.get(i, 0)) for i in lengths}
    raise AssertionError("no set fits")
