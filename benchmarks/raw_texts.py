"""Time before anything is learned: texts are read, cut into words and counted; and time of the whole command.

`make bench WHAT=texts` builds corpora of IMDb's reviews, each of them twice, by our `Corpus.build` (a
directory that keeps texts, words in order and metadata), by scikit-learn's CountVectorizer, by gensim's
dictionary and by a pattern of Python's `re` with a dict (which keep only counts), in turns: megabytes of text
per CPU second, the best of some rounds. Then from the raw file to topics in one command, CPU seconds of the
whole process with all its imports: ours from the shell, once with nothing compiled and then again, and
scripts of the others with the same numbers of topics and passes. No setting of ours was chosen on these
reviews. Some five minutes; the tables are printed row by row and kept in bench-results/.
"""

import argparse
import importlib.util
import json
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from benchmarks.harness import Report, options, run
from benchmarks.processes import ONE_THREAD, cpu_seconds
from reproduce.texts import rows

from stickbreaker import Corpus

ROUNDS, TOPICS, PASSES = 5, 50, 10
OWN, PHRASES = "stickbreaker", "stickbreaker, with phrases"
WORD = re.compile(r"[a-z][a-z0-9']+")
BUILDS = ("program", "MB/s", "ours is")
COMMANDS = ("from raw texts to topics", "CPU s", "ours is")
SKLEARN_SCRIPT = f"""
import json, sys
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.feature_extraction.text import CountVectorizer
texts = [json.loads(line)["text"] for line in open(sys.argv[1])]
counts = CountVectorizer(stop_words="english", min_df=5, max_df=0.5).fit_transform(texts)
LatentDirichletAllocation({TOPICS}, max_iter={PASSES}, random_state=0).fit(counts)
"""
GENSIM_SCRIPT = f"""
import json, sys
from gensim.corpora import Dictionary
from gensim.models import LdaModel
from gensim.utils import simple_preprocess
tokens = [simple_preprocess(json.loads(line)["text"]) for line in open(sys.argv[1])]
dictionary = Dictionary(tokens)
dictionary.filter_extremes(5, 0.5, None)
bags = [dictionary.doc2bow(line) for line in tokens]
LdaModel(bags, {TOPICS}, dictionary, passes={PASSES}, random_state=0, eval_every=None)
"""


def measure(report: Report, args: argparse.Namespace) -> None:
    if not report.has("IMDb"):
        return
    with tempfile.TemporaryDirectory() as place:
        file = write_reviews(Path(place) / "reviews.jsonl")
        builds(report, file, Path(place))
        commands(report, file, Path(place))


def write_reviews(path: Path) -> Path:
    """Write both parts of the reviews twice into one file, with ids that differ."""
    records = [{**record, "id": copy + record["id"]} for copy in ("a", "b") for record in rows("IMDb")]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


def builds(report: Report, file: Path, place: Path) -> None:
    """The table of corpora: megabytes of text per CPU second."""
    from sklearn.feature_extraction.text import CountVectorizer

    def texts() -> list[str]:
        return [json.loads(line)["text"] for line in file.open()]

    def by_pattern() -> None:
        numbers: dict[str, int] = {}
        for text in texts():
            Counter(numbers.setdefault(word, len(numbers)) for word in WORD.findall(text.lower()))

    def own(phrases: bool) -> None:
        Corpus.build(file, place / "corpus", overwrite=True, phrases=phrases)

    programs: dict[str, Callable[[], object]] = {
        OWN: lambda: own(False),
        PHRASES: lambda: own(True),
        "scikit-learn": lambda: CountVectorizer().fit_transform(texts()),
        "re and dict": by_pattern,
    }
    if importlib.util.find_spec("gensim") is not None:
        from gensim.corpora import Dictionary
        from gensim.utils import simple_preprocess

        def gensim() -> None:
            dictionary = Dictionary()
            for text in texts():
                dictionary.doc2bow(simple_preprocess(text), allow_update=True)

        programs["gensim"] = gensim
    size = sum(map(len, texts())) / 1e6
    report.section("Corpora", f"{size:.1f} MB of text in {file.stat().st_size / 1e6:.1f} MB.", BUILDS)
    best = dict.fromkeys(programs, float("inf"))
    for _ in range(ROUNDS):
        for name, build in programs.items():
            start = time.process_time()
            build()
            best[name] = min(best[name], time.process_time() - start)
    ours = size / best[OWN]
    for name, seconds in best.items():
        figure_row(report, BUILDS, name, size / seconds, ours * seconds / size)


def commands(report: Report, file: Path, place: Path) -> None:
    """The table of commands: CPU seconds from the file to topics."""
    report.section("Commands", f"{TOPICS} topics, {PASSES} passes.", COMMANDS)
    program = Path(sys.executable).with_name("stickbreaker")
    variables = {**ONE_THREAD, "NUMBA_CACHE_DIR": str(place / "cache")}
    options = ("--topics", TOPICS, "--iterations", PASSES, "--tol", 0, "--threads", 1, "--overwrite")
    fit = [program, "fit", "lda", file, "--out", place / "model", *options]
    cold = cpu_seconds(fit, **variables)
    own = min(cpu_seconds(fit, **variables) for _ in range(3))
    figure_row(report, COMMANDS, OWN, own, 1.0)
    figure_row(report, COMMANDS, f"{OWN}, nothing compiled before", cold, cold / own)
    scripts = {"scikit-learn": SKLEARN_SCRIPT}
    if importlib.util.find_spec("gensim") is not None:
        scripts["gensim"] = GENSIM_SCRIPT
    for name, script in scripts.items():
        seconds = cpu_seconds([sys.executable, "-c", script, file], **variables)
        figure_row(report, COMMANDS, name, seconds, seconds / own)


def figure_row(
    report: Report, columns: tuple[str, ...], program: str, figure: float, ratio_of_ours: float
) -> None:
    """A row for a program, with the ratio of ours to it."""
    values = (program, f"{figure:.2f}", None if program == OWN else f"{ratio_of_ours:.2f}×")
    report.row(dict(zip(columns, values, strict=True)))


if __name__ == "__main__":
    run("raw-texts", "Raw texts", options(__doc__), measure)
