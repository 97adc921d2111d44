"""Open vocabularies: how fast, how much memory, beside a closed vocabulary and beside river.

`make bench-open` learns from 20 Newsgroups in the order of their dates, one thread, and from a generated
stream whose words never end, and says first how long that takes; `FULL=1 make bench-open` (or --full) has the
whole stream of five million documents, and more of the postings for river. The tables are printed as they
come and kept in bench-results/. CPU seconds, `partial_fit` on token lists; settings are the same for all.
"""

import argparse
import gzip
import json
import tempfile
from pathlib import Path

import open_stream
from corpora import DATA, kept_tokens
from lda import about, machine
from open_programs import ALPHA, CLOSED, KAPPA, OURS, TAU0, TRUNCATION, K, S, run_program
from tables import Report, Row, options_of

from stickbreaker import Analysis

RIVER_PART = (600, 1_500)  # postings that river is given, short and full: a few minibatches at least
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
CLAIMS = ("what", "wanted", "measured", "met")


def main() -> None:
    args = arguments()
    print(f"About {MINUTES[args.full]} minutes on one idle core.", flush=True)
    report = Report(args.out, "open", about())
    report.say(f"# Open vocabularies\n\n{machine()}\n")
    claims: list[Row] = []
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "postings.jsonl")
        if write_postings(path):
            claims += postings(report, path, RIVER_PART[args.full])
        else:
            report.say("MISSING: 20 Newsgroups is not there (../shared/data/20newsgroups)")
    claims += generated(report, DOCUMENTS[args.full])
    report.section("What was wanted", "Losses are told as they are.", CLAIMS)
    for claim in claims:
        report.row(claim)
    print(f"\nWritten: {args.out / 'open.md'} and open.json")


def arguments() -> argparse.Namespace:
    options = options_of(__doc__, "the whole stream")
    return options.parse_args()


def write_postings(path: Path) -> bool:
    """All postings in the order of their dates, tokens and label, a line each; False where there are none."""
    files = [DATA / f"20newsgroups/{part}.jsonl.gz" for part in ("train", "test")]
    if not all(file.exists() for file in files):
        return False
    lines = [line for file in files for line in gzip.decompress(file.read_bytes()).splitlines()]
    rows = [json.loads(line) for line in lines]
    rows.sort(key=lambda row: (row["date"], row["id"]))
    lists = kept_tokens((row["text"] for row in rows), Analysis(stemming=True))
    with path.open("w", encoding="utf-8") as file:
        for row, tokens in zip(rows, lists, strict=True):
            file.write(json.dumps({"tokens": tokens, "label": row["label"]}) + "\n")
    return True


def postings(report: Report, path: Path, part: int) -> list[Row]:
    """The table of programs, on all postings and on those that river is given; what was wanted of it."""
    report.section(
        "20 Newsgroups by date",
        f"K = {K}, minibatches of {S}, alpha = {ALPHA}, kappa = {KAPPA}, tau0 = {TAU0:g}, at most "
        f"{TRUNCATION:,} words a topic; one pass, every tenth posting held out. closed: knows the words, "
        "all or the commonest, before it begins. nats/word: held-out words over all strings, unseen ones "
        "spelled by one model for all. "
        "accuracy: newsgroups told from topic shares, five folds. river counts a word once a document.",
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
    claims = [at_least("documents a second, one thread", 1_500, whole)]
    for program in CLOSED:
        if (program, 1_000_000) in rates:
            times = rates[program, 1_000_000] / max(whole, 1e-9)
            claims.append(at_most(f"open, times the CPU seconds of {program}", 1.5, times))
    if ("river", part) in rates:
        times = rates["open", part] / rates["river", part]
        claims.append(at_least(f"times river's documents a second (first {part})", 100, times))
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
    """The table of the generated stream; what was wanted of it."""
    report.section(
        "A stream of new words",
        f"Documents of {open_stream.WORDS_A_DOCUMENT} words, K = {open_stream.TOPICS}, minibatches of "
        f"{open_stream.BATCH:,}, at most {open_stream.TRUNCATION:,} words a topic. first: documents a second "
        "from 5 to 10 % of the stream; last: in its last 5 %. grown: peak of memory beyond that after the "
        f"first step. bound: {open_stream.COPIES} × (cells × "
        f"{open_stream.SLOT * 1.5 + open_stream.CELL:g} + words × {open_stream.WORD}) bytes, where cells are "
        "topics × truncation (or all that are kept) and the tokens between two reorderings.",
        STREAM,
    )
    claims: list[Row] = []
    for memory in open_stream.MEMORY:
        result = open_stream.measure(documents, memory)
        report.row(stream_row(memory, result))
        if "error" not in result:
            share, grown = result["last_rate"] / result["first_rate"], result["grown_mb"]
            claims.append(at_least(f"{memory}: documents a second, last of first", 0.8, share))
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


def at_least(what: str, wanted: float, measured: float) -> Row:
    """A claim where more is better."""
    row: Row = {"what": what, "wanted": f"at least {wanted:,g}", "measured": f"{measured:,.4g}"}
    return {**row, "met": measured >= wanted}


def at_most(what: str, wanted: float, measured: float) -> Row:
    """A claim where less is better."""
    row: Row = {"what": what, "wanted": f"at most {wanted:,.4g}", "measured": f"{measured:,.4g}"}
    return {**row, "met": measured <= wanted}


if __name__ == "__main__":
    main()
