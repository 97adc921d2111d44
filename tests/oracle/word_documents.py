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


def document_weights(counts, theta, beta):
    """O[d][k] = {w: phi_dwk log(1 + n_dw)}; counts: for each document {w: n_dw}."""
    n_topics, weights = len(beta), []
    for own, shares in zip(counts, theta, strict=True):
        document = [{} for _ in range(n_topics)]
        for w, n in own.items():
            norm = sum(shares[j] * beta[j][w] for j in range(n_topics))
            for k in range(n_topics):
                document[k][w] = shares[k] * beta[k][w] / norm * math.log(1 + n)
        weights.append(document)
    return weights


def support_order(weights, n_topics, words, s=2.0):
    """Each topic's words by the lower bound: q = max(0, sum O - s S) / sum W, S the root of the sum over
    documents of (O - W p)^2; those of which q is not above p follow, by sum O."""
    sums = [[sum(d[k].get(w, 0.0) for d in weights) for w in words] for k in range(n_topics)]
    total = sum(map(sum, sums))
    p = [sum(row[w] for row in sums) / total for w in range(len(words))]
    orders = []
    for k in range(n_topics):
        whole = sum(sums[k])
        q = []
        for w, p_w in zip(words, p, strict=True):
            spread = math.sqrt(sum((d[k].get(w, 0.0) - sum(d[k].values()) * p_w) ** 2 for d in weights))
            q.append(max(0.0, sum(d[k].get(w, 0.0) for d in weights) - s * spread) / whole)
        first = [w for w in range(len(words)) if q[w] > p[w] * 1.00001]
        rest = [w for w in range(len(words)) if w not in first]
        first.sort(key=lambda w: -q[w] * math.log(q[w] / p[w]))
        rest.sort(key=lambda w: -sums[k][w])
        orders.append([words[w] for w in first + rest])
    return orders


def windows(texts, width):
    """Texts (lists of words) cut into as few windows of at most `width` words as possible, nearly equal."""
    cut = []
    for text in texts:
        n = -(-len(text) // width)
        cut += [text[i * len(text) // n : (i + 1) * len(text) // n] for i in range(n)]
    return cut


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
