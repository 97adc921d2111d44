"""Topics of the documentation of the Python that runs this: fit, look, save, report.

python examples/fit_and_report.py [DIRECTORY]
"""

import sys
import tempfile
from pathlib import Path

from stickbreaker import LDA, Corpus, VocabularyRule
from stickbreaker.corpus.readers.python_docs import python_documents


def main(out: Path) -> None:
    documents = list(python_documents())
    corpus = Corpus.from_documents(documents, rule=VocabularyRule(min_documents=3, max_share=1.0))
    model = LDA(n_topics=30, eta=0.1, random_state=0).fit(corpus)
    print(f"{corpus.n_documents} documents, {model.n_iter_} passes, bound {model.bound_:.4f} nats per word\n")

    examples = model.representative_documents(corpus, n=1)
    largest_first = (-model.topic_shares_).argsort()
    words = model.top_words(7)
    for topic in largest_first[:10]:
        title = documents[examples[topic][0]].metadata["title"]
        print(f"{100 * model.topic_shares_[topic]:4.1f} %  {' '.join(words[topic])}   (most of it: {title})")

    model.save(out / "model", overwrite=True)
    page = out / "report.html"
    model.report(page, title="What Python documents", documents=corpus, overwrite=True)
    print(f"\nopen {page} in a browser")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="stickbreaker-")))
