"""`stickbreaker demo`: topics from real text that every Python installation has."""

import shutil
import sys
from pathlib import Path

import click

from stickbreaker.console.console import PATH, command, emit, note, option, tell_of_compiling
from stickbreaker.core.errors import UserError, counted
from stickbreaker.core.option_names import quoted_path

PASSES = 10


@click.command(epilog="Example: stickbreaker demo --topics 30")
@option(
    "--out",
    default="stickbreaker-demo",
    type=PATH,
    help="Directory for the corpus, the model and the report.",
)
@option("--topics", default=40, least=1, help="Number of topics.")
@option("--seed", default=0, type=int, help="Random seed; the same seed gives the same topics.")
@option("--overwrite", is_flag=True, help="Replace an earlier demo at --out.")
@command
def demo(out: Path, topics: int, seed: int, overwrite: bool, as_json: bool) -> None:
    """Learn topics from the documentation of the Python that runs this, and write a report.

    It reads the standard library's docstrings and comments on this machine; nothing is downloaded.
    """
    from stickbreaker.console.running import watcher
    from stickbreaker.core.files import write_atomic
    from stickbreaker.corpus import Corpus, VocabularyRule
    from stickbreaker.corpus.readers.python_docs import python_documents
    from stickbreaker.estimators import model_runs
    from stickbreaker.learning.schedules import Online
    from stickbreaker.topics.learned import load_topics
    from stickbreaker.topics.learner import LDA
    from stickbreaker.topics.model.vocabularies.open_settings import OpenVocabulary
    from stickbreaker.topics.report.topic_page import page_of
    from stickbreaker.topics.settings import LDASettings
    from stickbreaker.topics.verbs.topics import TopicList, listed_topics

    corpus_path, model_path, page_path = out / "corpus", out / "model", out / "report.html"
    if out.exists() and not overwrite:
        raise UserError("already exists", where=out, remedy="choose another --out or give --overwrite")
    if out.exists() and any(out.iterdir()) and not model_path.exists() and not corpus_path.exists():
        raise UserError("is not an earlier demo", where=out, remedy="choose another --out")
    version = ".".join(map(str, sys.version_info[:3]))
    note(f"reading the documentation of Python {version} …")
    corpus = Corpus.from_documents(
        python_documents(),
        corpus_path,
        rule=VocabularyRule(min_documents=3, max_share=1.0),
        overwrite=overwrite,
    )
    sizes = f"{counted(corpus.n_documents, 'document')}, {counted(corpus.n_words, 'distinct word')}"
    note(f"{sizes}; learning {counted(topics, 'topic')} …")
    settings = LDASettings(
        topics,
        words=OpenVocabulary(truncation=5_000),
        schedule=Online(batch_size=64),
        alpha=0.1,
        max_iter=PASSES,
        tol=0.0,
        random_state=seed,
    )
    tell_of_compiling()
    directory = model_runs.begin(LDA, settings, corpus, model_path, overwrite=overwrite, stays_locked=True)
    model_runs.resume(directory, every=60.0, threads=None, watch=[watcher()])
    page = page_of(model_path, f"What Python {version} documents")
    write_atomic(page_path, page.html().encode("utf-8"))
    listed = listed_topics(load_topics(model_path, "topics"), 10)
    found = TopicList(str(model_path), tuple(one for one in listed if not one.unused))
    result = {"corpus": str(corpus_path), "model": "", "report": str(page_path), **found.as_json()}
    emit(result, as_json, lambda _: f"{found}\n\n{_next(out)}")


def _next(out: Path) -> str:
    program = "stickbreaker" if shutil.which("stickbreaker") else quoted_path(sys.argv[0])
    return (
        f"The report is {out / 'report.html'}: open it in a browser.\n"
        "For your own text (a folder of .txt files, a .txt with one document a line, or JSON Lines):\n"
        f"  {program} fit lda my-text.jsonl --out my-model --topics 50\n"
        f"  {program} topics my-model\n"
        f"  {program} report my-model --out my-report.html"
    )
