"""Word alignment from its definition: sums over all alignments, and links grown in sets."""

from itertools import product

import numpy as np

WIDEST = 6


def jump_probability(last, i, m, jumps, starts, anywhere):
    """p of a link to position i of m after one to `last` (None: the first)."""
    if last is None:
        weights = {near: starts[near] for near in range(min(m, WIDEST))}
        near = {place: min(place, WIDEST - 1) for place in range(m)}
    else:
        near = {place: int(np.clip(place - last, -WIDEST, WIDEST)) for place in range(m)}
        weights = {jump: jumps[jump + WIDEST] for jump in set(near.values())}
    alike = sum(near[place] == near[i] for place in range(m))
    return (1 - anywhere) * weights[near[i]] / sum(weights.values()) / alike + anywhere / m


def alignments(n, m, jumps, starts, null, anywhere):
    """p of each alignment of n generated words by the hidden Markov model, null words among them."""
    for alignment in product([None, *range(m)], repeat=n):
        p, last = 1.0, None
        for i in alignment:
            if i is None:
                p *= null
            else:
                p *= (1 - null) * jump_probability(last, i, m, jumps, starts, anywhere)
                last = i
        yield alignment, p


def expected(weighted):
    """Links and jumps expected under alignments and their joint p with the words; and p of the words.

    Jumps are by (last, i), `last` None for the first link.
    """
    whole, links, jumps = 0.0, {}, {}
    for alignment, p in weighted:
        whole += p
        last = None
        for j, i in enumerate(alignment):
            links[j, i] = links.get((j, i), 0.0) + p
            if i is not None:
                jumps[last, i] = jumps.get((last, i), 0.0) + p
                last = i
    return {k: p / whole for k, p in links.items()}, {k: p / whole for k, p in jumps.items()}, whole


def grown(of_target, of_source):
    """grow-diag-final-and of two functions (dicts) from position to position, as sets of (target, source)."""
    forward = {(t, s) for t, s in of_target.items()}
    backward = {(t, s) for s, t in of_source.items()}
    links, union = forward & backward, forward | backward

    def free_target(t):
        return all(t != link[0] for link in links)

    def free_source(s):
        return all(s != link[1] for link in links)

    while True:
        before = set(links)
        last = (-1, -1)
        while later := sorted(link for link in links if link > last):
            t, s = last = later[0]
            straight = [(t - 1, s), (t, s - 1), (t + 1, s), (t, s + 1)]
            for point in [*straight, (t - 1, s - 1), (t - 1, s + 1), (t + 1, s - 1), (t + 1, s + 1)]:
                if point in union - links and (free_target(point[0]) or free_source(point[1])):
                    links.add(point)
        if links == before:
            break
    for direction in (forward, backward):
        for t, s in sorted(direction):
            if free_target(t) and free_source(s):
                links.add((t, s))
    return links
