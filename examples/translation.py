"""A lexicon by topic: what a German word is in English depends on what its document is about.

python examples/translation.py
"""

from itertools import product

from stickbreaker import LDA, Bitext, Corpus, TopicLexicon

PEOPLE = {"der mann": "the man", "die frau": "the woman", "der vater": "the father", "maria": "maria"}
PARK = (  # phrases about a park, with what they are in English
    {"sitzt auf der bank": "sits on the bench", "steht neben der bank": "stands beside the bench"},
    {"im park": "in the park", "unter dem baum": "under the tree", "am see": "at the lake"},
)
MONEY = (  # and about money
    {"geht zur bank": "goes to the bank", "schuldet der bank geld": "owes the bank money"},
    {"wegen der zinsen": "because of the interest", "für ein konto": "for an account"},
)


def pairs(name: str, phrases: tuple[dict[str, str], dict[str, str]]) -> list[tuple[str, str, str]]:
    """Sentences, translations and the documents that they belong to."""
    parts = list(product(PEOPLE.items(), *(own.items() for own in phrases)))
    return [
        (" ".join(german for german, _ in part), " ".join(english for _, english in part), f"{name} {i % 6}")
        for i, part in enumerate(parts)
    ]


def main() -> None:
    bitext = Bitext.of(pairs("park", PARK) + pairs("money", MONEY), "de", "en")
    print(f"{bitext.n_pairs} pairs of sentences in {len(bitext.names)} documents")

    # topics of the documents in both languages; a document's own come from its German side
    german, english = bitext.document_texts
    texts = [{"de": own, "en": other} for own, other in zip(german, english, strict=True)]
    topics = LDA(n_topics=2, alpha=0.1, random_state=0).fit(Corpus.from_texts(texts))
    lexicon = TopicLexicon.learn(bitext, topics)

    for document in (None, "Der Hund liegt unter dem Baum am See.", "Das Konto hat keine Zinsen."):
        found = ", ".join(f"{word} {p:.2f}" for word, p in lexicon.translations("bank", document, n=2))
        print(f"bank: {found:<24} {document or 'in all documents'}")


if __name__ == "__main__":
    main()
