"""What language models can do."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stickbreaker.estimators.kinds import Kind, Page


def _page(path: Path, title: str, options: Mapping[str, Any]) -> Page:
    from stickbreaker.ngrams.report.language_records import language_page_of

    return language_page_of(path, title)


KINDS = (
    Kind(
        name="NgramModel",
        home="stickbreaker.ngrams.plain_ngram:PlainNgramModel",
        front_door="stickbreaker.ngrams.ngram:NgramModel",
        verbs=("generate", "score", "evaluate", "report", "export"),
        measures=("score",),
        formats=("arpa",),
        page=_page,
        trials={
            "trigrams": {"min_count": 1},
            "unbounded": {"order": "unbounded", "min_count": 1},
            "spelled": {"unknown": "spelled"},
        },
    ),
)
