"""HDP topics of a stream: does their number follow the stream, and is each tenth predicted?

`make bench WHAT=hdp-streams` learns from planted streams, whose topics appear and vanish, and from three
collections in order and shuffled, from 20 topics, of known words and of open ones: without moves, with
exchanges of giant topics (the default), and with births too. Planted topics of open words bring words that
were not there before. After every tenth it counts the topics and completes documents of that tenth that were
held out. FULL=1 (or --full) has three seeds, and runs from 50 topics too; --words known or --words open is
one half of it, and --moves births a third.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from benchmarks.harness import Report, options, run
from benchmarks.stream_data import FILES, StreamOf, known_words, read_stream, write_stream
from numpy.typing import NDArray

from stickbreaker import HDP, Corpus, Online, Vocabulary, VocabularyRule

Array = NDArray[np.float64]
Tokens = list[list[str]]

TENTHS = 10
OWN_WORDS = 50  # of each planted topic alone, if words are open
N_WORDS, LENGTH, PER_TENTH, BATCH = 1_000, 100, 2_000, 100  # for the planted stream
SHARP, MIXED = (
    0.05,
    2.0,
)  # Dirichlet concentrations: that of each word in a topic, and that of all topics in a document
ALIVE = (  # first and last tenth of each planted topic
    *((0, 9),) * 4, *((0, 1),) * 4, *((2, 5),) * 6, *((4, 7),) * 4, *((6, 9),) * 2, *((8, 9),) * 6,
)  # fmt: skip
LARGE = 0.01  # share of the words of a larger topic
ALL_WORDS = VocabularyRule(1, 1.0)  # if words are open
OFF = 0.15  # a number of topics may be off by this share
LONGEST = 500  # tokens read from a real document: otherwise one encoded posting becomes a topic
HELD_OUT = 10  # every such document of a real stream is held out
REAL = (
    StreamOf("20 Newsgroups", "by group", 256),
    StreamOf("20 Newsgroups", "shuffled", 256),
    StreamOf("de-news", "by date", 128),
    StreamOf("de-news", "shuffled", 128),
    StreamOf("blogs", "by trade", 64),
    StreamOf("blogs", "shuffled", 64),
)
WORDS = ("known", "open")
MOVES = {"none": None, "exchanges": "split-merge", "births": "births"}  # by their names in the table
NAMES = {moves: name for name, moves in MOVES.items()}
COLUMNS = (
    "stream", "words", "from", "moves", "seed", "planted", "in use", "right", "above 1 %",
    "right, above 1 %", "largest", "S", "held-out", "CPU s",
)  # fmt: skip


class Tenth(NamedTuple):
    """Documents to learn from, in order, documents held out, and the number of planted topics (0:
    unknown)."""

    learned: Tokens
    held_out: Tokens
    planted: int


def planted(seed: int, own_words: int = 0) -> Iterator[Tenth]:
    """A stream whose topics appear and vanish; half of each topic's tokens are its `own_words`, if any."""
    draw = np.random.default_rng(seed)
    topics = draw.dirichlet(np.full(N_WORDS, SHARP), len(ALIVE))
    if own_words:
        others = np.zeros((len(ALIVE), len(ALIVE) * own_words))
        for topic in range(len(ALIVE)):
            part = slice(topic * own_words, (topic + 1) * own_words)
            others[topic, part] = draw.dirichlet(np.ones(own_words))
        topics = 0.5 * np.hstack([topics, others])
    for tenth in range(TENTHS):
        own = np.flatnonzero([first <= tenth <= last for first, last in ALIVE])
        made: Tokens = []
        for _ in range(PER_TENTH + PER_TENTH // HELD_OUT):
            theta = draw.dirichlet(np.full(len(own), MIXED / len(own)))
            words = draw.choice(topics.shape[1], LENGTH, p=theta @ topics[own])
            made.append([f"w{word}" for word in words.tolist()])
        yield Tenth(made[:PER_TENTH], made[PER_TENTH:], len(own))


def tenths_of(documents: Tokens) -> Iterator[Tenth]:
    """A real stream in tenths."""
    for part in np.array_split(np.arange(len(documents)), TENTHS):
        own = [documents[place][:LONGEST] for place in part.tolist()]
        held = own[HELD_OUT - 1 :: HELD_OUT]
        yield Tenth([one for place, one in enumerate(own) if place % HELD_OUT != HELD_OUT - 1], held, 0)


def completion(model: HDP, corpus: Corpus, draw: np.random.Generator) -> float:
    """Nats per word of a half of each document given the other."""
    nats = tokens = 0.0
    halves: list[tuple[list[str], list[str]]] = []
    words = corpus.vocabulary.words
    for words_of, counts in documents_of(corpus):
        line = np.repeat(words_of, counts.astype(int))
        line = line[draw.permutation(len(line))]
        spelled = [words[row] for row in line.tolist()]
        halves.append((spelled[: len(line) // 2], spelled[len(line) // 2 :]))
    known = Corpus.from_tokens([half for half, _ in halves], vocabulary=corpus.vocabulary)
    shares = model.transform(known)
    predicted = model.learned_.model.words.predictions(model.params_, model.engine_.table, words)
    topics = predicted(np.arange(len(words)))[model.topic_columns_]
    place = {word: row for row, word in enumerate(words)}
    for share, (_, asked) in zip(shares, halves, strict=True):
        rows = [place[word] for word in asked]
        nats += float(np.log(share @ topics[:, rows]).sum())
        tokens += len(rows)
    return nats / max(tokens, 1.0)


def documents_of(corpus: Corpus) -> Iterator[tuple[Any, Any]]:
    for block in range(len(corpus.block_sizes)):
        bags = corpus.bags(block)
        for start, stop in zip(bags.offsets[:-1].tolist(), bags.offsets[1:].tolist(), strict=True):
            yield bags.words[start:stop], bags.counts[start:stop]


def learn(
    tenths: list[Tenth], known: list[str] | None, batch: int, seed: int, settings: dict[str, Any]
) -> dict[str, Any]:
    """Learn from a stream, of open words without `known` ones; returns figures after every tenth."""
    given: dict[str, Any] = {"vocabulary": Vocabulary.of(known)} if known else {"rule": ALL_WORDS}
    model = HDP(random_state=seed, n_jobs=1, schedule=Online(batch_size=batch), **settings)
    draw = np.random.default_rng(0)
    in_use: list[int] = []
    large: list[int] = []
    largest: list[float] = []
    held: list[float] = []
    seconds = 0.0
    for tenth in tenths:
        for start in range(0, len(tenth.learned), batch):
            part = Corpus.from_tokens(tenth.learned[start : start + batch], **given)
            began = time.process_time()
            model.partial_fit(part)
            seconds += time.process_time() - began
        in_use.append(model.n_topics_)
        large.append(int((model.topic_shares_ >= LARGE).sum()))
        largest.append(float(model.topic_shares_.max()))
        held.append(completion(model, Corpus.from_tokens(tenth.held_out, **given), draw))
    scores = [record["prequential"] for record in model.trace_ if "prequential" in record]
    tokens = sum(one["tokens"] for one in scores)
    edits = [edit for record in model.trace_ for edit in record.get("edits", ())]
    return {
        "in use": in_use,
        "large": large,
        "largest": largest,
        "held-out": held,
        "S": sum(one["score"] * one["tokens"] for one in scores) / tokens,
        "seconds": seconds,
        "edits": edits,
        "model": model,
    }


def programs(args: argparse.Namespace, words: str) -> list[dict[str, Any]]:
    """Settings of the HDP: the topics it starts with, and its moves."""
    starts = (20, 50) if args.full else (20,)
    given = {"words": words} if words == "open" else {}
    return [{"n_topics": n, "moves": MOVES[name], **given} for n in starts for name in args.moves or MOVES]


def measure(report: Report, args: argparse.Namespace) -> None:
    report.section(
        "Numbers of topics",
        "After each tenth of the stream: planted topics that live in it, topics in use, and those that have "
        f"{LARGE:.0%} of the words or more; right: tenths in which these are at most {OFF:.0%} off; largest: "
        "the largest share of the words that a topic has at the end of a tenth. S: nats per word of each "
        "minibatch before it is learned from; held-out: documents of the present tenth, the mean over "
        "tenths. CPU s: learning, S included.",
        COLUMNS,
    )
    seeds = range(3 if args.full else 1)
    for words in WORDS if args.words is None else (args.words,):
        for seed in seeds:
            if args.corpus and "planted" not in args.corpus:
                break
            stream = list(planted(seed, OWN_WORDS if words == "open" else 0))
            known = [f"w{word}" for word in range(N_WORDS)] if words == "known" else None
            for settings in programs(args, words):
                show(report, "planted", settings, seed, stream, learn(stream, known, BATCH, seed, settings))
        for of in REAL:
            if (args.corpus and of.corpus not in args.corpus) or not report.has(FILES[of.corpus]):
                continue
            for seed in seeds:
                documents = documents_of_stream(of, seed)
                stream = list(tenths_of(documents))
                known = known_words(documents) if words == "known" else None
                for settings in programs(args, words):
                    result = learn(stream, known, of.batch, seed, settings)
                    show(report, f"{of.corpus}, {of.order}", settings, seed, stream, result)


def documents_of_stream(of: StreamOf, seed: int) -> Tokens:
    """The documents of a collection in an order."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "stream.jsonl")
        write_stream(of, seed, path)
        return read_stream(path)


def parser() -> argparse.ArgumentParser:
    found = options(__doc__, "three seeds, and runs from 50 topics")
    found.add_argument(
        "--corpus", action="append", help="only this one, or planted; may be given several times"
    )
    found.add_argument("--words", choices=WORDS, help="only streams of these")
    found.add_argument(
        "--moves", action="append", choices=tuple(MOVES), help="only these; may be given several times"
    )
    return found


def show(
    report: Report,
    what: str,
    settings: dict[str, Any],
    seed: int,
    stream: list[Tenth],
    result: dict[str, Any],
) -> None:
    """A row of the table."""
    numbers = [tenth.planted for tenth in stream]
    is_planted = bool(numbers[0])

    def right(found: list[int]) -> str | None:
        near = sum(abs(n - k) <= OFF * n for n, k in zip(numbers, found, strict=True))
        return f"{near} of {TENTHS}" if is_planted else None

    report.row(
        {
            "stream": what,
            "words": settings.get("words", "known"),
            "from": settings["n_topics"],
            "moves": NAMES[settings["moves"]],
            "seed": seed,
            "planted": " ".join(map(str, numbers)) if is_planted else None,
            "in use": " ".join(map(str, result["in use"])),
            "right": right(result["in use"]),
            "above 1 %": " ".join(map(str, result["large"])),
            "right, above 1 %": right(result["large"]),
            "largest": f"{max(result['largest']):.2f}",
            "S": f"{result['S']:.3f}",
            "held-out": f"{np.mean(result['held-out']):.3f}",
            "CPU s": result["seconds"],
        }
    )


if __name__ == "__main__":
    run("hdp_streams", "Streams of HDP topics", parser(), measure)
