"""Table 3.1: who offers what. Ours is backed by tests, the others by their documentation.

A cell of ours names tests, which are looked for when the table is made. A cell of theirs is a link to the
page that says so; "not documented" where their documentation was read and says nothing of it.
"""

from pathlib import Path
from typing import Any, NamedTuple

from reproduce.pages import Link, Section, Table

ROOT = Path(__file__).parents[1]
COLUMNS = (
    "framework",
    "inference",
    "likelihood",
    "asymmetric α",
    "hyperparameters",
    "informed β",
    "multilingual",
)
READ = "November 2026"  # when the documentation was read
UNKNOWN = "not documented"


class Claim(NamedTuple):
    """What we offer, and the tests ("file::name") that hold us to it."""

    text: str
    tests: tuple[str, ...]


OURS = {
    "framework": Claim(
        "threads, Spark",
        (
            "src/stickbreaker/testing/estimators.py::test_same_bytes_for_any_number_of_threads",
            "tests/spark/test_clusters.py::test_a_cluster_whose_executors_and_workers_are_killed",
        ),
    ),
    "inference": Claim(
        "mean-field (batch, online), hybrid, Gibbs (exact, delayed)",
        (
            "tests/topics/test_combinations.py::test_what_the_table_has_works_and_all_else_is_refused_with_a_line",
        ),
    ),
    "likelihood": Claim(
        "yes: bound, completion, left to right",
        (
            "tests/topics/kernels/test_mean_field.py::test_bound_equals_its_definition_term_by_term",
            "tests/topics/evaluation/test_document_scores.py::test_completion_is_that_of_the_bags_and_blocks_do_not_matter",
            "tests/topics/evaluation/test_left_to_right.py::test_many_particles_are_near_the_exact_score",
        ),
    ),
    "asymmetric α": Claim(
        "yes", ("tests/topics/model/test_lda.py::test_planted_asymmetric_alpha_is_recovered",)
    ),
    "hyperparameters": Claim(
        "yes: α and η",
        (
            "tests/topics/model/test_lda.py::test_planted_asymmetric_alpha_is_recovered",
            "tests/topics/model/test_lda.py::test_planted_eta_is_recovered",
        ),
    ),
    "informed β": Claim(
        "yes, also from LIWC files",
        (
            "tests/topics/test_seed_words.py::test_the_guide_is_a_prior_not_only_a_start",
            "tests/topics/model/test_polylingual.py::test_guided_topics_are_those_that_were_meant",
        ),
    ),
    "multilingual": Claim(
        "yes", ("tests/topics/model/test_polylingual.py::test_planted_topics_of_two_languages_are_found",)
    ),
}

GENSIM = "https://radimrehurek.com/gensim/models/ldamodel.html"
SKLEARN = (
    "https://scikit-learn.org/stable/modules/generated/sklearn.decomposition.LatentDirichletAllocation.html"
)
TOMOTOPY = "https://bab2min.github.io/tomotopy/v0.13.0/en/"
TOMOTOPY_SOURCE = "https://github.com/bab2min/tomotopy/blob/main/src/python/docs.h"
MALLET = "https://mimno.github.io/Mallet/topics"
MALLET_SOURCE = "https://github.com/mimno/Mallet/blob/master/src/cc/mallet/topics/"
WABBIT = "https://github.com/VowpalWabbit/vowpal_wabbit/wiki/Latent-Dirichlet-Allocation"
SPARK = "https://spark.apache.org/docs/latest/mllib-clustering.html"
BNPY = "https://github.com/bnpy/bnpy"
BNPY_SOURCE = "https://github.com/bnpy/bnpy/blob/master/bnpy/allocmodel/topics/FiniteTopicModel.py"

