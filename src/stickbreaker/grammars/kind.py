"""What adaptor grammars can do."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stickbreaker.estimators.kinds import Kind, Page


def _page(path: Path, title: str, options: Mapping[str, Any]) -> Page:
    from stickbreaker.grammars.report.grammar_records import grammar_page_of

    return grammar_page_of(path, title)


KINDS = (
    Kind(
        name="AdaptorGrammar",
        home="stickbreaker.grammars.plain_grammar:PlainAdaptorGrammar",
        front_door="stickbreaker.grammars.adaptor_grammar:AdaptorGrammar",
        verbs=("segment", "parse", "rules", "evaluate", "report", "partial_fit"),
        measures=("segmentation",),
        page=_page,
        trials={
            "collocation": {},
            "unigram": {"grammar": "unigram"},
            "chains": {"init": "incremental", "chains": 2},
            "hybrid": {"inference": "hybrid", "grammar": "unigram"},
            "mean-field": {"inference": "mean-field", "grammar": "unigram"},
        },
    ),
)
