"""Which page of the documentation is about each command, and where the pages are."""

from pathlib import Path

PACKAGE = Path(__file__).parents[1]
PAGES = {  # by command; paths below docs/
    "": "index.md",
    "demo": "tutorials/first-topics.md",
    "corpus": "reference/corpora.md",
    "corpus build": "howto/read-files.md",
    "corpus info": "howto/remove-words.md",
    "corpus export": "howto/to-other-programs.md",
    "concepts": "models/concepts.md",
    "fit": "explanation/index.md",
    "fit lda": "tutorials/first-topics.md",
    "fit hdp": "howto/how-many-topics.md",
    "fit syntax": "models/syntax.md",
    "fit ngram": "tutorials/language-model.md",
    "fit grammar": "tutorials/segmenting.md",
    "resume": "howto/resume.md",
    "update": "howto/update-a-model.md",
    "stream": "tutorials/on-spark.md",
    "stream lda": "tutorials/on-spark.md",
    "stream hdp": "tutorials/on-spark.md",
    "topics": "howto/words-of-a-topic.md",
    "name": "howto/name-topics.md",
    "merge": "howto/merge-topics.md",
    "transform": "howto/topic-of-each-document.md",
    "evaluate": "howto/score-new-documents.md",
    "segment": "howto/segment-new-text.md",
    "parse": "howto/segment-new-text.md",
    "rules": "howto/write-a-grammar.md",
    "score": "howto/score-sentences.md",
    "rescore": "reference/language-models.md",
    "generate": "tutorials/language-model.md",
    "translate": "models/translation.md",
    "translate documents": "howto/translate-a-word.md",
    "translate learn": "howto/translate-a-word.md",
    "translate word": "howto/translate-a-word.md",
    "translate terms": "models/translation.md",
    "translate rerank": "reference/translation.md",
    "translate run": "reference/translation.md",
    "translate tune": "reference/translation.md",
    "translate export": "howto/to-other-programs.md",
    "nearest": "howto/similar-documents.md",
    "effect": "howto/effects-of-metadata.md",
    "over-time": "howto/topics-over-time.md",
    "intruders": "howto/word-intrusion.md",
    "compare": "howto/same-topics-again.md",
    "search-k": "howto/how-many-topics.md",
    "report": "reference/report.md",
    "export": "howto/to-other-programs.md",
    "docs": "index.md",
}


def page_of(command: str) -> str | None:
    """The page about a command such as "fit lda", as a path below docs/; None if there is none.

    >>> page_of("resume")
    'howto/resume.md'
    """
    return PAGES.get(command)


def folder() -> Path:
    """The directory of the documentation's sources: in the source tree, or else in the installed package.

    Raises FileNotFoundError if there is neither.
    """
    for place in (PACKAGE.parents[1] / "docs", PACKAGE / "docs"):
        if (place / "index.md").is_file():
            return place
    raise FileNotFoundError("docs")


def built(page: str) -> Path | None:
    """The HTML file of a page, if `make docs` has built it in the source tree; otherwise None."""
    found = PACKAGE.parents[1].joinpath("build", "docs", page).with_suffix(".html")
    return found if found.is_file() else None
