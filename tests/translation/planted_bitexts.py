"""Bitexts whose links and domains are known: random ones, and one of two domains."""

import json

import numpy as np

from stickbreaker.translation.alignment.aligned_words import links_of
from stickbreaker.translation.bitext import Bitext, Pair

DOMAINS = ("money", "park")
OWN = {  # words of one domain, and what they are in English
    "money": {"kredit": "loan", "zins": "interest", "aktie": "share", "geld": "cash", "kasse": "till"},
    "park": {"baum": "tree", "wiese": "lawn", "ente": "duck", "teich": "pond", "laub": "leaves"},
}
ANY = {"ich": "i", "sehe": "see", "hier": "here", "oft": "often", "gern": "gladly"}  # words of both, too
BOTH = {  # words of both, and what they are in each
    "bank": ("bank", "bench"),
    "gericht": ("court", "dish"),
    "leiter": ("manager", "ladder"),
    "schloss": ("lock", "castle"),
}


def planted_pairs(n_documents=30, seed=0, first=0):
    """Pairs of `n_documents` documents, of each domain in turn: eight sentences of six words each, half of
    them words whose translation depends on the domain. Word i translates word i."""
    draw = np.random.default_rng(seed)
    pairs = []
    for number in range(first, first + n_documents):
        side = number % 2
        own = OWN[DOMAINS[side]]
        for _ in range(8):
            words = [str(word) for word in draw.choice(list(own), 3)]
            words += [str(word) for word in draw.choice(list(BOTH), 3, replace=False)]
            draw.shuffle(words)
            target = [own[word] if word in own else BOTH[word][side] for word in words]
            pairs.append(Pair(" ".join(words), " ".join(target), f"d{number}", DOMAINS[side]))
    return pairs


def neutral_pairs(n_documents=30, seed=0, first=0):
    """Pairs of `n_documents` documents, of each domain in turn: three sentences of five words of the domain,
    then six of three words of any domain and two whose translation depends on it, which their sentence does
    not tell."""
    draw = np.random.default_rng(seed)
    pairs = []
    for number in range(first, first + n_documents):
        side = number % 2
        english = {**ANY, **OWN[DOMAINS[side]], **{word: both[side] for word, both in BOTH.items()}}
        for sentence in range(9):
            if sentence < 3:
                words = [str(word) for word in draw.choice(list(OWN[DOMAINS[side]]), 5)]
            else:
                words = [str(word) for word in draw.choice(list(ANY), 3)]
                for word in draw.choice(list(BOTH), 2, replace=False):
                    words.insert(int(draw.integers(len(words) + 1)), str(word))
            target = " ".join(english[word] for word in words)
            pairs.append(Pair(" ".join(words), target, f"d{number}", DOMAINS[side]))
    return pairs


def as_rows(pairs):
    """Pairs as lines of JSON, with the fields that the program looks for."""
    rows = (
        {"doc": pair.document, "domain": pair.domain, "de": pair.source, "en": pair.target} for pair in pairs
    )
    return "".join(json.dumps(row) + "\n" for row in rows)


def straight_links(bitext):
    """Word i of the source with word i of the target, as far as both sentences go."""
    lengths = np.minimum(*(side.lengths for side in bitext.sides))
    return links_of([(i, i) for i in range(n)] for n in lengths.tolist())


def random_bitext(seed, n_documents=4, n_topics=3):
    """A small bitext of invented words, some of them never linked, with links and shares of topics.

    Returns the bitext, its links, and shares (documents × topics).
    """
    draw = np.random.default_rng(seed)
    pairs, lists = [], []
    for number in range(n_documents):
        for _ in range(int(draw.integers(1, 4))):
            sides = [
                [f"{letter}{draw.integers(5)}" for _ in range(draw.integers(1, 5))] for letter in ("f", "e")
            ]
            pairs.append(Pair(" ".join(sides[0]), " ".join(sides[1]), f"d{number}"))
            places = [(i, j) for i in range(len(sides[0])) for j in range(len(sides[1]))]
            lists.append([place for place in places if draw.random() < 0.4])
    shares = draw.dirichlet(np.ones(n_topics), n_documents)
    return Bitext.of(pairs, "de", "en"), links_of(lists), shares


def sentences_of_bitext(bitext, links, known=None):
    """The sentences of a bitext as the oracle wants them: (document, source words, target words, links).

    Words that a bitext `known` does not have are None.
    """
    words = bitext.words if known is None else known.words
    sides = bitext.sides if known is None else bitext.seen_by(known)
    found = []
    for pair in range(bitext.n_pairs):
        spelled = []
        for own, side in zip(words, sides, strict=True):
            numbers = side.words[side.offsets[pair] : side.offsets[pair + 1]].tolist()
            spelled.append([own[number] if number >= 0 else None for number in numbers])
        here = slice(*links.offsets[pair : pair + 2])
        places = list(zip(links.source[here].tolist(), links.target[here].tolist(), strict=True))
        found.append((bitext.names[bitext.document_of[pair]], *spelled, places))
    return found
