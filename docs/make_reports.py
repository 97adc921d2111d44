"""Makes the reports and the notebook that `docs/reports.md` shows: small models, half a minute.

python docs/make_reports.py build/reports
"""

import contextlib
import html
import io
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from stickbreaker import (
    HDP,
    LDA,
    AdaptorGrammar,
    Bitext,
    Corpus,
    NgramModel,
    SyntacticTopics,
    TopicLexicon,
    TopicNgramModel,
)
from stickbreaker.corpus import ReadingOptions
from stickbreaker.corpus.readers.python_docs import python_documents

QUIET = subprocess.DEVNULL
SPOKEN = (
    "you the a that is it to want look at book doggie kitty here see what there can put on drink baby ball"
)
PARSED = {
    "sport": ("the team wins matches", "a coach sees goals", "the team sees goals"),
    "money": ("a bank takes shares", "the price takes losses", "a bank sees losses"),
}
PAIRS = (
    ("die bank gibt einen kredit", "the bank gives a loan", "money"),
    ("der kredit der bank ist teuer", "the loan of the bank is expensive", "money"),
    ("die bank steht im park", "the bench stands in the park", "park"),
    ("eine bank im park am see", "a bench in the park at the lake", "park"),
)
CELLS = (
    "from stickbreaker import LDA, Corpus\n\ncorpus = Corpus.open('stickbreaker-demo/corpus')\nlen(corpus)",
    "model = LDA(20, eta=0.1, max_iter=15, tol=0, random_state=0).fit(corpus)\nmodel",
    "model.topics_frame().head()",
    "model.documents_frame(corpus)[['title', 'topic']].head()",
)
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>A notebook with topics</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }}
div {{ overflow-x: auto }}
.in {{ background: #8882; padding: .6rem; overflow-x: auto }}
table {{ border-collapse: collapse; font-size: .9em }}
td, th {{ padding: .2rem .6rem; text-align: left }}
</style>
<h1>A notebook with topics</h1>
<p>The cells, with what they show, of <a href="topics.ipynb">topics.ipynb</a>.</p>
{body}
</html>
"""


def grammar_report(out: Path) -> None:
    draw, words = random.Random(0), SPOKEN.split()
    frequencies = [1 / (rank + 2) for rank in range(len(words))]
    heard = ["".join(draw.choices(words, frequencies, k=draw.randint(2, 6))) for _ in range(400)]
    AdaptorGrammar("unigram", max_iter=60, random_state=0).fit(heard).report(out, title="Words in speech")


def language_model_reports(folder: Path) -> None:
    texts = [document.text for document in python_documents() if document.text][::4]
    NgramModel(order=3, min_count=2, max_iter=12, random_state=0).fit(texts).report(
        folder / "language-model.html", title="A language model of Python's manual", documents=texts[:40]
    )
    TopicNgramModel(5, order=2, min_count=3, max_iter=20, random_state=0).fit(texts[:120]).report(
        folder / "language-model-with-topics.html", title="Topics with word order", documents=texts[:40]
    )


def syntax_report(folder: Path, scratch: Path) -> None:
    lines: list[str] = []
    for number in range(60):
        subject = list(PARSED)[number % 2]
        lines.append(f"# newdoc id = {subject}{number}")
        for words in map(str.split, PARSED[subject]):
            tags = zip(words, (2, 3, 0, 3), ("DET", "NOUN", "VERB", "NOUN"), strict=True)
            lines += [
                f"{n}\t{word}\t{word}\t{tag}\t_\t_\t{head}\t_\t_\t_"
                for n, (word, head, tag) in enumerate(tags, 1)
            ]
            lines.append("")
    (scratch / "parsed.conllu").write_text("\n".join([*lines, ""]), encoding="utf-8")
    corpus = Corpus.build(scratch / "parsed.conllu", scratch / "parsed", reading=ReadingOptions(trees=True))
    model = SyntacticTopics(6, max_iter=60, random_state=0).fit(corpus)
    model.report(folder / "syntactic-topics.html", title="Syntactic topics", documents=corpus)


def lexicon_report(folder: Path) -> None:
    rows = [(own, other, f"{domain}{n}", domain) for n in range(8) for own, other, domain in PAIRS]
    lexicon = TopicLexicon.learn(Bitext.of(rows, "de", "en"))
    lexicon.report(folder / "lexicon.html")


def topic_reports(folder: Path, corpus: Corpus) -> None:
    hdp = HDP(30, eta=0.1, max_iter=15, random_state=0).fit(corpus)
    hdp.report(folder / "hdp.html", title="Topics whose number is learned", documents=corpus)
    lda = LDA(20, eta=0.1, max_iter=15, random_state=0).fit(corpus)
    lda.report(folder / "lda.html", title="Topics of Python's manual", documents=corpus)


def notebook(folder: Path, place: Path) -> None:
    """A notebook whose cells were run where the demo is, as a file and as a page."""
    names: dict[str, Any] = {}
    cells: list[dict[str, Any]] = []
    with contextlib.chdir(place):
        for number, source in enumerate(CELLS, 1):
            *before, last = source.rsplit("\n", 1)
            with contextlib.redirect_stdout(io.StringIO()):
                exec("\n".join(before), names)
                value = eval(last, names)
            shown = {"text/plain": repr(value)}
            if hasattr(value, "_repr_html_"):
                shown["text/html"] = value._repr_html_()
            output = {
                "output_type": "execute_result",
                "execution_count": number,
                "data": shown,
                "metadata": {},
            }
            cells.append(
                {
                    "cell_type": "code",
                    "execution_count": number,
                    "id": f"cell{number}",
                    "metadata": {},
                    "source": source,
                    "outputs": [output],
                }
            )
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    whole = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (folder / "topics.ipynb").write_text(json.dumps(whole, indent=1), encoding="utf-8")
    (folder / "notebook.html").write_text(notebook_page(cells), encoding="utf-8")


def notebook_page(cells: list[dict[str, Any]]) -> str:
    """The cells of a notebook, and what they show."""
    body: list[str] = []
    for cell in cells:
        shown = cell["outputs"][0]["data"]
        table = shown.get("text/html") or f"<pre>{html.escape(shown['text/plain'])}</pre>"
        number = cell["execution_count"]
        body.append(f"<pre class='in'>[{number}] {html.escape(cell['source'])}</pre>\n<div>{table}</div>")
    return PAGE.format(body="\n".join(body))


def main(out: Path) -> None:
    folder = out / "reports"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        program = Path(sys.executable).parent / "stickbreaker"
        subprocess.run(
            [program, "demo", "--out", scratch / "stickbreaker-demo"], check=True, stdout=QUIET, stderr=QUIET
        )
        (scratch / "stickbreaker-demo" / "report.html").rename(folder / "demo.html")
        topic_reports(folder, Corpus.open(scratch / "stickbreaker-demo" / "corpus"))
        notebook(folder, scratch)
        language_model_reports(folder)
        grammar_report(folder / "grammar.html")
        syntax_report(folder, scratch)
        lexicon_report(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/reports"))
