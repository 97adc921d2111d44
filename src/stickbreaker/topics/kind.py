"""What models of topics can do: latent Dirichlet allocation and the hierarchical Dirichlet process."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stickbreaker.estimators.kinds import Kind, Page

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
PAGE_OPTIONS = ("date_field", "group_field", "language", "compare")


def _page(path: Path, title: str, options: Mapping[str, Any]) -> Page:
    from stickbreaker.topics.report.page_records import page_of

    return page_of(path, title, **options)


KINDS = (
    Kind(
        name="LDA",
        home="stickbreaker.topics.plain_lda:PlainLDA",
        front_door="stickbreaker.topics.lda:LDA",
        verbs=(*OF_TOPICS, "search-k"),
        measures=("completion", "left_to_right", "coherence", "diversity", "labels", "language_pairs"),
        formats=FORMATS_OF_TOPICS,
        page=_page,
        page_options=PAGE_OPTIONS,
        trials={
            "batch": {},
            "online": {"schedule": "online"},
            "hybrid": {"inference": "hybrid"},
            "gibbs": {"inference": "gibbs"},
            "open": {"words": "open", "inference": "hybrid", "schedule": "online"},
        },
    ),
    Kind(
        name="HDP",
        home="stickbreaker.topics.plain_hdp:PlainHDP",
        front_door="stickbreaker.topics.hdp:HDP",
        verbs=OF_TOPICS,
        measures=("completion", "left_to_right", "coherence", "diversity", "labels", "language_pairs"),
        formats=FORMATS_OF_TOPICS,
        page=_page,
        page_options=PAGE_OPTIONS,
        trials={
            "memoised": {},
            "batch": {"schedule": "batch"},
            "online": {"schedule": "online"},
            "gibbs": {"inference": "gibbs"},
            "franchise": {"representation": "franchise"},
            "open": {"words": "open"},
        },
    ),
)
