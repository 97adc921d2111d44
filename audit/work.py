"""Commands that make something and are disturbed: what they are, how they continue, what is whole."""

import json
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from audit.compare import product
from audit.materials import CORPORA, OPEN, SMALL, Materials, expect, subject, write_inputs
from audit.programs import run
from audit.results import files_below

EVERY = "--checkpoint-every 0 --tol 0"
HDP = f"fit hdp lines.jsonl --out model {SMALL} {EVERY}"
LDA = f"fit lda lines.jsonl --out model {SMALL} {EVERY}"
STICKS = "fit grammar lines.jsonl --out model --seed 1 --threads 1 --grammar unigram --checkpoint-every 0"
PAIRS = "sides.jsonl --from de --to en --text-field de=deutsch,en=text --document-field label"
SNAPSHOTS = "--snapshot-documents 20 --snapshot-seconds 10000"
DATED = "--batch-size 20 --date 2026-01-01 --checkpoint-every 0"
BUILD = CORPORA["text corpus"]
READY = "text corpus"  # the material with a corpus


@dataclass(frozen=True)
class Work:
    """A command, what it makes, and what it may find there."""

    command: str
    out: str = "model"
    resume: str | None = "resume model --threads 1 --checkpoint-every 0"
    stdin: str | None = None
    earlier: bool = False  # something of the same sort is there, and --overwrite is given
    reader: str = "topics model --json"  # what reads a model that it makes
    changes: str | None = None  # the material whose model or lexicon is at `out` and is changed there
    begun: str | None = None  # the material whose model lies at "begun"

    @property
    def words(self) -> str:
        return self.command + (" --overwrite" if self.earlier else "")


FITS: dict[str, Work] = {
    "lda batch": Work(f"{LDA} --iterations 12"),
    "lda keep local": Work(f"{LDA} --iterations 8 --keep-local --eta learned"),
    "lda online": Work(f"{LDA} --iterations 4 --schedule online --batch-size 20"),
    "lda held out": Work(f"{LDA} --iterations 4 --schedule online --batch-size 20 --held-out 0.2"),
    "lda hybrid": Work(f"{LDA} --iterations 8 --inference hybrid"),
    "lda hybrid online": Work(f"{LDA} --iterations 4 --inference hybrid --schedule online --batch-size 20"),
    "lda gibbs": Work(f"{LDA} --iterations 12 --inference gibbs --every 3"),
    "lda gibbs chains": Work(f"{LDA} --iterations 8 --inference gibbs --every 2 --chains 2 --held-out 0.2"),
    "lda gibbs delayed": Work(f"{LDA} --iterations 12 --inference gibbs-delayed --every 3"),
    "lda open": Work(f"fit lda lines.jsonl --out model {OPEN} --iterations 4 {EVERY}"),
    "lda open bloom": Work(f"fit lda lines.jsonl --out model {OPEN} --iterations 4 {EVERY} --memory bloom"),
    "lda overwrite": Work(f"{LDA} --iterations 6", earlier=True),
    "lda concepts": Work(f"{LDA} --iterations 8 --concepts tree.jsonl --inference gibbs --every 2"),
    "hdp memoised": Work(f"{HDP} --iterations 6 --batch-size 20"),
    "hdp batch": Work(f"{HDP} --iterations 8 --schedule batch"),
    "hdp hybrid": Work(f"{HDP} --iterations 6 --inference hybrid --batch-size 20"),
    "hdp gibbs": Work(f"{HDP} --iterations 10 --inference gibbs --every 2"),
    "hdp online": Work(f"{HDP} --iterations 4 --schedule online --batch-size 20"),
    "hdp open": Work(f"fit hdp lines.jsonl --out model {OPEN} --inference hybrid --iterations 4 {EVERY}"),
    "ngram": Work(
        "fit ngram lines.jsonl --out model --seed 1 --min-count 1 --iterations 8 --checkpoint-every 0",
        reader="generate model --json",
    ),
    "topic ngram": Work(
        "fit ngram lines.jsonl --out model --seed 1 --min-count 1 --topics 4 --iterations 8 --held-out 0.2 "
        "--checkpoint-every 0",
        reader="topics model --json",
    ),
    "syntax": Work(
        "fit syntax trees.conllu --out model --seed 1 --topics 4 --iterations 8 --chains 2 --held-out 0.2 "
        "--threads 1 --checkpoint-every 0",
        reader="topics model --json",
    ),
    "grammar": Work(
        "fit grammar lines.jsonl --out model --seed 1 --grammar unigram --iterations 6 --checkpoint-every 0",
        reader="rules model --json",
    ),
    "grammar online": Work(f"{STICKS} --inference hybrid --iterations 2", reader="rules model --json"),
    "grammar in batches": Work(
        f"{STICKS} --inference hybrid --schedule batch --iterations 6", reader="rules model --json"
    ),
    "grammar mean-field": Work(
        f"{STICKS} --inference mean-field --iterations 6", reader="rules model --json"
    ),
    "stream": Work(
        f"fit lda - --out model {OPEN} {SNAPSHOTS}", resume="resume model --threads 1", stdin="lines.jsonl"
    ),
    "stream of files": Work(
        f"fit lda lines.jsonl --stream --out model {OPEN} --inference hybrid {SNAPSHOTS}",
        resume="resume model --threads 1",
    ),
}
WRITES: dict[str, Work] = {
    "corpus build": Work(BUILD, "corpus", None),
    "corpus overwrite": Work(BUILD, "corpus", None, earlier=True),
    "corpus export": Work("corpus export ready --format lda-c --out files", "files", None),
    "transform": Work(
        "transform other lines.jsonl --threads 1 --out shares.csv", "shares.csv", None, earlier=True
    ),
    "transform parquet": Work(
        "transform other lines.jsonl --threads 1 --out shares.parquet", "shares.parquet", None, earlier=True
    ),
    "update": Work(f"update other lines.jsonl --threads 1 {DATED} --out newer", "newer", None),
    "report": Work("report other --out report.html", "report.html", None, earlier=True),
    "export": Work("export other --format mallet-topic-keys --out keys.txt", "keys.txt", None, earlier=True),
    "translate documents": Work(
        f"translate documents {PAIRS} --out documents.jsonl", "documents.jsonl", None, earlier=True
    ),
    "translate learn": Work(
        f"translate learn {PAIRS} --domain-field label --by-domain --phrases --threads 1 --out lexicon",
        "lexicon",
        None,
    ),
    "translate tune": Work(
        "translate tune lexicon sides.jsonl --rounds 3 --threads 1", "lexicon", None, changes="phrases"
    ),
    "update open": Work(
        f"update begun lines.jsonl --threads 1 {DATED} --out newer", "newer", None, begun="open"
    ),
    "update in place": Work(f"update model lines.jsonl --threads 1 {DATED}", resume=None, changes="open"),
    "search-k": Work(
        "search-k ready --topics 2,3 --seeds 2 --iterations 4 --threads 1 --out search", "search", None
    ),
}
WORK = {**FITS, **WRITES}


