"""Words found in text without spaces: made-up speech to a child.

python examples/segment_words.py
"""

import random

from stickbreaker import AdaptorGrammar
from stickbreaker.grammars.segmentation_agreement import segmentation_of

SPOKEN = (
    "you the a that is it to want look at book doggie kitty here see what there can put on drink baby ball"
)
WORDS = SPOKEN.split()


def main() -> None:
    generator = random.Random(0)
    frequencies = [1 / (rank + 2) for rank in range(len(WORDS))]
    gold = [generator.choices(WORDS, frequencies, k=generator.randint(2, 6)) for _ in range(800)]
    utterances = ["".join(words) for words in gold]
    print("heard:", *utterances[:3], sep="\n  ")

    model = AdaptorGrammar("unigram", max_iter=100, random_state=0).fit(utterances)
    pieces = model.segment(utterances)
    print("found:", *(" ".join(words) for words in pieces[:3]), sep="\n  ")
    scores = segmentation_of(pieces, gold)
    print(f"words with both ends right: F1 {scores.token.f1:.2f}; distinct words: F1 {scores.type.f1:.2f}")

    print("\nremembered most:")
    for one in model.subtrees("Word")[:8]:
        print(f"  {one.customers:5} {''.join(one.text)}")

    new = "seethelittledoggie"
    print(f"\na new one: {' '.join(model.segment([new])[0])}")
    best = model.parse([new])[0]
    print(f"its best tree, log p {best.tree_nats[0]:.1f} of {best.nats:.1f}:\n  {best.trees[0].brackets()}")


if __name__ == "__main__":
    main()
