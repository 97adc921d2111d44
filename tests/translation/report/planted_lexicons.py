"""Lexicons of two planted domains, in which a German word is translated in two ways."""

from collections.abc import Sequence

from tests.translation.planted_bitexts import straight_links

from stickbreaker.translation.bitext import Bitext, Pair
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon

MONEY = [
    ("Die Bank verleiht heute viel Geld.", "The bank lends today much money."),
    ("Geld liegt bei der Bank.", "Money lies at the bank."),
    ("Ein Schloss schützt Geld.", "A lock protects money."),
]
PARK = [
    ("Die Bank steht heute im Garten.", "The bench stands today in garden."),
    ("Im Garten steht die Bank.", "In garden stands the bench."),
    ("Ein Schloss überragt Bäume.", "A castle overlooks trees."),
]


def pairs(n: int = 10, domains: Sequence[str | None] = ("money", "park")) -> list[Pair]:
    """`n` documents of each domain, whose sentences are translated word by word."""
    sides = list(zip(domains, (MONEY, PARK), strict=False))
    return [
        Pair(source, target, f"{(domain or 'document')[0]}{number}{place}", domain)
        for number in range(n)
        for place, (domain, sentences) in enumerate(sides)
        for source, target in sentences
    ]


def planted(said: Sequence[Pair] | None = None) -> TopicLexicon:
    """A lexicon whose domains are those that the documents say."""
    bitext = Bitext.of(pairs() if said is None else said, "de", "en")
    return TopicLexicon.learn(bitext, links=straight_links(bitext))
