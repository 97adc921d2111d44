"""All trees of a sentence by the grammar theta' of cached trees, one by one (Zhai 2014, equation 8.5)."""

from collections import Counter


def trees(symbol, sentence, rules, cached, fresh):
    """Weight and uses of every tree of a symbol over a sentence (a tuple of terminals).

    rules: {parent: {children: weight}}, children a tuple of symbols and terminals (one letter each);
    cached: {symbol: [(name, sentence, weight)]}; fresh: {symbol: weight of a tree that is not cached}. Uses
    count ("cached", name), ("rule", parent, children) and ("fresh", symbol).
    """
    for name, own, weight in cached.get(symbol, ()):
        if own == sentence:
            yield weight, Counter({("cached", name): 1})
    share = fresh.get(symbol, 1.0)
    for children, weight in rules[symbol].items():
        for below, uses in sequences(children, sentence, rules, cached, fresh):
            used = uses + Counter({("rule", symbol, children): 1})
            if symbol in fresh:
                used[("fresh", symbol)] += 1
            yield share * weight * below, used


def sequences(children, sentence, rules, cached, fresh):
    """The same of some symbols one after the other."""
    if not children:
        if not sentence:
            yield 1.0, Counter()
        return
    first, rest = children[0], children[1:]
    for cut in range(1, len(sentence) - len(rest) + 1):
        if first not in rules:
            if sentence[:cut] != (first,):
                continue
            starts = [(1.0, Counter())]
        else:
            starts = trees(first, sentence[:cut], rules, cached, fresh)
        for weight, uses in starts:
            for other, more in sequences(rest, sentence[cut:], rules, cached, fresh):
                yield weight * other, uses + more


def expected(symbol, sentence, rules, cached, fresh):
    """The weight of all trees, and the mean of each use over them."""
    total, uses = 0.0, Counter()
    for weight, used in trees(symbol, tuple(sentence), rules, cached, fresh):
        total += weight
        for use, times in used.items():
            uses[use] += weight * times
    return total, {use: value / total for use, value in uses.items()}
