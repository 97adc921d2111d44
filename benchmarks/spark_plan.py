"""Sizes of the benchmark on Spark, whole and quick, and the settings that each program tries."""

from typing import NamedTuple

from benchmarks.contest import TRIES, Settings

OURS_GRID: list[Settings] = [
    {"eta": 0.1},
    {"eta": 0.1, "alpha": "10/K"},
    {"eta": 0.03, "alpha": "10/K"},
    {"alpha": "5/K"},
]
GRIDS: dict[str, list[Settings]] = {
    "mean-field": OURS_GRID,
    "hybrid": OURS_GRID,
    "mean-field online": [
        {"batch_size": 1024, "tau0": 1.0, "kappa": 0.5, "eta": 0.1},
        {"batch_size": 2048, "tau0": 1.0, "kappa": 0.5, "eta": 0.1, "alpha": "10/K"},
        {"batch_size": 1024, "tau0": 1.0, "kappa": 0.5, "eta": 0.1, "alpha": "10/K"},
        {"batch_size": 1024, "tau0": 4.0, "kappa": 0.7, "eta": 0.03, "alpha": "10/K"},
    ],
    "MLlib em": [  # its alpha and eta must be above one
        {"docConcentration": 1.1, "topicConcentration": 1.1},
        {"docConcentration": 1.1, "topicConcentration": 1.01},
        {"docConcentration": 1.01, "topicConcentration": 1.01},
        {"docConcentration": 2.0, "topicConcentration": 1.1},
    ],
    "MLlib online": [
        {"learningOffset": 1.0, "learningDecay": 0.51, "subsamplingRate": 0.1},
        {"learningOffset": 1.0, "learningDecay": 0.51, "subsamplingRate": 0.1, "topicConcentration": 0.1,
         "docConcentration": "10/K", "optimizeDocConcentration": False},
        {"learningOffset": 1.0, "learningDecay": 0.7, "subsamplingRate": 0.2, "topicConcentration": 0.1},
        {"learningOffset": 1.0, "learningDecay": 0.51, "subsamplingRate": 0.05, "topicConcentration": 0.03},
    ],
}  # fmt: skip
assert {len(grid) for grid in GRIDS.values()} == {TRIES - 1}
OURS = ("mean-field", "hybrid", "mean-field online")
THEIRS = ("MLlib em", "MLlib online")
FULL_BATCH = {"subsamplingRate": 1.0, "learningOffset": 1.0}  # MLlib's online optimizer, a step a pass


class Plan(NamedTuple):
    """Sizes of a run of the benchmark."""

    corpora: tuple[str, ...]  # corpora of texts; settings are chosen on the first that exists
    documents: int  # of the generated corpus
    words: int
    topics: int
    try_passes: int
    passes: tuple[int, ...]  # after which topics are scored
    full: tuple[int, ...]  # the same for MLlib's online optimizer with a step per pass
    longer: tuple[int, ...]  # the same for MLlib's EM on texts, whose topics separate slowly
    few: dict[str, tuple[int, ...]]  # the same on the generated corpus, if passes take minutes
    few_passes: int  # if only seconds are measured
    more_topics: tuple[int, ...]

    @property
    def smaller(self) -> tuple[int, ...]:
        """Documents of the generated corpora that a step is timed on."""
        return self.documents // 4, self.documents // 2, self.documents


PASSES = 1, 2, 3, 5, 10, 20
FEW = {
    "mean-field": (1, 3, 20),
    "hybrid": (1, 3, 20),
    "mean-field online": (1,),
    "MLlib em": (1, 3, 20),
    "MLlib online": (1, 3),
}
TEXTS = "20 Newsgroups", "NIPS"
WHOLE = Plan(TEXTS, 200_000, 100_000, 50, 10, PASSES, (1, 3), (50, 100), FEW, 4, (25, 50, 100, 200))
QUICK = Plan((), 4_000, 5_000, 20, 3, (1, 3), (1, 3), (5,), {}, 3, (10, 20, 40))
