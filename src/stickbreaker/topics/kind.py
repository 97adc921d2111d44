"""What models of topics can do: latent Dirichlet allocation and the hierarchical Dirichlet process."""

from stickbreaker.estimators.kinds import Kind

OF_TOPICS = (
    "topics",
    "name",
    "transform",
    "evaluate",
    "nearest",
    "compare",
    "report",
    "export",
    "stream",
    "partial_fit",
)
FORMATS_OF_TOPICS = ("mallet-topic-keys", "gensim-topics", "mallet-doc-topics", "pyldavis")

KINDS = (
    Kind(
        name="LDA",
        home="stickbreaker.topics.plain_lda:PlainLDA",
        front_door="stickbreaker.topics.lda:LDA",
        verbs=(*OF_TOPICS, "search-k"),
        measures=("completion", "left_to_right", "coherence", "diversity", "labels", "language_pairs"),
        sections=("growth", "changes"),
        formats=FORMATS_OF_TOPICS,
    ),
    Kind(
        name="HDP",
        home="stickbreaker.topics.plain_hdp:PlainHDP",
        front_door="stickbreaker.topics.hdp:HDP",
        verbs=OF_TOPICS,
        measures=("completion", "left_to_right", "coherence", "diversity", "labels", "language_pairs"),
        sections=("growth", "changes"),
        formats=FORMATS_OF_TOPICS,
    ),
)
