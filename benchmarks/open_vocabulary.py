"""Open vocabularies: speed and memory, compared with a closed vocabulary and with river.

`make bench WHAT=open` learns from 20 Newsgroups in the order of their dates, on one thread, and from a
generated stream in which new words keep coming, and says first how long that takes;
`make bench WHAT=open FULL=1` (or --full) has the whole stream of five million documents, and more of the
postings for river. The tables are printed row by row and kept in bench-results/. CPU seconds, `partial_fit`
on token lists; settings are the same for all.
"""

import argparse
import json
import tempfile
from pathlib import Path

from benchmarks import open_stream
from benchmarks.corpora import kept_tokens
from benchmarks.harness import Report, Row, options, print_minutes, run
from benchmarks.open_programs import ALPHA, CLOSED, KAPPA, OURS, TAU0, TRUNCATION, K, S, run_program
from benchmarks.tables import CLAIMS, at_least, at_most
from reproduce.texts import rows

from stickbreaker import Analysis

RIVER_PART = (600, 1_500)  # postings that river learns from, short and full: a few minibatches at least
DOCUMENTS = (500_000, 5_000_000)  # of the generated stream
MINUTES = (12, 130)  # on one idle core
POSTINGS = (
    "postings", "program", "learned", "CPU s", "documents/s", "words", "nats/word", "unigram", "unseen %",
    "accuracy %",
)  # fmt: skip
STREAM = (
    "memory", "documents", "distinct words", "words at the end", "most words", "first documents/s",
    "last documents/s", "last/first", "grown MB", "bound MB",
)  # fmt: skip


def measure(report: Report, args: argparse.Namespace) -> None:
    print_minutes(MINUTES[args.full])
    claims: list[Row] = []
    with tempfile.TemporaryDirectory() as place:
        if report.has("20 Newsgroups, whole"):
            claims += postings(report, write_postings(Path(place, "postings.jsonl")), RIVER_PART[args.full])
    claims += generated(report, DOCUMENTS[args.full])
    report.section("What was wanted", "Losses are reported as they are.", CLAIMS)
    for claim in claims:
        report.row(claim)


def write_postings(path: Path) -> Path:
    """Write all postings in the order of their dates, a line with tokens and label for each."""
    posts = sorted(rows("20 Newsgroups, whole"), key=lambda row: (row["date"], row["id"]))
    lists = kept_tokens((row["text"] for row in posts), Analysis(stemming=True))
    with path.open("w", encoding="utf-8") as file:
        for row, tokens in zip(posts, lists, strict=True):
            file.write(json.dumps({"tokens": tokens, "label": row["label"]}) + "\n")
    return path


def postings(report: Report, path: Path, part: int) -> list[Row]:
    """The table of programs, on all postings and on the first `part`, which river learns from; returns the
    claims."""
    report.section(
        "20 Newsgroups by date",
        f"K = {K}, minibatches of {S}, alpha = {ALPHA}, kappa = {KAPPA}, tau0 = {TAU0:g}, at most "
        f"{TRUNCATION:,} words per topic; one pass, every tenth posting held out. closed: knows the words, "
        "all or the most frequent, before it begins. nats/word: held-out words over all strings, unseen ones "
        "spelled by one model for all. accuracy: newsgroups predicted from topic shares, five folds. river "
        "counts each word once per document.",
        POSTINGS,
    )
    rates: dict[tuple[str, int], float] = {}
    for documents, programs in ((1_000_000, OURS), (part, ("open", "river"))):
        for program in programs:
            result = run_program(program, path, documents)
            report.row(posting_row(program, result))
            if "error" not in result:
                rates[program, documents] = result["learned"] / result["seconds"]
    whole = rates.get(("open", 1_000_000), 0.0)
    claims = [at_least("documents per second, one thread", 1_500, whole)]
    for program in CLOSED:
        if (program, 1_000_000) in rates:
            times = rates[program, 1_000_000] / max(whole, 1e-9)
            claims.append(at_most(f"open, times the CPU seconds of {program}", 1.5, times))
    if ("river", part) in rates:
        times = rates["open", part] / rates["river", part]
        claims.append(at_least(f"times river's documents per second (first {part})", 100, times))
    return claims


def posting_row(program: str, result: Row) -> Row:
    """One row of the table of programs, or one that says why there is none."""
    if "error" in result:
        return {"program": program, "postings": f"did not run: {result['error'][:100]}"}
    row: Row = {
        "postings": result["postings"],
        "program": program,
        "learned": result["learned"],
        "CPU s": result["seconds"],
        "documents/s": result["learned"] / result["seconds"],
        "accuracy %": f"{result['accuracy']:.1f}",
    }
    if "nats" in result:
        row |= {"nats/word": f"{result['nats']:.3f}", "unigram": f"{result['unigram']:.3f}"}
        row |= {"unseen %": f"{100 * result['unseen']:.1f}", "words": result["words"]}
    return row


def generated(report: Report, documents: int) -> list[Row]:
    """The table of the generated stream; returns the claims."""
    report.section(
        "A stream of new words",
        f"Documents of {open_stream.WORDS_A_DOCUMENT} words, K = {open_stream.TOPICS}, minibatches of "
        f"{open_stream.BATCH:,}, at most {open_stream.TRUNCATION:,} words per topic. first: documents per "
        "second from 5 to 10 % of the stream; last: in its last 5 %. grown: peak of memory beyond that "
        f"after the first step. bound: {open_stream.COPIES} × (cells × "
        f"{open_stream.SLOT * 1.5 + open_stream.CELL:g} + words × {open_stream.WORD}) bytes, where cells "
        "are topics × truncation (or all that are kept) and the tokens between two reorderings.",
        STREAM,
    )
    claims: list[Row] = []
    for memory in open_stream.MEMORY:
        result = open_stream.measure(documents, memory)
        report.row(stream_row(memory, result))
        if "error" not in result:
            share, grown = result["last_rate"] / result["first_rate"], result["grown_mb"]
            claims.append(at_least(f"{memory}: documents per second, last of first", 0.8, share))
            claims.append(at_most(f"{memory}: grown MB", result["bound_mb"], grown))
    return claims


def stream_row(memory: str, result: Row) -> Row:
    """One row of the table of the stream, or one that says why there is none."""
    if "error" in result:
        return {"memory": memory, "documents": f"did not run: {result['error'][:100]}"}
    return {
        "memory": memory,
        "documents": result["documents"],
        "distinct words": result["distinct"],
        "words at the end": result["words"],
        "most words": result["most_words"],
        "first documents/s": result["first_rate"],
        "last documents/s": result["last_rate"],
        "last/first": f"{result['last_rate'] / result['first_rate']:.2f}",
        "grown MB": result["grown_mb"],
        "bound MB": result["bound_mb"],
    }


if __name__ == "__main__":
    run("open", "Open vocabularies", options(__doc__, "the whole stream"), measure)
