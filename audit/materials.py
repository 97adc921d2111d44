"""Corpora and models that tries alter, made once, and the verbs that read them."""

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

from tests.running import TOPICS, StopAfter, planted_documents, with_german, write_lines, write_trees

from audit.programs import run
from audit.results import Done

QUICK = "--threads 1 --seed 1"
SMALL = f"--topics 3 {QUICK}"
OPEN = f"--words open --schedule online --batch-size 20 {SMALL} --truncation 30"
NGRAMS = "--seed 1 --min-count 1"
GRAMMAR = "--seed 1 --grammar unigram"
READ = ("model/",)  # what a refusal about a model has in it
MODELS = {  # kind: options of its fit
    "lda": f"lda lines.jsonl {SMALL} --iterations 8",
    "keep local": f"lda lines.jsonl {SMALL} --iterations 4 --keep-local",
    "open": f"lda lines.jsonl {OPEN} --iterations 2",
    "stream": f"lda lines.jsonl --stream {OPEN}",
    "gibbs": f"lda lines.jsonl {SMALL} --inference gibbs --every 2 --iterations 8 --chains 2",
    "polylingual": f"lda sides.jsonl --text-field en=text,de=deutsch {SMALL} --iterations 5",
    "concepts": f"lda lines.jsonl {SMALL} --concepts tree.jsonl --iterations 6",
    "hdp": f"hdp lines.jsonl {SMALL} --batch-size 20 --iterations 6",
    "ngram": f"ngram lines.jsonl {NGRAMS} --iterations 6",
    "ngram spelled": "ngram lines.jsonl --seed 1 --unknown spelled --iterations 6",
    "grammar": f"grammar lines.jsonl {GRAMMAR} --iterations 4",
    "grammar online": f"grammar lines.jsonl {GRAMMAR} --inference hybrid --iterations 1",
    "grammar mean-field": f"grammar lines.jsonl {GRAMMAR} --inference mean-field --iterations 4",
}
UNDER_WAY = {  # kind: (steps after which it is stopped, options)
    "lda under way": (3, f"lda lines.jsonl {SMALL} --iterations 8 --keep-local"),
    "online under way": (2, f"lda lines.jsonl {SMALL} --schedule online --batch-size 20 --held-out 0.2"),
    "gibbs under way": (3, f"lda lines.jsonl {SMALL} --inference gibbs --every 2 --iterations 8"),
    "hdp under way": (7, f"hdp lines.jsonl {SMALL} --batch-size 20 --iterations 6"),
    "ngram under way": (4, f"ngram lines.jsonl {NGRAMS} --order unbounded --iterations 6 --held-out 0.2"),
    "grammar under way": (3, f"grammar lines.jsonl {GRAMMAR} --iterations 6 --held-out 0.2 --chains 2"),
    "grammar online under way": (
        3,
        f"grammar lines.jsonl {GRAMMAR} --inference hybrid --iterations 2 --held-out 0.2",
    ),
    "grammar in batches under way": (
        3,
        f"grammar lines.jsonl {GRAMMAR} --inference hybrid --schedule batch --iterations 6",
    ),
    "concepts under way": (
        3,
        f"lda lines.jsonl {SMALL} --concepts tree.jsonl --inference gibbs --every 2 --iterations 8",
    ),
    "open under way": (4, f"hdp lines.jsonl {OPEN} --inference hybrid --iterations 2"),
    "stream under way": (0, f"lda - {OPEN} --inference hybrid --snapshot-documents 20"),
}
CORPORA = {
    "text corpus": "corpus build lines.jsonl --out corpus --min-documents 1",
    "bag corpus": "corpus build bags.ldac --vocab bags.vocab --format lda-c --out corpus",
    "polylingual corpus": "corpus build sides.jsonl --text-field en=text,de=deutsch --out corpus",
}
READ_MODEL = (
    "topics model --top 4 --json",
    "transform model held.jsonl --out shares.csv --threads 1",
    "evaluate model held.jsonl --threads 1",
    "report model --out report.html",
    "export model --format mallet-topic-keys --out keys.txt",
    "compare model other",
)
READ_NGRAMS = (
    "score model held.jsonl --json",
    "generate model --sentences 3",
    "evaluate model held.jsonl --json",
    "report model --out report.html",
    "export model --format arpa --out model.arpa",
)
READ_GRAMMARS = (
    "segment model held.jsonl --json",
    "parse model held.jsonl --how samples",
    "rules model --json",
    "evaluate model held.jsonl --json",
    "report model --out report.html",
)
READ_CORPUS = (
    "corpus info corpus",
    f"fit lda corpus --out fitted {SMALL} --iterations 3",
    "transform other corpus --out shares.csv --threads 1",
    "evaluate other corpus --threads 1",
    "corpus export corpus --format lda-c --out exported",
)


