"""Topics of texts in two languages, some in both; then a German text is found for an English question.

python examples/polylingual.py
"""

from stickbreaker import LDA, Corpus
from stickbreaker.topics.evaluation.nearest import nearest_documents

BOTH = [  # the same story in both languages
    ("The striker scored two goals and the team won the match.",
     "Der Stürmer schoss zwei Tore und die Mannschaft gewann das Spiel."),
    ("The coach praised the team after the match.",
     "Der Trainer lobte die Mannschaft nach dem Spiel."),
    ("Fans cheered when the goalkeeper saved the match.",
     "Fans jubelten, als der Torwart das Spiel rettete."),
    ("The bank raised interest rates on loans.",
     "Die Bank erhöhte die Zinsen für Kredite."),
    ("Shares fell as the bank reported losses on loans.",
     "Aktien fielen, als die Bank Verluste bei Krediten meldete."),
    ("Investors expect lower interest rates and higher shares.",
     "Anleger erwarten niedrigere Zinsen und höhere Aktien."),
]  # fmt: skip
ALONE = [  # and some in one of them
    {"en": "A late goal decided the match for the team."},
    {"de": "Die Mannschaft verlor das Spiel ohne ihren Trainer."},
    {"de": "Die Zinsen der Bank steigen, Aktien verlieren."},
    {"en": "Loans are cheap while interest rates are low."},
]


def main() -> None:
    texts = [{"en": english, "de": german} for english, german in BOTH] + ALONE
    corpus = Corpus.from_texts(texts)
    print(", ".join(f"{number} texts in {code}" for code, number in corpus.languages.items()))

    model = LDA(n_topics=2, alpha=0.1, eta=0.1, random_state=0).fit(corpus)
    for language in corpus.vocabulary.languages:
        for topic, words in enumerate(model.top_words(5, language)):
            print(f"  topic {topic} in {language}: {' '.join(words)}")

    # any subset of the languages will do for new documents
    news = ["Die Bank vergibt Kredite zu niedrigen Zinsen.", "Der Trainer der Mannschaft tritt zurück."]
    german = model.transform([{"de": text} for text in news])
    question = "Who coaches the team in its next match?"
    found = nearest_documents(model.transform([{"en": question}]), [german], n=1)
    print(f"{question} -> {news[found.positions[0, 0]]} ({found.affinity[0, 0]:.2f})")


if __name__ == "__main__":
    main()
