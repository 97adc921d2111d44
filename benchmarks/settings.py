"""The programs, and the small grids from which the best setting of each is chosen.

Every program has the same number of tries (its default and the `TRIES` - 1 settings here), and ours no more.
Values that end in "/K" are divided by the number of topics. The default is {}: what a program does if it is
given only K, a seed and the number of passes.
"""

from typing import Any

from benchmarks.contest import TRIES, Settings
from benchmarks.external import Mallet, VowpalWabbit
from benchmarks.hdp_programs import PROGRAMS as HDP_PROGRAMS
from benchmarks.ours import Stickbreaker
from benchmarks.peers import Gensim, Sklearn, Tomotopy

FIRST_STEP = {"initial_t": 1, "learning_rate": 1}  # the first minibatch counts in full

OURS_GRID: list[Settings] = [
    {"eta": 0.1},
    {"eta": 0.1, "alpha": "10/K"},
    {"eta": 0.03, "alpha": "10/K"},
    {"eta": "learned"},
]

GRIDS: dict[str, list[Settings]] = {
    "mean-field": OURS_GRID,
    "mean-field online": [
        {"batch_size": 256, "tau0": 1.0, "kappa": 0.5, "eta": 0.1},
        {"batch_size": 128, "tau0": 1.0, "kappa": 0.7, "eta": 0.1},
        {"batch_size": 256, "tau0": 1.0, "kappa": 0.5, "eta": 0.1, "alpha": "10/K"},
        {"batch_size": 256, "tau0": 16.0, "kappa": 0.7, "eta": 0.03},
    ],
    "hybrid": OURS_GRID,
    "gibbs": OURS_GRID,
    "gibbs-delayed": OURS_GRID,
    "scikit-learn": [
        {"max_doc_update_iter": 20},
        {"max_doc_update_iter": 20, "topic_word_prior": 0.1},
        {"max_doc_update_iter": 20, "topic_word_prior": 0.1, "doc_topic_prior": "10/K"},
        {"learning_method": "online", "batch_size": 256, "learning_offset": 1.0, "learning_decay": 0.7,
         "max_doc_update_iter": 20, "topic_word_prior": 0.1, "doc_topic_prior": "10/K"},
    ],
    "gensim": [
        {"chunksize": 256, "eta": 0.1},
        {"chunksize": 256, "eta": 0.1, "alpha": "auto", "decay": 0.7},
        {"iterations": 100, "gamma_threshold": 1e-4, "chunksize": 256, "eta": 0.1, "alpha": "auto"},
        {"iterations": 20, "chunksize": 256, "eta": 0.1, "alpha": "symmetric", "decay": 0.7},
    ],
    "tomotopy": [
        {"optim_interval": 0},
        {"eta": 0.1},
        {"alpha": "10/K", "eta": 0.1},
        {"alpha": "10/K", "eta": 0.03, "optim_interval": 20},
    ],
    "vowpal wabbit": [  # minibatch 1024 makes version 9.11.9 crash
        {"minibatch": 256, "lda_rho": 0.1, "lda_alpha": 0.1, "power_t": 0.5, **FIRST_STEP},
        {"minibatch": 256, "lda_rho": 0.1, "lda_alpha": "10/K", "power_t": 0.7, **FIRST_STEP},
        {"minibatch": 256, "lda_rho": 0.03, "lda_alpha": "10/K", "power_t": 0.5, **FIRST_STEP},
        {"minibatch": 128, "lda_rho": 0.1, "lda_alpha": "10/K", "power_t": 0.5, **FIRST_STEP},
    ],
    "mallet": [
        {"optimize_interval": 10, "optimize_burn_in": 20},
        {"optimize_interval": 10, "optimize_burn_in": 20, "beta": 0.1},
        {"alpha": 10, "beta": 0.1},
        {"alpha": 10, "beta": 0.03, "optimize_interval": 20, "optimize_burn_in": 20},
    ],
}  # fmt: skip
assert {len(grid) for grid in GRIDS.values()} == {TRIES - 1}

OURS = ("mean-field", "mean-field online", "hybrid", "gibbs", "gibbs-delayed")


def program_of(name: str, threads: int = 1, mallet: str | None = None) -> Any:
    """The program with that name. Raises LookupError if there is none."""
    if name == "mallet" and mallet is not None:
        return Mallet(mallet)
    if name in HDP_PROGRAMS:
        return HDP_PROGRAMS[name]()
    if name in OURS:
        inference, _, schedule = name.partition(" ")
        return Stickbreaker(inference, schedule or "batch", threads)
    peers = {"scikit-learn": Sklearn, "gensim": Gensim, "tomotopy": Tomotopy, "vowpal wabbit": VowpalWabbit}
    if name not in peers:
        raise LookupError(f"there is no program {name!r}")
    return peers[name]()
