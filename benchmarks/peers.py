"""The peers that run inside a Python process, one small class each, with one interface.

`fit` trains on documents × words, calls `watch.start()` when the program's own work begins and `watch.step`
after each pass (or sweep) over the corpus; `topics` returns topics × words; `theta` is the program's
inference for new documents. Imports are inside, so that a missing program is reported by name and not by a
traceback.
"""

import math
from typing import Any

import numpy as np
from benchmarks.corpora import entries
from benchmarks.watch import Watch
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

Array = NDArray[np.float64]


class Sklearn:
    """scikit-learn: a step is a pass. Its perplexity is not computed, and not timed."""

    module = "sklearn"

    def fit(
        self, train: csr_matrix, n_topics: int, seed: int, settings: dict[str, Any], watch: Watch
    ) -> None:
        from sklearn.decomposition import LatentDirichletAllocation

        model = LatentDirichletAllocation(
            n_topics, random_state=seed, n_jobs=1, max_iter=watch.last, evaluate_every=-1, **settings
        )
        self.model = model
        em_step, online = model._em_step, model.learning_method == "online"
        calls = math.ceil(train.shape[0] / model.batch_size) if online else 1
        done = 0

        def timed(*arguments: Any, **options: Any) -> Any:
            nonlocal done
            result = em_step(*arguments, **options)
            done += 1
            if done % calls == 0:
                watch.step(self.topics)
            return result

        model._em_step = timed
        watch.start()
        model.fit(train)

    def topics(self) -> Array:
        return self.model.components_

    def theta(self, counts: csr_matrix) -> Array:
        return self.model.transform(counts)


class Gensim:
    """gensim's LdaModel: a step is a pass. `eval_every` is off: by default it also computes a score during
    training."""

    module = "gensim"

    def fit(
        self, train: csr_matrix, n_topics: int, seed: int, settings: dict[str, Any], watch: Watch
    ) -> None:
        from gensim.models import LdaModel

        documents = entries(train)
        model = LdaModel(
            num_topics=n_topics,
            id2word={word: str(word) for word in range(train.shape[1])},
            random_state=seed,
            passes=watch.last,
            eval_every=None,
            **settings,
        )
        self.model = model
        m_step, done = model.do_mstep, 0
        calls = math.ceil(len(documents) / min(len(documents), model.chunksize))

        def timed(*arguments: Any) -> None:
            nonlocal done
            m_step(*arguments)
            done += 1
            if done % calls == 0:
                watch.step(self.topics)

        model.do_mstep = timed
        watch.start()
        model.update(documents)

    def topics(self) -> Array:
        return self.model.get_topics().astype(np.float64)

    def theta(self, counts: csr_matrix) -> Array:
        return self.model.inference(entries(counts))[0].astype(np.float64)


class Tomotopy:
    """tomotopy's LDAModel, `workers=1`: a step is a sweep. Topics are those of the sampler's last state."""

    module = "tomotopy"

    def fit(
        self, train: csr_matrix, n_topics: int, seed: int, settings: dict[str, Any], watch: Watch
    ) -> None:
        self.model = self.new_model(n_topics, seed, settings)
        self.n_words = train.shape[1]
        for words in tokens_of(train):
            self.model.add_doc(words)
        watch.start()
        self.model.train(0, workers=1)  # it sets up here
        done = 0
        for stop in sorted({*watch.at, *range(10, watch.last, 10)}):  # every tenth sweep for the clock
            self.model.train(stop - done, workers=1)
            watch.step(self.topics, stop - done)
            done = stop
            if watch.over:
                return

    def new_model(self, n_topics: int, seed: int, settings: dict[str, Any]) -> Any:
        """A model without documents."""
        import tomotopy

        given = {name: value for name, value in settings.items() if name != "optim_interval"}
        model = tomotopy.LDAModel(k=n_topics, seed=seed, **given)
        if "optim_interval" in settings:
            model.optim_interval = settings["optim_interval"]
        return model

    def in_use(self) -> list[int]:
        """The topics that count."""
        return list(range(self.model.k))

    def topics(self) -> Array:
        topics = self.in_use()
        out = np.zeros((len(topics), self.n_words))
        columns = [int(word) for word in self.model.used_vocabs]
        for row, topic in enumerate(topics):
            out[row, columns] = self.model.get_topic_word_dist(topic)
        return out

    def theta(self, counts: csr_matrix) -> Array:
        documents = [self.model.make_doc(words) if words else None for words in tokens_of(counts)]
        found = iter(self.model.infer([doc for doc in documents if doc is not None], workers=1)[0])
        flat = np.full(self.model.k, 1.0 / self.model.k)
        return np.array([flat if doc is None else next(found) for doc in documents])


def tokens_of(counts: csr_matrix) -> list[list[str]]:
    """Each document as a list of tokens, in the order of the words."""
    return [[str(word) for word, n in document for _ in range(n)] for document in entries(counts)]
