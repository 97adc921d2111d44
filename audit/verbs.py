"""Every verb of the program on small files, by kind: `rehearse` runs them, and so compiles their kernels."""

import os
import tempfile
from pathlib import Path

from tests.running import planted_documents, with_german, write_lines, write_trees

from stickbreaker.cli import main

FIT = ("--topics", "2", "--iterations", "2", "--threads", "1")
KINDS = (
    "lda",
    "lda --inference hybrid",
    "lda --inference gibbs --every 1",
    "lda --inference gibbs-delayed --every 1",
    "lda --words open --schedule online --batch-size 5",
    "lda --words open --schedule online --batch-size 5 --inference hybrid",
    "hdp --batch-size 5",
    "hdp --inference hybrid --batch-size 5",
    "hdp --inference gibbs --every 1",
    "hdp --schedule batch",
    "hdp --words open --schedule online --batch-size 5",
)
NGRAMS = (
    "ngram --order unbounded",
    "ngram --unknown spelled",
    "ngram --topics 3",
    "ngram --topics 3 --prior hierarchical",
    "ngram --topics 3 --order unbounded",
)
TREES = ("syntax --unknown tag", "syntax --limit itic", "syntax --limit hdp", "syntax --inference mean-field")
GRAMMARS = (
    "segment grammar0 lines.jsonl --out cut.txt",
    "parse grammar0 lines.jsonl --out trees.txt",
    "parse grammar0 lines.jsonl --how samples --out drawn.txt",
    "evaluate grammar0 lines.jsonl",
)
PAIRS = "sides.jsonl --from de --to en --text-field de=deutsch,en=text --document-field label"
TRANSLATION = (
    f"translate documents {PAIRS} --out pairs.jsonl",
    f"translate learn {PAIRS} --domain-field label --by-domain --phrases --out lexicon --threads 1",
    "translate word lexicon revire",
    "translate terms lexicon",
    "translate export lexicon --format moses --out lex",
    "translate tune lexicon sides.jsonl --rounds 2 --threads 1",
    "translate run lexicon sides.jsonl --n-best 2 --out sides.nbest --threads 1",
    "translate rerank lexicon sides.nbest --source sides.jsonl --weight 1 --out ranked.nbest",
    "evaluate lexicon sides.jsonl --threads 1",
    "report lexicon --out lexicon.html",
)
AFTER = (
    "corpus info corpus",
    "topics 0",
    "update 0 lines.jsonl --threads 1 --batch-size 20 --date 2026-01-01 --out updated",
    "transform 0 corpus --out shares.csv --threads 1",
    "transform 0 lines.jsonl --out shares.parquet --threads 1",
    "evaluate 0 corpus --threads 1",
    "report 0 --out report.html",
    "report 6 --out report2.html",
    "export 0 corpus --format pyldavis --out ldavis.json --threads 1",
    "compare 0 0",
    "resume 0",
)


def silently(line: str) -> None:
    """What a command does, without what it prints."""
    main(line.split(), standalone_mode=False)


def rehearse(*parts: str) -> None:
    """Run every verb once, in an empty folder; parts: only these."""
    saved, before = [os.dup(1), os.dup(2)], os.getcwd()
    quiet = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        with tempfile.TemporaryDirectory() as place:
            os.chdir(place)
            write_lines(Path("lines.jsonl"), planted_documents(10))
            for part in parts or PARTS:
                PARTS[part]()
    finally:
        os.chdir(before)
        os.dup2(saved[0], 1)
        os.dup2(saved[1], 2)
        for descriptor in (quiet, *saved):
            os.close(descriptor)


def topics() -> None:
    """Models of topics, and what reads them."""
    silently("corpus build lines.jsonl --out corpus --min-documents 1")
    silently("corpus build lines.jsonl --out phrases --min-documents 1 --phrases")
    for number, kind in enumerate(KINDS):
        model, _, options = kind.partition(" ")
        silently(f"fit {model} corpus --out {number} {' '.join((*FIT, options))}")
    for line in AFTER:
        silently(line)


def ngrams() -> None:
    """Models of n-grams, with topics too."""
    for number, kind in enumerate(NGRAMS):
        silently(f"fit {kind} lines.jsonl --out ngram{number} --iterations 2")
        silently(f"score ngram{number} lines.jsonl")
    silently("generate ngram0 --sentences 1")
    silently("export ngram1 --format arpa --out ngram1.arpa")
    silently("score ngram1.arpa lines.jsonl")
    silently("fit lda lines.jsonl --out rescaling --min-documents 1 " + " ".join(FIT))
    silently("evaluate ngram0 lines.jsonl --rescale rescaling")
    silently("evaluate ngram1 lines.jsonl --rescale rescaling")


def grammars() -> None:
    """Adaptor grammars."""
    for number, init in enumerate(("batch", "incremental")):
        silently(f"fit grammar lines.jsonl --out grammar{number} --iterations 2 --init {init}")
    for line in GRAMMARS:
        silently(line)


def trees() -> None:
    """Syntactic topics."""
    write_trees(Path("trees.conllu"))
    for number, kind in enumerate(TREES):
        silently(f"fit {kind} trees.conllu --out syntax{number} --iterations 2 --topics 2 --threads 1")
        silently(f"evaluate syntax{number} trees.conllu")
    silently("transform syntax1 trees.conllu --out syntax.csv")


def translation() -> None:
    """Lexicons and phrases."""
    write_lines(Path("sides.jsonl"), with_german(planted_documents(40)))
    for line in TRANSLATION:
        silently(line)


PARTS = {part.__name__: part for part in (topics, ngrams, grammars, trees, translation)}
