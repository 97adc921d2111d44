"""Mean-field inference of documents' topic shares, alternating with sums over the topics of their trees.

A document's own shares theta_i have q(theta_i) = Gamma(shapes_i + n_i, rates_i); notation is that of
`tree_sums`. Given xi and q(z), with n_i expected nodes of topic i and m_j whose head has topic j, the bound
is highest at the rates 1 + sum_j (m_j / xi_j) E[pi_ji]. Given q(theta), it is highest at xi_j = E[x_j] and
the q(z) of `tree_sums`. A document contributes the log of the sum there and -KL(q(theta) || p(theta)).
"""

from numba import njit

from stickbreaker.kernels.kernel_parts import kernel_part
from stickbreaker.kernels.math import OPTIONS, PART, digamma64, log64, log_gamma64
from stickbreaker.syntax.kernels.tree_sums import add_counts, mean_products, sum_trees, weigh

ROUNDS = 4  # updates of shares and xi between two sums over trees


@kernel_part(**PART)
def _mean_shares(expected, counts, rates, room):
    """Fill room.theta with a document's E[theta], at the scale that is best for the bound.

    counts, rates (topics): q(theta_i) = Gamma(shapes_i + counts_i, rates_i). At the best scale, the means sum
    to the sum of the prior's shapes. Returns the factor by which rates must be multiplied to have it.
    """
    total, prior = 0.0, 0.0
    for i in range(len(counts)):
        room.theta[i] = (expected.shapes[i] + counts[i]) / rates[i]
        total += room.theta[i]
        prior += expected.shapes[i]
    for i in range(len(counts)):
        room.theta[i] *= prior / total
    return total / prior


@kernel_part(**PART)
def _weigh_shares(expected, counts, rates, room):
    """Multiply `rates`, those of a document's q(theta), by the factor that is best for the bound; fill
    room.theta with E[theta] and room.log_theta with E[log theta]."""
    scale = _mean_shares(expected, counts, rates, room)
    for i in range(len(counts)):
        rates[i] *= scale
        room.log_theta[i] = digamma64(expected.shapes[i] + counts[i]) - log64(rates[i])


@kernel_part(**PART)
def _find_shares(expected, counts, rates, pulls, room):
    """Update the rates of a document's q(theta) in place, given its expected counts of topics.

    xi_j = E[sum_i theta_i pi_ji] and the rates, 1 + sum_j pulls_j E[pi_ji], are set to their optima in turn,
    `ROUNDS` times, starting from room.xi. pulls (topics + 1) is filled with room.m_j / xi_j, where m_j is the
    expected number of nodes whose head has topic j.
    """
    for times in range(ROUNDS):
        if times > 0:
            _mean_shares(expected, counts, rates, room)
            mean_products(expected, room)
        rates[:] = 1.0
        for j in range(len(pulls)):
            pulls[j] = room.m[j] / room.xi[j]
            if pulls[j] > 0.0:
                for i in range(len(rates)):
                    rates[i] += pulls[j] * expected.mean_pi[j, i]


@kernel_part(**PART)
def _share_terms(expected, counts, rates):
    """-KL(q(theta) || p(theta)) of a document, in nats: its shares' part of the bound.

    counts (topics): expected nodes of each topic; rates (topics): of q(theta).
    """
    nats = 0.0
    for i in range(len(counts)):
        prior, shape = expected.shapes[i], expected.shapes[i] + counts[i]
        nats += log_gamma64(shape) - log_gamma64(prior) - counts[i] * digamma64(shape)
        nats += shape - shape / rates[i] - prior * log64(rates[i])
    return nats


@njit(**OPTIONS)
def infer_documents(nodes, expected, most, tolerance, room, report):
    """Infer the topics of each document by mean-field inference, and write the results to the report.

    Sums over its trees and updates of its shares alternate; each round raises the bound. It stops after
    `most` rounds, or when expected topic counts change by at most `tolerance` of its nodes. A document that
    is not `report.known` starts from theta = 1; one without nodes gets counts of 0 and rates of 1.
    """
    k = len(expected.shapes)
    for d in range(len(nodes.offsets) - 1):
        n = nodes.offsets[d + 1] - nodes.offsets[d]
        counts, rates, pulls = report.counts[d], report.rates[d], report.pulls[d]
        if n == 0:
            counts[:], rates[:], pulls[:], report.scores[d] = 0.0, 1.0, 0.0, 0.0
            continue
        if not report.known[d]:
            room.theta[:], room.log_theta[:] = 1.0, 0.0
            weigh(expected, room)
            sum_trees(nodes, d, expected, room)
            counts[:] = room.n
            _find_shares(expected, counts, rates, pulls, room)
        for _ in range(most):
            _weigh_shares(expected, counts, rates, room)
            weigh(expected, room)
            report.scores[d] = _share_terms(expected, counts, rates) + sum_trees(nodes, d, expected, room)
            moved = 0.0
            for i in range(k):
                moved += abs(room.n[i] - counts[i])
            counts[:] = room.n
            _find_shares(expected, counts, rates, pulls, room)
            if moved <= tolerance * n:
                break
        add_counts(nodes, d, room, report)
