"""Documents that arrive in small batches, learned as they come, with a model saved and taken up in between.

python examples/streaming.py
"""

import tempfile
from pathlib import Path

from stickbreaker import LDA, Online
from stickbreaker.testing import plant_topics
from stickbreaker.testing.planted import matched


def main() -> None:
    # 6,000 documents drawn from five topics; the last 500 are for scoring
    planted = plant_topics(n_documents=6000, n_words=400, eta=0.1, seed=3)
    stream, test = planted.counts[:5500], planted.counts[5500:]

    # `total` is how many documents the stream will have; without it, those seen so far
    schedule = Online(tau0=8.0, kappa=0.7, total=5500)
    model = LDA(n_topics=5, alpha=0.1, eta=0.1, schedule=schedule, random_state=0)
    with tempfile.TemporaryDirectory() as scratch:
        saved = Path(scratch) / "model"
        for number, start in enumerate(range(0, 5500, 250)):
            model.partial_fit(stream[start : start + 250])
            if number % 3 == 0:
                print(f"{start + 250:>5} documents seen: {model.score(test):.4f} nats per word")
            if number == 10:  # save it, and continue from the file
                model.save(saved)
                model = LDA.load(saved)

    _, cosines = matched(model.topic_word_, planted.topics)
    print("each true topic and the learned one nearest to it, cosine:", *cosines.round(3))


if __name__ == "__main__":
    main()
