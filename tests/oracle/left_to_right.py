"""Left-to-right evaluation written from its definition, and what can be summed over all topics."""

import itertools

import numpy as np


def choose(u, used, counts, alpha, phi):
    """A topic in proportion to (alpha_k + n_k) phi_k: the topics in use in their order, then the prior."""
    pieces = [(k, counts[k] * phi[k]) for k in used] + [(k, alpha[k] * phi[k]) for k in range(len(phi))]
    x = u * sum(weight for _, weight in pieces)
    for k, weight in pieces:
        x -= weight
        if x < 0:
            return k
    return max(k for k, weight in pieces if weight > 0)


def averages(tokens, phi, alpha, particles, uniform):
    """Algorithm 3 of Wallach et al. (2009): the particles' mean of p(w_n | z_<n) for each position n.

    phi: topics × words. `uniform` gives the next random number; one particle comes after the other.
    """
    total = np.zeros(len(tokens))
    for _ in range(particles):
        z, used, counts = [], [], np.zeros(len(alpha))

        def add(k, used=used, counts=counts):
            if counts[k] == 0:
                used.append(k)
            counts[k] += 1

        def remove(k, used=used, counts=counts):
            counts[k] -= 1
            if counts[k] == 0:  # the last one fills the gap
                used[used.index(k)] = used[-1]
                used.pop()

        for n, word in enumerate(tokens):
            for i in range(n):
                remove(z[i])
                z[i] = choose(uniform(), used, counts, alpha, phi[:, tokens[i]])
                add(z[i])
            total[n] += ((alpha + counts) * phi[:, word]).sum() / (alpha.sum() + n)
            z.append(choose(uniform(), used, counts, alpha, phi[:, word]))
            add(z[-1])
    return total / particles


def probability(tokens, phi, alpha):
    """p(w | phi, alpha) of a sequence, summed over every assignment of topics."""
    total = 0.0
    for z in itertools.product(range(len(alpha)), repeat=len(tokens)):
        product = 1.0
        for n, (k, word) in enumerate(zip(z, tokens, strict=True)):
            product *= (alpha[k] + z[:n].count(k)) / (alpha.sum() + n) * phi[k, word]
        total += product
    return total


def conditional(z, word, phi, alpha):
    """(alpha_k + n_k) phi_kw / (sum alpha + n), with n the counts of z: p(w, topic k | z)."""
    counts = np.bincount(np.array(z, int), minlength=len(alpha))
    return (alpha + counts) * phi[:, word] / (alpha.sum() + len(z))


def limit(tokens, phi, alpha):
    """The averages of infinitely many particles, from the exact law of a particle at every position."""
    law, result = {(): 1.0}, np.zeros(len(tokens))
    for n, word in enumerate(tokens):
        for i in range(n):
            moved = {}
            for z, mass in law.items():
                weights = conditional(z[:i] + z[i + 1 :], tokens[i], phi, alpha)
                for k, weight in enumerate(weights / weights.sum()):
                    after = (*z[:i], k, *z[i + 1 :])
                    moved[after] = moved.get(after, 0.0) + mass * weight
            law = moved
        grown = {}
        for z, mass in law.items():
            weights = conditional(z, word, phi, alpha)
            result[n] += mass * weights.sum()
            for k, weight in enumerate(weights / weights.sum()):
                grown[(*z, k)] = mass * weight
        law = grown
    return result


def log_probability(entries, sizes, words, phi, alpha):
    """Nats of one document: units in order, each `sizes[n]` tokens of the word `words[entries[n]]`.

    phi: topics × words. Expected counts are one vector of topics for each distinct word; all of them are made
    again, one after the other, when 2, 4, 8, … units have come.
    """
    counts, seen = np.zeros((len(words), len(alpha))), np.zeros(len(words))
    nats, revisions = 0.0, {2**j for j in range(1, 30)}
    for n, (u, size) in enumerate(zip(entries, sizes, strict=True)):
        if n in revisions:
            for v in np.flatnonzero(seen):
                others = alpha + counts.sum(axis=0) - counts[v] / max(1.0, seen[v])
                weights = others * phi[:, words[v]]
                counts[v] = seen[v] * weights / weights.sum()
        gamma = alpha + counts.sum(axis=0)
        weights = gamma * phi[:, words[u]]
        nats += size * np.log(weights.sum() / gamma.sum())
        counts[u] += size * weights / weights.sum()
        seen[u] += size
    return nats
