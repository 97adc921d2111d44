"""Part `fuzz`: any bytes for every reader and list of words, and any values for options."""

import gzip
import random
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import zstandard

from audit.materials import Materials, write_inputs
from audit.parts import Part
from audit.programs import run
from audit.results import LEFT, SAME, UNCLEAR, Decision, files_below, refusal
from audit.seeds import CONCEPTS, GUIDE, LIWC, SEEDS, WORDS
from audit.work import hidden_beside

if TYPE_CHECKING:
    import click

LISTS = {  # list of words: its command, with the name of the file at the end
    "stop words": "corpus build lines.jsonl --out corpus --stop-words",
    "extra stop words": "corpus build lines.jsonl --out corpus --extra-stop-words",
    "vocabulary": "corpus build lines.jsonl --out corpus --vocabulary",
    "vocab": "corpus build bags.ldac --format lda-c --out corpus --vocab",
    "guide": "fit lda lines.jsonl --out model --topics 3 --iterations 2 --threads 1 --guide",
    "concepts": "fit lda lines.jsonl --out model --topics 3 --iterations 2 --threads 1 --concepts",
    "spelling words": "fit lda lines.jsonl --out model --topics 3 --iterations 1 --threads 1 --words open "
    "--schedule online --spelling-words",
}
VALUES = (
    "", " ", "-1", "0", "1e400", "nan", "inf", "-inf", "9" * 400, "2147483648", "9223372036854775808",
    "x" * 100_000, "é" * 50_000, "\x1b[31mred", "\u202eright to left", "a\nb", "\udcff", "/", "..",
    "/dev/null", "/dev/full",
    "-", "--", "--help", "(" * 5_000, "(a+)+$", "[", "en=,de=", "a=b=c", "../../victim",
    ",".join("abc" * 2_000),
    "*", "**/*", "{}", "0x10", "1_000", "١٢", "True", "\t", ".", "nul\u0000",
)  # fmt: skip
VERBS = {
    "corpus build": "corpus build lines.jsonl --out corpus", "corpus info": "corpus info ready",
    "fit lda": "fit lda ready --out model --topics 2 --iterations 2 --threads 1",
    "fit hdp": "fit hdp ready --out model --topics 2 --iterations 2 --threads 1",
    "topics": "topics other", "name": "name other --topic 0=x",
    "transform": "transform other held.jsonl --out shares.csv --threads 1",
    "evaluate": "evaluate other held.jsonl --threads 1", "report": "report other --out report.html",
    "export": "export other ready --format pyldavis --out vis.json --threads 1",
    "compare": "compare other other",
    "search-k": "search-k ready --topics 2 --seeds 1 --iterations 2 --out search --threads 1",
    "nearest": "nearest other held.jsonl --threads 1", "resume": "resume other",
    "stream lda": "stream lda . --out model",
    "corpus export": "corpus export ready --format lda-c --out files",
}  # fmt: skip
SLOW = ("--seeds", "--topics", "--particles", "--chains", "--iterations", "--samples", "--burn-in",
        "--threads", "--engine", "--master", "--hash", "--truncation", "--top")  # fmt: skip


def mutated(content: bytes, draw: random.Random) -> bytes:
    """Bytes changed in one of many ways."""
    data = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 8))):
        at = draw.randrange(len(data) + 1)
        way = draw.randrange(8)
        if way == 0:
            data[at:at] = draw.randbytes(draw.choice((1, 4, 300)))
        elif way == 1:
            del data[at : at + draw.choice((1, 4, 100, 10_000))]
        elif way == 2 and data:
            data[at % len(data)] ^= 1 << draw.randrange(8)
        elif way == 3:
            data[at:at] = draw.choice(TOKENS)
        elif way == 4:
            data[at:at] = bytes(data[at : at + 200]) * draw.choice((1, 2, 50))
        elif way == 5:
            data[at : at + 4] = draw.choice((b"\xff\xff\xff\xff", b"\x00\x00\x00\x00", b"\xff\xff\xff\x7f"))
        elif way == 6:
            other = draw.randrange(len(data) + 1)
            data[at:at] = data[other : other + 100]
        else:
            data = data[:at]
    return bytes(data)


TOKENS = (
    b"\x00", b"\n", b"\r\n", b"\xff\xfe", b"\xef\xbb\xbf", b'"', b"{", b"[" * 100_000, b"null", b"NaN",
    b"1e999", b"-1", b"99999999999999999999", b"\t", b"%", b"\xed\xa0\x80", b"\\ud800", "\u2028".encode(),
    b"4294967296", b"9223372036854775807", b"x" * 2_000_000, b"*", b" ",
)  # fmt: skip


