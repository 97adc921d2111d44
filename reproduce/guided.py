"""Table 3.2: twelve categories of a lexicon guide topics in news and in blogs.

LIWC may not be passed on, so that its categories are replaced by the nearest in meaning of Empath.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from texts import LEXICON, texts

from stickbreaker import LDA, Corpus
from stickbreaker.corpus import Analysis, VocabularyRule
from stickbreaker.estimators.guiding import Guide
from stickbreaker.evaluation import top_words_of

TOPICS, PASSES, SEED = 100, 40, 0
TOP = 20
PAIRS = {  # LIWC's category, as the thesis names it: Empath's, and what speaks for it
    "Affective Processes": ("emotional", "the nearest: feelings of any kind"),
    "Negative Emotions": ("negative_emotion", "the same"),
    "Positive Emotions": ("positive_emotion", "the same"),
    "Anxiety": ("nervousness", "anxiety, worry, fear"),
    "Anger": ("anger", "the same"),
    "Sadness": ("sadness", "the same"),
    "Cognitive Process": ("philosophy", "reasoning, knowledge, intellect; LIWC's has verbs of thinking"),
    "Insight": ("communication", "explain, clarify, fact; LIWC's has think, know, consider"),
    "Causation": ("power", "force, control, command; LIWC's has because, effect, hence"),
    "Discrepancy": ("disappointment", "what should have been; LIWC's has should, would, could"),
    "Tentative": ("confusion", "doubt, hesitation; LIWC's has maybe, perhaps, guess"),
    "Certainty": ("trust", "assure, promise, true; LIWC's has always, never"),
}
NEAR = 6  # the first so many pairs mean the same, or nearly


@dataclass
class Guided:
    """A category in a corpus: its topic's words with the guide, and the nearest topic's without.

    `words` are the most probable; `brought` those that documents brought most often, eta left out. Numbers
    are of the top words that lie in the category; `share`: of the corpus's tokens.
    """

    corpus: str
    name: str
    category: str
    known: int  # words of the category that the vocabulary has
    words: list[str]
    brought: list[str]
    inside: int
    brought_inside: int
    share: float
    without: list[str]
    without_inside: int
    without_share: float


def guide() -> Guide:
    """The twelve categories of Empath, weighted as in section 3.3.1 (10 and 0.01)."""
    return Guide.read(LEXICON, [category for category, _ in PAIRS.values()])


def topics_of(name: str) -> tuple[list[Guided], dict[str, Any]]:
    """All categories in one corpus, from one run with the guide and one without; and what the corpus is."""
    analysis = Analysis(stemming=True)
    corpus = Corpus.from_texts(texts(name), analysis=analysis, rule=VocabularyRule(min_documents=10))
    settings: dict[str, Any] = {"max_iter": PASSES, "tol": 0.0, "random_state": SEED}
    led = LDA(TOPICS, guide=guide(), **settings).fit(corpus)
    free = LDA(TOPICS, **settings).fit(corpus)
    prior = guide().prior(corpus.vocabulary, analysis, TOPICS, 0.01)
    counts = led.components_ - prior.T
    rows = []
    for topic, (meant, (category, _)) in enumerate(PAIRS.items()):
        inside = prior[:, topic] == guide().inside
        nearest = int(np.argmax(free.topic_word_[:, inside].sum(axis=1)))
        tops = {
            "words": top_words_of(led.topic_word_, TOP)[topic],
            "brought": top_words_of(counts, TOP)[topic],
            "without": top_words_of(free.topic_word_, TOP)[nearest],
        }
        words = {key: [corpus.vocabulary.words[row] for row in top] for key, top in tops.items()}
        within = {key: int(inside[top].sum()) for key, top in tops.items()}
        rows.append(
            Guided(
                corpus=name,
                name=meant,
                category=category,
                known=int(inside.sum()),
                inside=within["words"],
                brought_inside=within["brought"],
                without_inside=within["without"],
                share=float(led.topic_shares_[topic]),
                without_share=float(free.topic_shares_[nearest]),
                **words,
            )
        )
    about = {"documents": corpus.n_documents, "words": corpus.n_words, "tokens": corpus.n_tokens}
    return rows, about


def measure(full: bool) -> dict[str, Any]:
    """Both corpora; the thesis tells no larger setting, so that `full` is the same."""
    rows, corpora = [], {}
    for name in ("AP", "blogs"):
        found, corpora[name] = topics_of(name)
        rows += [asdict(row) for row in found]
        for row in found:
            print(f"{name}, {row.name}: {' '.join(row.brought[:8])}", flush=True)
    return {"rows": rows, "corpora": corpora}