def verbs(kind: str) -> tuple[str, ...]:
    """The commands that read a material of a kind, `resume` last, since it writes."""
    if kind in CORPORA:
        fold = "" if kind == "polylingual corpus" else "export other corpus --format pyldavis --out vis.json"
        return (*READ_CORPUS, *filter(None, [fold]))
    under_way = kind in UNDER_WAY
    whole = READ_NGRAMS if kind.startswith("ngram") else READ_MODEL
    if kind.startswith("grammar"):
        whole = READ_GRAMMARS
    if kind == "ngram under way":  # of unbounded order
        whole = tuple(verb for verb in whole if "arpa" not in verb)
    reading = tuple(verb for verb in whole if not (under_way and verb.startswith("report")))
    if kind == "polylingual":
        reading = tuple(verb.replace("held.jsonl", "sides.jsonl") for verb in reading)
        reading = tuple(
            verb + " --text-field en=text,de=deutsch" if "sides" in verb else verb for verb in reading
        )
        reading = reading[:-1]
    if kind.startswith(("open", "stream")):
        reading = (*reading[:1], "topics model --at step:2", *reading[1:])
    return (*reading, "resume model --threads 1")


def subject(kind: str) -> str:
    """The name of the folder that a kind is about."""
    return "corpus" if kind in CORPORA else "model"


def stop_after(steps: int) -> None:
    """In a child process: a run stops as by Ctrl-C after `steps` steps."""
    import stickbreaker.console.running as running

    running.watcher = lambda: StopAfter(steps)


class Materials:
    """Folders with a corpus or model and what its verbs need; a kind is made when it is first asked for."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._lock = threading.Lock()
        self._locks: dict[str, threading.RLock] = {}

    def of(self, kind: str) -> Path:
        """The folder of a kind; not to be changed."""
        return self.once(kind, lambda folder: self._make(kind, folder))

    def once(self, name: str, make: Callable[[Path], None]) -> Path:
        """A folder that `make` fills at the first call."""
        folder = self.place / name.replace(" ", "-")
        with self.lock(name):
            if not folder.exists():
                partial = folder.with_name(f"{folder.name}.making")
                shutil.rmtree(partial, ignore_errors=True)
                partial.mkdir(parents=True)
                make(partial)
                partial.rename(folder)
        return folder

    def lock(self, name: str) -> "threading.RLock":
        """Held while something of that name is made."""
        with self._lock:
            return self._locks.setdefault(name, threading.RLock())

    def copy(self, kind: str, place: Path) -> Path:
        """A copy of a kind's folder to be changed."""
        return Path(shutil.copytree(self.of(kind), place, symlinks=True))

    def other(self) -> Path:
        """A model that is never altered."""

        def make(folder: Path) -> None:
            write_inputs(folder)
            expect(run(f"fit lda lines.jsonl --out model {SMALL} --iterations 4", folder))

        return self.once("other", make) / "model"

    def _make(self, kind: str, folder: Path) -> None:
        write_inputs(folder)
        if kind in CORPORA:
            expect(run(CORPORA[kind], folder))
        elif kind in MODELS:
            expect(run(f"fit {MODELS[kind]} --out model", folder))
        else:
            self._make_under_way(kind, folder)
        if kind == "polylingual corpus":
            fit = f"fit lda sides.jsonl --text-field en=text,de=deutsch --out other {SMALL} --iterations 3"
            expect(run(fit, folder))
        else:
            shutil.copytree(self.other(), folder / "other")

    def _make_under_way(self, kind: str, folder: Path) -> None:
        steps, options = UNDER_WAY[kind]
        if kind == "stream under way":  # a line that cannot be read stops it; the last snapshot stays
            whole = (folder / "lines.jsonl").read_text()
            cut = folder / "cut.jsonl"
            cut.write_text("".join(whole.splitlines(keepends=True)[:45]) + "{broken\n")
            expect(run(f"fit {options} --out model", folder, stdin=cut), 1)
            cut.unlink()
        else:
            words = f"fit {options} --out model --checkpoint-every 0"
            expect(run(words, folder, before=(stop_after, steps)), 1)


def write_inputs(folder: Path) -> None:
    """The files that commands read."""
    documents = planted_documents(60)
    for number, document in enumerate(documents):
        document["date"] = f"2001-01-{1 + number // 4:02d}"
    write_lines(folder / "lines.jsonl", documents)
    write_lines(folder / "held.jsonl", planted_documents(10, seed=5))
    concepts = [{"concept": f"c{i}", "words": TOPICS[i // 2][i % 2 : i % 2 + 3]} for i in range(6)]
    write_lines(folder / "tree.jsonl", concepts)
    write_trees(folder / "trees.conllu")
    write_lines(folder / "sides.jsonl", with_german(planted_documents(40)))
    words = sorted({word for document in documents for word in document["text"].split()})
    (folder / "bags.vocab").write_text("\n".join(words) + "\n")
    bags = []
    for document in documents:
        tokens = document["text"].split()
        cells = [f"{words.index(word)}:{tokens.count(word)}" for word in sorted(set(tokens))]
        bags.append(" ".join([str(len(cells)), *cells]))
    (folder / "bags.ldac").write_text("\n".join(bags) + "\n")


def stdin_of(kind: str, place: Path) -> Path | None:
    """What `resume` of a kind reads from standard input."""
    return place / "lines.jsonl" if kind == "stream under way" else None


def expect(done: Done, code: int = 0) -> Done:
    """Raise where a command that prepares something did not end as it should."""
    if done.code != code:
        raise RuntimeError(f"stickbreaker {' '.join(done.words)} gave {done.code}: {done.err}")
    return done
