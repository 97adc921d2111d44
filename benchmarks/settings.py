"""The programs, their defaults, and the small grids from which each one's best setting is chosen.

Every program has the same number of tries (its default and the `TRIES` - 1 settings here), and ours no more.
Values that end in "/K" are divided by the number of topics. "default" is {}: what the program does when it is
told nothing but K, a seed and the number of passes.
"""

from typing import Any

from external import Mallet, VowpalWabbit
from hdp_programs import PROGRAMS as HDP_PROGRAMS
from ours import Stickbreaker
from peers import Gensim, Sklearn, Tomotopy

TRIES = 5
Settings = dict[str, Any]

FIRST_STEP = {"initial_t": 1, "learning_rate": 1}  # the first minibatch counts in full

GRIDS: dict[str, list[Settings]] = {
    "mean-field": [
        {"eta": 0.1},
        {"eta": 0.1, "alpha": "10/K"},
        {"eta": 0.03, "alpha": "10/K"},
        {"eta": "learned"},
    ],
    "mean-field online": [
        {"batch_size": 256, "tau0": 1.0, "kappa": 0.5, "eta": 0.1},
        {"batch_size": 128, "tau0": 1.0, "kappa": 0.7, "eta": 0.1},
        {"batch_size": 256, "tau0": 1.0, "kappa": 0.5, "eta": 0.1, "alpha": "10/K"},
        {"batch_size": 256, "tau0": 16.0, "kappa": 0.7, "eta": 0.03},
    ],
    "hybrid": [
        {"eta": 0.1},
        {"eta": 0.1, "alpha": "10/K"},
        {"eta": 0.03, "alpha": "10/K"},
        {"eta": "learned"},
    ],
    "gibbs": [
        {"eta": 0.1},
        {"eta": 0.1, "alpha": "10/K"},
        {"eta": 0.03, "alpha": "10/K"},
        {"eta": "learned"},
    ],
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
GRIDS["gibbs-delayed"] = GRIDS["gibbs"]
assert {len(grid) for grid in GRIDS.values()} == {TRIES - 1}

OURS = ("mean-field", "mean-field online", "hybrid", "gibbs", "gibbs-delayed")


def program_of(name: str, threads: int = 1, mallet: str | None = None) -> Any:
    """The program of that name. Raises LookupError when it is no program's."""
    if name == "mallet" and mallet is not None:
        return Mallet(mallet)
    if name in HDP_PROGRAMS:
        return HDP_PROGRAMS[name]()
    if name in OURS:
        inference, _, schedule = name.partition(" ")
        return Stickbreaker(inference, schedule or "batch", threads)
    peers = {"scikit-learn": Sklearn, "gensim": Gensim, "tomotopy": Tomotopy, "vowpal wabbit": VowpalWabbit}
    if name not in peers:
        raise LookupError(f"no program is called {name}")
    return peers[name]()


def resolved(settings: Settings, n_topics: int) -> Settings:
    """Settings with "10/K" and the like made numbers."""
    return {
        key: float(value[:-2]) / n_topics if isinstance(value, str) and value.endswith("/K") else value
        for key, value in settings.items()
    }