class Works:
    """Folders to work in, and what undisturbed commands made there."""

    def __init__(self, materials: Materials) -> None:
        self.materials = materials
        self._known: dict[str, tuple[dict[str, object], float]] = {}

    def begin(self, kind: str, place: Path) -> Work:
        """Make a folder with all that a kind of work needs."""
        work = WORK[kind]
        place.mkdir(parents=True)
        write_inputs(place)
        shutil.copytree(self.materials.other(), place / "other")
        shutil.copytree(self.materials.of(READY) / "corpus", place / "ready")
        for material, name in ((work.changes, work.out), (work.begun, "begun")):
            if material is not None:
                shutil.copytree(self.materials.of(material) / subject(material), place / name)
        if work.earlier:
            out = place / work.out
            if work.out == "model":
                shutil.copytree(place / "other", out)
            elif work.out == "corpus":
                shutil.copytree(place / "ready", out)
            else:
                out.write_text("what was there before\n")
        return work

    def whole(self, kind: str) -> tuple[dict[str, object], float]:
        """What an undisturbed command makes, and in how many seconds."""
        with self.materials.lock(f"whole {kind}"):
            if kind not in self._known:
                place = self.materials.place / f"whole-{kind.replace(' ', '-')}"
                shutil.rmtree(place, ignore_errors=True)
                work = self.begin(kind, place)
                started = time.monotonic()
                expect(run(work.words, place, stdin=self.stdin(work, place)))
                self._known[kind] = product(place / work.out), time.monotonic() - started
                shutil.rmtree(place)
        return self._known[kind]

    @staticmethod
    def stdin(work: Work, place: Path) -> Path | None:
        """The file that a command reads from standard input."""
        return None if work.stdin is None else place / work.stdin


def step_of(model: Path) -> object:
    """How far a run has come; None if there is none."""
    try:
        facts = json.loads((model / "model.json").read_bytes())
        return facts["status"], facts["run"]["step"]
    except (OSError, ValueError, KeyError):
        return None


def hidden_beside(place: Path) -> list[str]:
    """What begins with a dot, in a folder and below it: nothing that is finished has such a name."""
    return [name for name in files_below(place) if any(part.startswith(".") for part in Path(name).parts)]