class Fuzz(Part):
    name = "fuzz"
    weight = 1.5
    sample = 60

    def __init__(self, materials: Materials) -> None:
        super().__init__(materials)

    def kinds(self) -> tuple[str, ...]:
        return (
            *(f"reader {name}" for name in SEEDS),
            *(f"list {name}" for name in LISTS),
            *(f"options {name}" for name in VERBS),
        )

    def attempt(self, kind: str, number: int, draw: random.Random, place: Path) -> Decision:
        way, _, name = kind.partition(" ")
        place.mkdir(parents=True)
        write_inputs(place)
        if way == "options":
            return self._options(name, draw, place)
        if way == "reader":
            words = self._reader(name, draw, place)
        else:
            words = self._list(name, draw, place)
        done = run(words, place)
        verdict = Decision(SAME) if done.code == 0 else refusal(done)
        if left := hidden_beside(place):
            return Decision(LEFT, f"{', '.join(left)} stays: {verdict.message}")
        if done.code and (place / "corpus").exists():
            return Decision(LEFT, f"a corpus stays: {verdict.message}")
        return verdict

    def _reader(self, name: str, draw: random.Random, place: Path) -> list[str]:
        """Any bytes as a file of a format."""
        content = draw.randbytes(draw.choice((0, 1, 50, 5_000))) if draw.random() < 0.1 else SEEDS[name]()
        content = mutated(content, draw) if draw.random() < 0.9 else content
        packing = draw.choice(("", "", "", ".gz", ".zst"))
        if packing == ".gz":
            content = gzip.compress(content)
        elif packing == ".zst":
            content = zstandard.ZstdCompressor().compress(content)
        if packing and draw.random() < 0.5:
            content = mutated(content, draw) if draw.random() < 0.5 else content[: -draw.randrange(1, 12)]
        file = place / f"given.{name}{packing}"
        file.write_bytes(content)
        (place / "words.txt").write_bytes(WORDS)
        words = ["corpus", "build", file.name, "--out", "corpus", "--format", name, "--min-documents", "1"]
        words += ["--vocab", "words.txt"] if name in ("lda-c", "uci", "mm") else []
        return words + (["--on-error", "skip"] if draw.random() < 0.3 else [])

    def _list(self, name: str, draw: random.Random, place: Path) -> list[str]:
        """Any bytes as a list of words."""
        content, ending = WORDS, "txt"
        if name == "guide":
            content, ending = draw.choice(((LIWC, "dic"), (GUIDE, "json")))
        if name == "concepts":
            content, ending = CONCEPTS, "jsonl"
        file = place / f"given.{ending}"
        file.write_bytes(mutated(content, draw) if draw.random() < 0.9 else draw.randbytes(500))
        return [*LISTS[name].split(), file.name]

    def _options(self, name: str, draw: random.Random, place: Path) -> Decision:
        """Any value for some option of a verb: it does so, or says in a short line that it cannot."""
        shutil.copytree(self.materials.other(), place / "other")
        shutil.copytree(self.materials.of("text corpus") / "corpus", place / "ready")
        given = [option for option in options_of(name) if option not in SLOW]
        words = VERBS[name].split()
        for option in draw.sample(given, min(len(given), draw.choice((1, 1, 2)))):
            value = draw.choice(VALUES).replace("\x00", "")
            words += [option, value]
        if draw.random() < 0.2:
            words.append(draw.choice(VALUES).replace("\x00", ""))
        own = {file: content for file, content in files_below(place).items() if content is not None}
        done = run(words, place, limit=60.0, patient=False)
        verdict = Decision(SAME) if done.code == 0 else refusal(done)
        now = files_below(place)
        lost = [file for file, content in own.items() if now.get(file) != content]
        if lost and "--overwrite" not in words:
            return Decision("lost", f"{lost[:3]}: {verdict.message}")
        if any(ord(letter) < 32 and letter not in "\n\t" for letter in done.err):
            return Decision(UNCLEAR, f"control characters on standard error: {verdict.message}")
        return verdict


def options_of(name: str) -> list[str]:
    """The names of a verb's options that take a value."""
    return [option.opts[0] for option in options_of_command(name)]


def options_of_command(name: str) -> "list[click.Option]":
    """The options of a verb that take a value, by name."""
    import click

    from stickbreaker.cli import main

    command: click.Command = main
    for word in name.split():
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), word)
        assert found is not None
        command = found
    options = [one for one in command.params if isinstance(one, click.Option) and not one.is_flag]
    return sorted(options, key=lambda option: option.opts[0])
