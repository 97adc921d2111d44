"""Translations of a sentence by trying all of them, and a backoff language model from its lines."""

import math


class Lines:
    """p of a backoff model by its definition, from the lines of a file in the ARPA format."""

    def __init__(self, text):
        self.ngrams, self.order, inside = {}, 0, 0
        for line in text.splitlines():
            if line.endswith("-grams:"):
                inside = int(line[1 : line.index("-")])
                self.order = max(self.order, inside)
            elif inside and line.strip() and not line.startswith("\\"):
                p, *words = line.split()
                back = float(words.pop()) if len(words) > inside else 0.0
                self.ngrams[tuple(words)] = float(p) * math.log(10), back * math.log(10)

    def log_p(self, context, word):
        """log p(word | context) in nats, as Katz (1987) backs off."""
        context = tuple(context)[max(0, len(context) - self.order + 1) :]
        if (*context, word) in self.ngrams:
            return self.ngrams[*context, word][0]
        if not context:
            return self.ngrams["<unk>",][0] if ("<unk>",) in self.ngrams else -10.0 * math.log(10)
        return self.ngrams.get(context, (0.0, 0.0))[1] + self.log_p(context[1:], word)

    def known(self, word):
        return word if (word,) in self.ngrams else "<unk>"

    def sentence(self, words):
        """log p of each word of a sentence and of its end."""
        whole = ["<s>", *map(self.known, words), "</s>"]
        return [self.log_p(whole[:place], whole[place]) for place in range(1, len(whole))]


def derivations(n, options, limit):
    """All sequences of options that translate n words; options: (begin, end, words, features).

    A span begins at most `limit` words from the end of the one before; unless it begins with the first free
    word, it ends at most `limit` words behind that.
    """

    def continued(covered, before):
        if len(covered) == n:
            yield ()
            return
        free = min(set(range(n)) - covered)
        for number, (begin, end, _, _) in enumerate(options):
            span = set(range(begin, end))
            if abs(begin - before) > limit or covered & span or (begin > free and end - free > limit):
                continue
            for rest in continued(covered | span, end):
                yield (number, *rest)

    return continued(frozenset(), 0)


def features(derivation, options, lines):
    """Features of options, summed, then log p of the words, their number, minus the words jumped over."""
    words, sums, before, jumped = [], [0.0] * len(options[0][3]), 0, 0
    for number in derivation:
        begin, end, target, own = options[number]
        words += target
        sums = [a + b for a, b in zip(sums, own, strict=True)]
        jumped += abs(begin - before)
        before = end
    return tuple(words), [*sums, sum(lines.sentence(words)), len(words), -jumped]


def translations(n, options, lines, weights, limit):
    """Every translation, the best first: score, words, features and derivation of the best way to it."""
    best = {}
    for derivation in derivations(n, options, limit):
        words, values = features(derivation, options, lines)
        score = sum(weight * value for weight, value in zip(weights, values, strict=True))
        if words not in best or score > best[words][0]:
            best[words] = score, values, derivation
    return sorted(((score, words, *rest) for words, (score, *rest) in best.items()), reverse=True)


def best_estimate(begin, end, options, lines, weights):
    """The highest sum, over ways to translate a span in order, of the scores of options by themselves."""
    if begin == end:
        return 0.0
    return max(
        (
            own_estimate(option, lines, weights) + best_estimate(option[1], end, options, lines, weights)
            for option in options
            if option[0] == begin and option[1] <= end
        ),
        default=-math.inf,
    )


def own_estimate(option, lines, weights):
    """The score of an option as if nothing were before its words."""
    _, _, words, own = option
    known = [lines.known(word) for word in words]
    nats = sum(lines.log_p(known[:place], known[place]) for place in range(len(known)))
    values = [*own, nats, len(words), 0.0]
    return sum(weight * value for weight, value in zip(weights, values, strict=True))
