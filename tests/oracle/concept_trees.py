"""Trees of concepts, slowly: as nested tuples, one token after another."""

from itertools import product
from math import exp, lgamma, log

from scipy.special import psi


def walks(tree):
    """Every path of a compiled tree: its word, and (node, choice) of each step from the top."""
    found = []
    for leaf, node in enumerate(tree.groups.tolist()):
        steps, at = [(node, ("leaf", leaf))], node
        while tree.entrances[at] != -1:
            edge = int(tree.entrances[at])
            at = int(tree.sources[edge])
            steps.append((at, ("edge", edge)))
        found.append((int(tree.words[leaf]), tuple(reversed(steps))))
    return found


def prior(tree, choice, eta):
    kind, number = choice
    return eta * float((tree.sizes if kind == "leaf" else tree.edge_sizes)[number])


def node_prior(tree, node, eta):
    choices = {step for _, way in walks(tree) for step in way if step[0] == node}
    return sum(prior(tree, choice, eta) for _, choice in choices)


def counted(tree, tokens_of_leaves):
    """Tokens of each (node, choice), given those of each leaf."""
    counts = {}
    for (_, way), tokens in zip(walks(tree), tokens_of_leaves, strict=True):
        for step in way:
            counts[step] = counts.get(step, 0.0) + tokens
    return counts


def through(counts, node):
    return sum(tokens for (own, _), tokens in counts.items() if own == node)


def expected_log_path(tree, way, counts, eta):
    """Sum over a path's choices of psi(prior + count) - psi(those of all the node's choices)."""
    return sum(
        psi(prior(tree, choice, eta) + counts[node, choice])
        - psi(node_prior(tree, node, eta) + through(counts, node))
        for node, choice in way
    )


def log_weight(tree, word, counts, eta):
    """log of the sum over a word's paths of exp E[log path]."""
    return log(sum(exp(expected_log_path(tree, way, counts, eta)) for w, way in walks(tree) if w == word))


def mean_path(tree, way, counts, eta):
    """Product over a path's choices of their mean."""
    mean = 1.0
    for node, choice in way:
        mean *= prior(tree, choice, eta) + counts[node, choice]
        mean /= node_prior(tree, node, eta) + through(counts, node)
    return mean


def log_paths(tree, leaves, eta):
    """log p of a sequence of paths (leaves) of one topic: a product of Dirichlet multinomials."""
    counts = counted(tree, [leaves.count(leaf) for leaf in range(tree.n_leaves)])
    total = 0.0
    for node in {node for node, _ in counts}:
        size = node_prior(tree, node, eta)
        total += lgamma(size) - lgamma(size + through(counts, node))
    for (_, choice), tokens in counts.items():
        size = prior(tree, choice, eta)
        total += lgamma(size + tokens) - lgamma(size)
    return total


def log_words(tree, words, eta):
    """log p of a sequence of words of one topic: a sum over their paths."""
    ways = [[leaf for leaf, (w, _) in enumerate(walks(tree)) if w == word] for word in words]
    return log(sum(exp(log_paths(tree, list(leaves), eta)) for leaves in product(*ways)))
