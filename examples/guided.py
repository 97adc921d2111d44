"""Topics whose subjects are given by a few words, in the documentation of the Python that runs this.

python examples/guided.py
"""

from stickbreaker import LDA, Corpus, VocabularyRule
from stickbreaker.corpus.readers.python_docs import python_documents

GUIDE = {
    "networking": ["socket*", "server*", "client*", "host*", "network*", "address*"],
    "time": ["date*", "day*", "hour*", "month*", "year*", "clock*"],
    "testing": {"test*": 20, "assert*": 20, "mock*": 10},  # weights of one's own
}


def main() -> None:
    documents = list(python_documents())
    corpus = Corpus.from_documents(documents, rule=VocabularyRule(min_documents=3, max_share=1.0))
    free = LDA(n_topics=20, eta=0.1, random_state=0).fit(corpus)
    guided = LDA(n_topics=20, eta=0.1, guide=GUIDE, random_state=0).fit(corpus)
    print(f"bound in nats per word: {free.bound_:.3f} free, {guided.bound_:.3f} guided\n")

    examples = guided.representative_documents(corpus, n=3)
    words = guided.top_words(8)
    for topic, name in enumerate(guided.topic_names_):
        if name is not None:  # guided topics come first, in the guide's order
            share = 100 * guided.topic_shares_[topic]
            titles = ", ".join(str(documents[number].metadata["title"]) for number in examples[topic])
            print(f"{name}, {share:.1f} %: {' '.join(words[topic])}\n  most of it: {titles}")


if __name__ == "__main__":
    main()
