"""Topics of the documentation of the Python that runs this, each a language model that documents adapt to.

python examples/topics_with_word_order.py
"""

from stickbreaker import NgramModel, TopicNgramModel
from stickbreaker.corpus.readers.python_docs import python_documents

SENTENCE = "The thread waits until the lock is released."
BEFORE = ("", "lock", "calendar")
SHOWN = 5


def main() -> None:
    texts = [document.text for document in python_documents() if document.text]
    last = len(texts) * 9 // 10
    train, test = texts[:last], texts[last:]
    settings = {"order": 3, "min_count": 2, "max_iter": 30, "random_state": 0}
    model = TopicNgramModel(12, **settings).fit(train)
    plain = NgramModel(**settings).fit(train)
    print(f"perplexity of {len(test)} documents: {model.perplexity(test):.1f}, ", end="")
    print(f"without topics {plain.perplexity(test):.1f}\n")

    words, phrases, shares = model.top_words(6), model.top_phrases(3), model.topic_shares_
    for topic in shares.argsort()[::-1][:SHOWN]:
        print(f"{100 * shares[topic]:4.1f} %  {' '.join(words[topic])}: {', '.join(phrases[topic])}")

    # the same sentence by itself, and after the document that names a word most often
    print()
    for word in BEFORE:
        document = max(texts, key=lambda text: text.lower().split().count(word)) if word else None
        score = model.score_sentences([SENTENCE], document=document)[0]
        print(f"{score.nats:7.1f} nats {f'after the document with most {word}s' if word else 'by itself'}")

    print("\nsentences of the largest topic:")
    for sentence in model.generate(3, topic=int(shares.argmax()), longest=20):
        print("  ", *sentence)


if __name__ == "__main__":
    main()