PEERS: dict[str, tuple[Link, ...]] = {  # in the order of COLUMNS
    "gensim": (
        Link("processes; a cluster", GENSIM),
        Link("variational, online", GENSIM),
        Link("yes: bound", GENSIM),
        Link("yes", GENSIM),
        Link("yes: α and η; α not on a cluster", GENSIM),
        Link("yes: a matrix", GENSIM),
        Link(UNKNOWN, GENSIM),
    ),
    "scikit-learn": (
        Link("jobs on one machine", SKLEARN),
        Link("variational, batch and online", SKLEARN),
        Link("yes: bound", SKLEARN),
        Link("no: one number", SKLEARN),
        Link(UNKNOWN, SKLEARN),
        Link("no: one number", SKLEARN),
        Link(UNKNOWN, SKLEARN),
    ),
    "tomotopy": (
        Link("threads", TOMOTOPY),
        Link("Gibbs", TOMOTOPY),
        Link("yes", TOMOTOPY),
        Link("yes", TOMOTOPY_SOURCE),
        Link("yes: optim_interval", TOMOTOPY_SOURCE),
        Link("yes: set_word_prior", TOMOTOPY_SOURCE),
        Link(UNKNOWN, TOMOTOPY),
    ),
    "MALLET": (
        Link("threads", MALLET_SOURCE + "tui/TopicTrainer.java"),
        Link("Gibbs", MALLET),
        Link("yes: of new documents", MALLET),
        Link("yes", MALLET_SOURCE + "tui/TopicTrainer.java"),
        Link("yes", MALLET),
        Link("no: one number", MALLET_SOURCE + "tui/TopicTrainer.java"),
        Link("yes", MALLET_SOURCE + "PolylingualTopicModel.java"),
    ),
    "Vowpal Wabbit": (
        Link(UNKNOWN, WABBIT),
        Link("variational, online", WABBIT),
        Link(UNKNOWN, WABBIT),
        Link("no: one number", WABBIT),
        Link(UNKNOWN, WABBIT),
        Link("no: one number", WABBIT),
        Link(UNKNOWN, WABBIT),
    ),
    "Spark MLlib": (
        Link("Spark", SPARK),
        Link("variational, online; EM", SPARK),
        Link("yes: bound", SPARK),
        Link("yes, online", SPARK),
        Link("yes: α, online", SPARK),
        Link("no: symmetric only", SPARK),
        Link(UNKNOWN, SPARK),
    ),
    "bnpy": (
        Link("a parallel local step", BNPY_SOURCE),
        Link("variational: batch, memoised, online", BNPY),
        Link("yes: bound", BNPY_SOURCE),
        Link("no: one number", BNPY_SOURCE),
        Link(UNKNOWN, BNPY_SOURCE),
        Link(UNKNOWN, BNPY),
        Link(UNKNOWN, BNPY),
    ),
}
THESIS = ("MapReduce", "V.B.", "yes", "yes", "yes", "yes", "yes")


def not_found(claims: dict[str, Claim]) -> list[str]:
    """The tests of our claims that the project does not have."""
    absent = []
    for claim in claims.values():
        for test in claim.tests:
            file, _, name = test.partition("::")
            path = ROOT / file
            if not path.exists() or f"def {name}(" not in path.read_text(encoding="utf-8"):
                absent.append(test)
    return absent


def measure(full: bool) -> dict[str, Any]:
    """Whether our tests are there. Raises SystemExit naming one that is not."""
    absent = not_found(OURS)
    if absent:
        raise SystemExit(f"Table 3.1 names tests that do not exist: {', '.join(absent)}")
    return {
        "ours": {column: claim._asdict() for column, claim in OURS.items()},
        "peers": {name: [cell._asdict() for cell in cells] for name, cells in PEERS.items()},
    }


def section(data: dict[str, Any]) -> Section:
    """The table as the thesis has it, a program a row; then our tests."""
    rows = [
        ["Mr. LDA (thesis)", *THESIS],
        ["stickbreaker", *(data["ours"][column]["text"] for column in COLUMNS)],
        *([name, *(Link(**cell) for cell in cells)] for name, cells in data["peers"].items()),
    ]
    tests = [[column, claim["text"], ", ".join(claim["tests"])] for column, claim in data["ours"].items()]
    return Section(
        "Table 3.1: features",
        [
            "The thesis compares its program with Mallet, GPU-LDA, Async-LDA, N.C.L., PLDA, Y!LDA and "
            "Mahout. Here are programs that people use today. Each of their cells links to the "
            f"documentation it was taken from, as copies read in {READ} have it; “{UNKNOWN}” says that it "
            "was looked for there and not found, not that it is impossible.",
            Table(("program", *COLUMNS), rows),
            "The thesis says yes in all five columns from likelihood on for Mr. LDA alone. Of today's "
            "programs none documents all five either: MALLET lacks the informed prior, gensim and tomotopy "
            "several languages. Ours has the five and lacks the cluster. What holds us to our cells:",
            Table(("feature", "ours", "tests"), tests),
        ],
    )
