"""Changes of one sign, or of one factor, each of which tests must notice.

`python -m tests.mutations [TREE]` (`make mutations`) makes each in a copy of the tree, runs the tests that
are to notice it, and prints which failed; it fails itself where all passed. TREE: another checkout.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from xml.etree import ElementTree

TREE = Path(__file__).parents[1]
LIMIT = 1800  # seconds that the tests of one change may take


class Mutation(NamedTuple):
    """A change of a sign or factor in a file of the package, and the tests that are to notice it."""

    file: str
    right: str
    wrong: str
    tests: str


MUTATIONS = {
    "the bound of mean-field": Mutation(
        "kernels/mean_field.py",
        "terms += log_gamma64(gamma[k]) + (alpha[k] - gamma[k]) * expected",
        "terms += log_gamma64(gamma[k]) - (alpha[k] - gamma[k]) * expected",
        "tests/kernels/test_mean_field.py tests/models/test_lda.py",
    ),
    "a draw of the hybrid": Mutation(
        "kernels/hybrid.py",
        "_from_prior(row, alpha, target - total)",
        "_from_prior(row, alpha, target + total)",
        "tests/kernels/test_hybrid_kernel.py",
    ),
    "a token's own count in Gibbs sampling": Mutation(
        "kernels/samplers/gibbs.py",
        "own = np.float64(counted(counts[k], alpha[k], -one)) * less(word, k)",
        "own = np.float64(counted(counts[k], alpha[k], one)) * less(word, k)",
        "tests/kernels/test_gibbs_sweeps.py tests/models/test_gibbs.py",
    ),
    "documents between two halves": Mutation(
        "kernels/split_merge.py",
        "lean = digamma64(first + tokens) - digamma64(second + total - tokens)",
        "lean = digamma64(first + tokens) + digamma64(second + total - tokens)",
        "tests/kernels/test_split_merge_kernel.py tests/models/test_split_merge.py",
    ),
    "tables of a franchise": Mutation(
        "kernels/franchise.py",
        "terms += log64(alpha) - size * log_stick",
        "terms += log64(alpha) + size * log_stick",
        "tests/kernels/test_franchise_kernel.py tests/models/test_franchise.py",
    ),
    "documents of a topic with a word": Mutation(
        "kernels/document_counts.py",
        "counts[i, k] += theta[d, k] * words[i, k] / norm",
        "counts[i, k] += theta[d, k] * words[i, k] * norm",
        "tests/kernels/test_document_counts_kernel.py tests/models/test_word_documents.py",
    ),
    "company of words": Mutation(
        "models/topics/word_documents.py",
        "weights = np.tile(1.0 / np.log2(np.arange(n) + 2.0), (n, 1))",
        "weights = np.tile(1.0 * np.log2(np.arange(n) + 2.0), (n, 1))",
        "tests/models/test_word_documents.py",
    ),
    "words' sticks": Mutation(
        "kernels/sticks.py",
        "left -= cells.values[k, slot] * cells.scale",
        "left += cells.values[k, slot] * cells.scale",
        "tests/kernels/test_sticks_kernel.py tests/models/test_open_vocabulary.py",
    ),
    "what a split gains": Mutation(
        "models/topics/moves/acceptance.py",
        "+ prior) + float(values @ WHOLE)",
        "- prior) + float(values @ WHOLE)",
        "tests/models/test_split_merge.py tests/models/test_proposals.py",
    ),
    "gains on a half are those of all documents": Mutation(
        "models/topics/moves/acceptance.py",
        "gain *= step.scale * stats.documents / max(1.0, tried.documents)",
        "gain *= 1.0",
        "tests/models/test_move_gains.py",
    ),
    "a merge in a stream": Mutation(
        "models/topics/moves/acceptance.py",
        "evidence(self._words(params), terms), step.scale)",
        "evidence(self._words(params), terms), 1.0)",
        "tests/models/test_move_gains.py",
    ),
    "the half that judges": Mutation(
        "models/topics/moves/acceptance.py",
        'other = {"half": Field(np.array(1.0))}',
        'other = {"half": Field(np.array(0.0))}',
        "tests/models/test_move_gains.py",
    ),
    "the paper's splits": Mutation(
        "models/topics/moves/acceptance.py",
        'gain = step.scale * (float(tried.usage["own"].values) + prior)',
        'gain = step.scale * float(tried.usage["own"].values) + prior',
        "tests/models/test_move_gains.py",
    ),
    "gamma of the HDP": Mutation(
        "models/topics/priors/hdp.py",
        "n_topics / (1.0 - np.log(masses[-1]))",
        "n_topics / (-1.0 - np.log(masses[-1]))",
        "tests/models/test_hdp.py",
    ),
    "the curvature of a symmetric alpha": Mutation(
        "models/topics/priors/polya.py",
        "curve = sums.bends.sum() - len(alpha) ** 2 * sums.spread_bend",
        "curve = sums.bends.sum() - len(alpha) * sums.spread_bend",
        "tests/models/test_polya.py",
    ),
    "the learning rate": Mutation(
        "learning/schedules.py",
        "** -kappa)",
        "** kappa)",
        "tests/learning/test_schedules.py",
    ),
    "a merge of two positions": Mutation(
        "core/edits.py",
        "values[into] += values[source]",
        "values[into] -= values[source]",
        "tests/core/test_edits.py tests/learning/test_moves.py",
    ),
    "sums of a block on Spark": Mutation(
        "engines/spark/stats_sum.py",
        "totals += group_sums(",
        "totals -= group_sums(",
        "tests/spark/test_equality.py tests/spark/test_carried_records.py -k batch or hybrid or carried",
    ),
}


def copy_of(tree: Path, place: Path) -> Path:
    """A copy of what tests need of a checkout, without compiled kernels.

    For numba does not compile a kernel anew when what it calls in another file was changed.
    """
    for name in ("src", "tests", "audit"):
        shutil.copytree(tree / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy2(tree / "pyproject.toml", place)
    return place


def apply_to(tree: Path, mutation: Mutation) -> None:
    """Make a change; ValueError where its line is not there, or not once."""
    file = tree / "src" / "stickbreaker" / mutation.file
    text = file.read_text("utf-8")
    if text.count(mutation.right) != 1:
        raise ValueError(f"{mutation.file} does not have this once: {mutation.right}")
    file.write_text(text.replace(mutation.right, mutation.wrong), "utf-8")


def outcomes(tree: Path, tests: str) -> tuple[int, list[str]]:
    """How many tests ran, and which failed."""
    paths, _, chosen = tests.partition(" -k ")
    report = tree / "report.xml"
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"--junitxml={report}", "-k", chosen]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *paths.split()],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree / "src")},
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    if not report.exists():
        raise RuntimeError(done.stdout + done.stderr)
    cases = list(ElementTree.parse(report).iter("testcase"))
    red = [each for each in cases if each.find("failure") is not None or each.find("error") is not None]
    names = [f"{each.get('classname', '').removeprefix('tests.')}::{each.get('name')}" for each in red]
    return len(cases), sorted(names)


def noticed(tree: Path, name: str, mutation: Mutation) -> bool:
    """Whether tests notice a change; prints which."""
    with TemporaryDirectory() as place:
        copy = copy_of(tree, Path(place))
        try:
            apply_to(copy, mutation)
            number, red = outcomes(copy, mutation.tests)
        except (ValueError, RuntimeError, subprocess.TimeoutExpired) as error:
            print(f"{name}: {error}", flush=True)
            return False
    print(f"{name} ({mutation.file}): {len(red)} of {number} tests failed", flush=True)
    for test in red:
        print(f"    {test}", flush=True)
    return bool(red)


def main() -> None:
    """Try every change."""
    tree = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else TREE
    green = [name for name, mutation in MUTATIONS.items() if not noticed(tree, name, mutation)]
    sys.exit(f"not noticed: {', '.join(green)}" if green else 0)


if __name__ == "__main__":
    main()
