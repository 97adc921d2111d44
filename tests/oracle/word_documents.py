"""Which words stand for a topic, written from the definitions: plain Python, document by document."""

import math


def document_counts(documents, theta, beta):
    """D[k][w] and df[w]; documents are lists of distinct words, theta and beta lists of lists."""
    n_topics, n_words = len(beta), len(beta[0])
    counts = [[0.0] * n_words for _ in range(n_topics)]
    of_words = [0] * n_words
    for words, shares in zip(documents, theta, strict=True):
        for w in words:
            of_words[w] += 1
            norm = sum(shares[j] * beta[j][w] for j in range(n_topics))
            for k in range(n_topics):
                counts[k][w] += shares[k] * beta[k][w] / norm
    return counts, of_words


def order_of(q, p):
    """Words by q log (q / p); those without an excess follow, by q."""
    excess = [a * math.log(a / b) if a > 0.0 else -math.inf for a, b in zip(q, p, strict=True)]
    return sorted(range(len(q)), key=lambda w: (0, -excess[w]) if q[w] > p[w] * 1.00001 else (1, -q[w]))


def document_order(counts, of_words):
    """Each topic's words by the documents that were counted."""
    p = [n / sum(of_words) for n in of_words]
    return [order_of([d / sum(row) for d in row], p) for row in counts]


def table_order(beta, shares, per_token):
    """Each topic's words by the table, its tokens turned into documents."""
    overall = [sum(s * row[w] for s, row in zip(shares, beta, strict=True)) for w in range(len(beta[0]))]
    weighed = [a * r for a, r in zip(overall, per_token, strict=True)]
    p = [a / sum(weighed) for a in weighed]
    orders = []
    for row in beta:
        own = [b * r for b, r in zip(row, per_token, strict=True)]
        orders.append(order_of([a / sum(own) for a in own], p))
    return orders


def npmi(documents, total, first, second):
    """NPMI of two words in documents, of `total`; -1 where they never meet, 0 where they always do."""
    both, one, other = (
        sum(all(w in words for w in chosen) for words in documents) / total
        for chosen in ((first, second), (first,), (second,))
    )
    if both == 0.0:
        return -1.0
    return 0.0 if both == 1.0 else math.log(both / (one * other)) / -math.log(both)


def company_order(ranked, documents, total, most=30):
    """A topic's words, the first of them by ½ z(-log rank) + ½ z(weighted mean NPMI with the others)."""
    first = ranked[:most]
    company = []
    for i, word in enumerate(first):
        weights = [0.0 if j == i else 1.0 / math.log2(j + 2) for j in range(len(first))]
        alike = [0.0 if j == i else npmi(documents, total, word, first[j]) for j in range(len(first))]
        company.append(sum(a * b for a, b in zip(weights, alike, strict=True)) / sum(weights))
    ranks = [-math.log(r + 1) for r in range(len(first))]
    scores = [(a + b) / 2 for a, b in zip(standard(ranks), standard(company), strict=True)]
    return [first[i] for i in sorted(range(len(first)), key=lambda i: -scores[i])] + ranked[most:]


def standard(values):
    """Values less their mean, over their standard deviation."""
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / len(values))
    return [(v - mean) / deviation if deviation > 1e-12 else 0.0 for v in values]
