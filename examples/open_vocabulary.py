"""A stream whose words nobody listed: they enter the topics as they come, and leave when they are gone.

python examples/open_vocabulary.py
"""

import numpy as np

from stickbreaker import LDA, Online, OpenVocabulary

ALWAYS = {
    "music": "album band concert guitar song singer tour stage",
    "football": "goal match team striker league coach stadium fans",
}
BEFORE = {"music": "cassette vinyl", "football": "terrace pools"}
LATER = {"music": "remix playlist streaming podcast", "football": "vuvuzela replay qualifier transfer"}


def week(number: int, draw: np.random.Generator) -> list[list[str]]:
    """Fifty documents of one subject each; from week 10 on, some words are gone and others are new."""
    documents: list[list[str]] = []
    for _ in range(50):
        subject = str(draw.choice(list(ALWAYS)))
        words = f"{ALWAYS[subject]} {(LATER if number >= 10 else BEFORE)[subject]}".split()
        documents.append(draw.choice(words, 12).tolist())
    return documents


def main() -> None:
    draw = np.random.default_rng(0)
    words = OpenVocabulary(concentration=30.0, truncation=12)
    schedule = Online(batch_size=50, tau0=8.0, kappa=0.6)
    model = LDA(2, words=words, inference="hybrid", schedule=schedule, alpha=0.1, random_state=0)
    for number in range(30):
        model.partial_fit(week(number, draw))
        told = model.trace_[-1]["vocabulary"]
        if told["entered"] or told["left"] or number == 29:
            print(f"week {number:>2}: {told['size']} words, {told['entered']} entered, {told['left']} left")
    for top, rest in zip(model.top_words(10), model.rest_, strict=True):
        print(f"{100 * rest:4.1f} % for words not met yet, then: {' '.join(top)}")

    # words that no topic has are left out of a document's shares
    new = [["vuvuzela", "goal", "qatar"], ["playlist", "guitar"], ["unheard-of"]]
    for line, shares in zip(new, model.transform(new), strict=True):
        print(shares.round(2), *line)


if __name__ == "__main__":
    main()
