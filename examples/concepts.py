"""Texts in two languages, none of them in both: a small dictionary brings them together.

python examples/concepts.py
"""

from stickbreaker import LDA, ConceptTree, Corpus
from stickbreaker.topics.evaluation.nearest import nearest_documents

ENGLISH = [
    "The striker scored a goal and the team won the match.",
    "The coach praised the team after the match.",
    "A late goal decided the match for the team.",
    "The bank raised interest on loans.",
    "Shares fell as the bank lost money on loans.",
    "Investors expect low interest and high shares.",
]
GERMAN = [
    "Die Mannschaft gewann das Spiel durch ein spätes Tor.",
    "Der Trainer lobte die Mannschaft nach dem Spiel.",
    "Der Torwart rettete das Spiel, und Fans jubelten.",
    "Die Bank erhöhte die Zinsen für Kredite.",
    "Aktien fielen, weil die Bank mit Krediten Geld verlor.",
    "Die Zinsen steigen, und Aktien verlieren.",
]
DICTIONARY = {
    "mannschaft": "team", "spiel": "match", "tor": "goal", "trainer": "coach",
    "bank": "bank", "zinsen": "interest", "kredite": "loans", "aktien": "shares", "geld": "money",
}  # fmt: skip


def main() -> None:
    corpus = Corpus.from_texts([*({"en": text} for text in ENGLISH), *({"de": text} for text in GERMAN)])
    tree = ConceptTree(
        [
            {"concept": f"{german}/{english}", "words": {"de": [german], "en": [english]}}
            for german, english in DICTIONARY.items()
        ]
    )
    for name, words in (("without concepts", "closed"), ("with concepts", tree)):
        model = LDA(2, words=words, inference="gibbs", alpha=0.1, eta=0.1, max_iter=300, random_state=0)
        model.fit(corpus)
        print(name)
        for language in corpus.vocabulary.languages:
            for topic, top in enumerate(model.top_words(5, language)):
                print(f"  topic {topic} in {language}: {' '.join(top)}")
        german = model.transform([{"de": text} for text in GERMAN])
        question = "The coach wants to win the match."
        found = nearest_documents(model.transform([{"en": question}]), [german], n=1)
        print(f"  {question} -> {GERMAN[found.positions[0, 0]]} ({found.affinity[0, 0]:.2f})")


if __name__ == "__main__":
    main()
