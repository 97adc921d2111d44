"""Phrases of aligned sentences by their definition, and what is counted of them, in plain Python."""

import math
from collections import Counter, defaultdict

LONGEST = 5


def phrase_pairs(n_source, n_target, links):
    """All (source begin, end, target begin, end, links within) of a pair of sentences (Koehn, Och and Marcu
    2003, section 2): a link inside, and none of which one end is inside and the other not.

    Links within are pairs of places from the beginnings of the phrases.
    """
    for s in range(n_source):
        for s_end in range(s + 1, min(s + LONGEST, n_source) + 1):
            for t in range(n_target):
                for t_end in range(t + 1, min(t + LONGEST, n_target) + 1):
                    sides = [(s <= i < s_end, t <= j < t_end) for i, j in links]
                    if (True, True) in sides and (True, False) not in sides and (False, True) not in sides:
                        inside = [link for link, side in zip(links, sides, strict=True) if all(side)]
                        yield s, s_end, t, t_end, frozenset((i - s, j - t) for i, j in inside)


class Table:
    """Counts of the phrases of sentences, which are (source words, target words, links)."""

    def __init__(self, sentences):
        self.together, self.sources, self.targets = Counter(), Counter(), Counter()
        self.links = defaultdict(Counter)
        for source, target, links in sentences:
            for s, s_end, t, t_end, within in phrase_pairs(len(source), len(target), links):
                f, e = tuple(source[s:s_end]), tuple(target[t:t_end])
                if None in f or None in e:
                    continue
                self.together[f, e] += 1
                self.sources[f] += 1
                self.targets[e] += 1
                self.links[f, e][within] += 1

    def translations(self, f):
        """The translations of a phrase with their counts."""
        return {e: n for (other, e), n in self.together.items() if other == f}

    def most_frequent_links(self, f, e):
        """All sets of links that the two phrases have most often."""
        most = max(self.links[f, e].values())
        return [links for links, n in self.links[f, e].items() if n == most]


def lexical_weight(words, others, links, p, p_null):
    """log of the product over words of the mean of p(word | other) over the links of a word (Koehn, Och and
    Marcu 2003, section 3.4); a word without one has p_null. `links` are (place of word, place of other)."""
    total = 0.0
    for place, word in enumerate(words):
        linked = [others[j] for i, j in sorted(links) if i == place]
        total += math.log(sum(p(word, other) for other in linked) / len(linked) if linked else p_null(word))
    return total
