"""Lexicons by topic in plain Python: counts of links by loops, and what is made of them.

Words are strings; None is a word that the lexicon does not know.
"""

import math
from collections import defaultdict


class Lexicon:
    """p(e | f) of words f of one language and e of the other.

    `sentences` are (document, words of f's language, words of e's, links (place of f, place of e)); `shares`
    the topics of each document; `words` all words of e's language; b and m the strengths of the priors.
    """

    def __init__(self, sentences, shares, words, b, m):
        self.sentences, self.shares, self.words, self.b, self.m = sentences, shares, words, b, m
        self.n_topics = len(next(iter(shares.values())))
        self.by_document = defaultdict(float)  # c_d(f, e)
        self.by_topic = defaultdict(float)  # c_k(f, e)
        self.all = defaultdict(float)  # c(f, e)
        for document, first, second, links in sentences:
            for i, j in links:
                self.by_document[document, first[i], second[j]] += 1.0
        for (document, f, e), count in self.by_document.items():
            self.all[f, e] += count
            for k in range(self.n_topics):
                self.by_topic[k, f, e] += shares[document][k] * count

    def count(self, f, k=None):
        """c(f), or c_k(f)."""
        total = 0.0
        for e in self.words:
            total += self.all[f, e] if k is None else self.by_topic[k, f, e]
        return total

    def base(self, e):
        """p(e): the share of linked words; Good's and Turing's mass is for words that were never linked."""
        linked = {word: sum(n for (_, other), n in self.all.items() if other == word) for word in self.words}
        total, once = sum(linked.values()), sum(n == 1.0 for n in linked.values())
        left = (once + 1) / (total + 2) if total else 1.0
        if e is not None and linked[e] > 0:
            return (1.0 - left) * linked[e] / total
        return left / (1 + sum(n == 0.0 for n in linked.values()))

    def p(self, e, f):
        """p(e | f)."""
        return (self.all[f, e] + self.b * self.base(e)) / (self.count(f) + self.b)

    def p_topic(self, e, f, k):
        """p(e | f; k)."""
        b_k = self.b * self.count(f, k) / self.count(f) if self.count(f) else 0.0
        linked = self.by_topic[k, f, e] + b_k * self.base(e)
        return (linked + self.m * self.p(e, f)) / (self.count(f, k) + b_k + self.m)

    def p_document(self, e, f, shares):
        """p(e | f, d) by the topics of d."""
        return sum(share * self.p_topic(e, f, k) for k, share in enumerate(shares))

    def scores(self, sentences, shares):
        """(document, log p(e | f), log p(e | f, d)) of each linked word e; of several f the mean p."""
        found = []
        for document, first, second, links in sentences:
            for place, e in enumerate(second):
                linked = [first[i] for i, j in links if j == place]
                if linked:
                    plain = sum(self.p(e, f) for f in linked) / len(linked)
                    adapted = sum(self.p_document(e, f, shares[document]) for f in linked) / len(linked)
                    found.append((document, math.log(plain), math.log(adapted)))
        return found

    def gain(self, f, k):
        """What topic k adds to the nats that topics tell of f's translation."""
        total = 0.0
        for e in (*self.words, None):
            p = self.p_topic(e, f, k)
            total += p * math.log(p / self.p(e, f))
        return self.count(f, k) / self.count(f) * total


def mutual_information(joint):
    """I(x; y) in nats of a table of counts, a dict by (x, y)."""
    total = sum(joint.values())
    of_x, of_y = defaultdict(float), defaultdict(float)
    for (x, y), n in joint.items():
        of_x[x] += n
        of_y[y] += n
    return sum(
        n / total * math.log(n * total / (of_x[x] * of_y[y])) for (x, y), n in joint.items() if n > 0.0
    )


def reversed_sentences(sentences):
    """The same links from the other language."""
    return [
        (document, second, first, [(j, i) for i, j in links]) for document, first, second, links in sentences
    ]
