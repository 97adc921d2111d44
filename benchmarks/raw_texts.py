"""What a user waits for before anything is learned: texts read, cut into words, counted; the whole command.

`make bench-texts` builds corpora of IMDb's reviews, twice as many as there are, by our `Corpus.build` (a
directory that keeps texts, words in order and metadata), by scikit-learn's CountVectorizer, by gensim's
dictionary and by a pattern of Python's `re` with a dict (which keep counts alone), in turns: megabytes of
text a CPU second, the best of some rounds. Then from the raw file to topics in one command, CPU seconds of
the whole process with all that it imports: ours from the shell, once with nothing compiled and then again,
and scripts of the others with as many topics and passes. No setting of ours was chosen on these reviews. Some
five minutes; the tables are printed as they come and kept in bench-results/.
"""

import gzip
import importlib.util
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from corpora import DATA
from lda import about, machine
from tables import Report, out_option

from stickbreaker import Corpus

IMDB = DATA / "imdb-reviews"
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


def main() -> None:
    report = Report(out_option(__doc__).parse_args().out, "raw-texts", about())
    report.say(f"# Raw texts\n\n{machine()}\n")
    if not IMDB.exists():
        report.say("MISSING: the reviews are not there (../shared/data/imdb-reviews)")
        return
    with tempfile.TemporaryDirectory() as place:
        file = written(Path(place) / "reviews.jsonl")
        builds(report, file, Path(place))
        commands(report, file, Path(place))


def written(path: Path) -> Path:
    """Both parts of the reviews, twice, as one file with ids that differ."""
    with path.open("w") as file:
        for copy in ("a", "b"):
            for part in ("train", "test"):
                with gzip.open(IMDB / f"{part}.jsonl.gz", "rt") as lines:
                    for line in lines:
                        record = json.loads(line)
                        print(json.dumps({**record, "id": copy + record["id"]}), file=file)
    return path


def builds(report: Report, file: Path, place: Path) -> None:
    """Megabytes of text a CPU second."""
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
    told(report, BUILDS, {name: size / seconds for name, seconds in best.items()}, more_is_better=True)


def commands(report: Report, file: Path, place: Path) -> None:
    """CPU seconds from the file to topics."""
    report.section("Commands", f"{TOPICS} topics, {PASSES} passes.", COMMANDS)
    program, cache = Path(sys.executable).with_name("stickbreaker"), str(place / "cache")
    options = ("--topics", TOPICS, "--iterations", PASSES, "--tol", 0, "--threads", 1, "--overwrite")
    fit = [program, "fit", "lda", file, "--out", place / "model", *options]
    seconds = {OWN: float("inf")}
    cold = cpu_seconds(fit, cache)
    for _ in range(3):
        seconds[OWN] = min(seconds[OWN], cpu_seconds(fit, cache))
    seconds[f"{OWN}, nothing compiled before"] = cold
    seconds["scikit-learn"] = cpu_seconds([sys.executable, "-c", SKLEARN_SCRIPT, file], cache)
    if importlib.util.find_spec("gensim") is not None:
        seconds["gensim"] = cpu_seconds([sys.executable, "-c", GENSIM_SCRIPT, file], cache)
    told(report, COMMANDS, seconds, more_is_better=False)


def cpu_seconds(words: list[object], cache: str) -> float:
    """CPU seconds of a process and what it starts, on one thread, with kernels compiled in `cache`."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, **threads, "NUMBA_CACHE_DIR": cache}
    subprocess.run([str(word) for word in words], env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def told(
    report: Report, columns: tuple[str, ...], figures: Mapping[str, float], *, more_is_better: bool
) -> None:
    """A row for each program, and how many times better ours is."""
    for name, figure in figures.items():
        ratio = figures[OWN] / figure if more_is_better else figure / figures[OWN]
        values = (name, f"{figure:.2f}", None if name == OWN else f"{ratio:.2f}×")
        report.row(dict(zip(columns, values, strict=True)))


if __name__ == "__main__":
    main()
