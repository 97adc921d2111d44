"""A small language model of the documentation of the Python that runs this: which word comes next?

python examples/language_model.py
"""

import math

from stickbreaker import NgramModel
from stickbreaker.corpus.readers.python_docs import python_documents

SENTENCES = ("The file is closed when the block ends.", "Ends block the when closed is file the.")


def main() -> None:
    texts = [document.text for document in python_documents() if document.text]
    last = len(texts) * 9 // 10
    train, test = texts[:last], texts[last:]
    model = NgramModel(order=3, min_count=2, max_iter=40, random_state=0).fit(train)
    print(f"{len(train)} documents, {len(model.words_):,} words; perplexity of {len(test)} others: ", end="")
    print(f"{model.perplexity(test):.1f}")

    for context in ("", "the", "return the", "if the"):
        likely = ", ".join(f"{word} {100 * p:.1f} %" for word, p in model.next_words(context, 5))
        print(f"{context or '(beginning)':>12} … {likely}")

    print("\nsentences drawn from the model, <unk> for a word that is not known:")
    for sentence in model.generate(3, beginning="the", longest=30):
        print("  ", *sentence)

    # the same words in two orders: bits of surprise, the end of the sentence included
    print()
    for text, score in zip(SENTENCES, model.score_sentences(SENTENCES), strict=True):
        print(f"{-score.nats / math.log(2):6.1f} bits, {score.unknown} unknown words: {text}")


if __name__ == "__main__":
    main()
