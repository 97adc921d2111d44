"""Corpora and models that tries alter, made once, and the verbs that read them."""

import re
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

from tests.running import TOPICS, StopAfter, planted_documents, with_german, write_lines, write_trees

from audit.programs import run
from audit.results import Done
from stickbreaker.estimators.kinds import Saved, kind_at

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
    "topic ngram": f"ngram lines.jsonl {NGRAMS} --topics 3 --iterations 6",
    "topic ngram hierarchical": f"ngram lines.jsonl {NGRAMS} --topics 3 --prior hierarchical --iterations 4",
    "ngram spelled": "ngram lines.jsonl --seed 1 --unknown spelled --iterations 6",
    "grammar": f"grammar lines.jsonl {GRAMMAR} --iterations 4",
    "grammar online": f"grammar lines.jsonl {GRAMMAR} --inference hybrid --iterations 1",
    "grammar mean-field": f"grammar lines.jsonl {GRAMMAR} --inference mean-field --iterations 4",
    "syntax": f"syntax trees.conllu {SMALL} --iterations 6",
    "syntax mean-field": f"syntax trees.conllu {SMALL} --inference mean-field --iterations 4",
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
    "topic ngram under way": (3, f"ngram lines.jsonl {NGRAMS} --topics 3 --iterations 6 --held-out 0.2"),
    "syntax under way": (3, f"syntax trees.conllu {SMALL} --iterations 6 --chains 2 --held-out 0.2"),
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
LEARN = (
    "translate learn sides.jsonl --from de --to en --text-field de=deutsch,en=text --document-field label "
    "--domain-field label --by-domain --threads 1"
)
LEXICONS = {  # kind: the command that makes it
    "lexicon": f"{LEARN} --out lexicon",
    "phrases": f"{LEARN} --phrases --out lexicon",
}
KINDS = (*CORPORA, *MODELS, *UNDER_WAY, *LEXICONS)
LINES = {  # verb of a kind of model: the commands that are tried; IT is the model, NEW are documents
    "topics": ("topics IT --top 4 --json",),
    "transform": ("transform IT NEW --out shares.csv --threads 1",),
    "score": ("score IT NEW --json",),
    "generate": ("generate IT --sentences 3",),
    "segment": ("segment IT NEW --json",),
    "parse": ("parse IT NEW --how samples",),
    "rules": ("rules IT --json",),
    "evaluate": ("evaluate IT NEW --json",),
    "report": ("report IT --out report.html",),
    "compare": ("compare IT other",),
    "translate": ("translate terms IT --json", "translate export IT --format moses --out moses"),
}
OF_PHRASES = (
    "translate run IT NEW --out translated.txt --threads 1",
    "translate tune IT NEW --rounds 1 --threads 1",
)
READ_CORPUS = (
    "corpus info corpus",
    f"fit lda corpus --out fitted {SMALL} --iterations 3",
    "transform other corpus --out shares.csv --threads 1",
    "evaluate other corpus --threads 1",
    "corpus export corpus --format lda-c --out exported",
)


def command_of(kind: str) -> str:
    """The options of the command that makes a material, or all of it."""
    return {**CORPORA, **MODELS, **LEXICONS}.get(kind) or UNDER_WAY[kind][1]


def documents_of(kind: str) -> str:
    """New documents for a model, of the kind that it learned from, and the options to read them."""
    words = command_of(kind)
    given = re.search(r"\S+\.(jsonl|conllu)", words)
    file = "held.jsonl" if given is None or given[0] == "lines.jsonl" else given[0]
    fields = re.search(r" --text-field \S+", words) if kind not in LEXICONS else None
    return file + (fields[0] if fields else "")


def verbs_of(saved: Saved, kind: str) -> tuple[str, ...]:
    """The commands that read a model or a lexicon, by what its registered kind can do; those that write last.

    `saved`: the registered kind of the material `kind`.
    """
    found = [line for verb in LINES if verb in saved.verbs for line in LINES[verb]]
    for name, export in saved.exports.items():
        if not export.of_documents:
            topic = " --topic common" if "topic" in export.options else ""
            found.append(f"export IT --format {name} --out {name}.txt{topic}")
    command = command_of(kind)
    if kind in UNDER_WAY:
        found = [line for line in found if not line.startswith("report")]
    if "unbounded" in command or "hierarchical" in command:  # not language models of their own
        found = [line for line in found if "arpa" not in line]
    if "en=text,de=deutsch" in command:
        found = [line for line in found if not line.startswith("compare")]
    if "--words open" in command:
        found.insert(1, "topics IT --at step:2")
    if "--phrases" in command:
        found += OF_PHRASES
    if kind not in LEXICONS:
        found.append("resume IT --threads 1")
    new, it = documents_of(kind), subject(kind)
    return tuple(line.replace("NEW", new).replace("IT", it) for line in found)


def subject(kind: str) -> str:
    """The name of the folder that a kind is about."""
    return "corpus" if kind in CORPORA else "lexicon" if kind in LEXICONS else "model"


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

    def verbs(self, kind: str) -> tuple[str, ...]:
        """The commands that read a material of a kind, those that write last."""
        if kind in CORPORA:
            fold = (
                "" if kind == "polylingual corpus" else "export other corpus --format pyldavis --out vis.json"
            )
            return (*READ_CORPUS, *filter(None, [fold]))
        return verbs_of(kind_at(self.of(kind) / subject(kind), "evaluate"), kind)

    def _make(self, kind: str, folder: Path) -> None:
        write_inputs(folder)
        if kind in CORPORA or kind in LEXICONS:
            expect(run(command_of(kind), folder))
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
