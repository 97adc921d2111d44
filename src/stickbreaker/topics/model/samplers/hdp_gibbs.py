"""Exact collapsed Gibbs sampling of the HDP by direct assignment (Teh et al. 2006, section 5.3)."""

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import Fitted
from stickbreaker.core.errors import UserError
from stickbreaker.core.random_streams import numbered_keys, stream
from stickbreaker.core.records import Field
from stickbreaker.corpus.shards import cut_blocks
from stickbreaker.kernels.restaurant_tables import draw_tables
from stickbreaker.topics import purposes
from stickbreaker.topics.kernels.samplers.gibbs import CHUNK, Table, add_counts, padded
from stickbreaker.topics.kernels.samplers.hdp_gibbs import (
    LEAST,
    GrowingPrior,
    Progress,
    Topics,
    sweep_growing,
)
from stickbreaker.topics.model.priors.hdp import HDPPrior
from stickbreaker.topics.model.priors.polya import log_gamma_sum
from stickbreaker.topics.model.samplers.collapsed import TokenChain
from stickbreaker.topics.model.samplers.gibbs import BLOCK_TOKENS, in_document_order, visit_of
from stickbreaker.topics.model.samplers.mean_counts import Arrays
from stickbreaker.topics.model.samplers.tokens import TokensInOrder
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary

BLOCK_DOCUMENTS = 2**14  # of a block, which has a row of the table's width for each
SHAPE, RATE = 1.0, 1.0  # of the Gamma prior of a learned concentration


class DirectAssignment(TokenChain):
    """The HDP's chain: a sweep draws the topic of every token, then numbers of tables, concentrations and the
    topics' weights beta.

    Theta and the topics' words are integrated out. Topics are opened by tokens and closed when empty; a
    topic's number is never reused. Topics are columns of a table that also has free columns; it is resized if
    these are too few or too many. Sweeps are sequential and use one thread.
    """

    def __init__(
        self,
        tokens: TokensInOrder,
        assignments: NDArray[np.integer],
        documents: HDPPrior,
        words: ClosedVocabulary,
        seed: int,
    ) -> None:
        super().__init__(tokens, words, seed)
        if words.by_topic:
            problem = "eta has a column for each topic, but new topics would have none"
            raise UserError(problem, remedy="give eta as a number or an array (words)")
        self._documents = documents
        start = documents.start()
        self._params = {"alpha": start["alpha"], "gamma": start["gamma"], **self._params}
        groups = words.groups()
        cuts = cut_blocks(tokens.offsets, BLOCK_TOKENS, BLOCK_DOCUMENTS)
        self._visits = [visit_of(tokens, groups, *cut) for cut in cuts]
        n_topics = documents.n_topics
        rest, born = np.array([float(start["rest"].values)]), np.array([n_topics])
        self._state = Topics(start["weights"].values.copy(), np.arange(n_topics), rest, born)
        self._place(self._checked(assignments))
        self._bury()
        self._lay_out(padded(len(self._used()) + 1))

    def sweep(self, number: int, threads: int) -> None:
        *keys, last = numbered_keys(self._seed, purposes.HDP_GIBBS, number, np.arange(len(self._visits) + 1))
        for i, (visit, key) in enumerate(zip(self._visits, keys, strict=True)):
            progress = Progress(np.zeros(1, np.int64), np.zeros(2, np.uint64))
            while not sweep_growing(
                visit.block, self._table, self._prior(), self._state, key, progress, self._by_visit[i]
            ):
                self._lay_out(self._n_columns + CHUNK)
        self._bury()
        self._draw_weights(last, stream(self._seed, purposes.HDP_WEIGHTS, number))
        fitting = padded(len(self._used()) + 1)
        if self._n_columns > fitting + CHUNK:
            self._lay_out(fitting)

    def counts(self) -> NDArray[np.int32]:
        return self._table.counts[:, self._used()]

    def params(self) -> dict[str, Field]:
        """The current params of the topics in use: the fields with which the model started, and "ids", the
        lasting number of each topic.
        """
        used, start = self._used(), self._documents.start()
        return {
            "weights": start["weights"]._replace(values=self._state.weights[used]),
            "rest": start["rest"]._replace(values=np.array(self._state.rest[0])),
            **self._params,
            "ids": Field(self._state.numbers[used].astype(np.float64), ("topics",), additive=False),
        }

    def figures(self) -> dict[str, int]:
        return self._documents.figures(self.counts().sum(axis=0, dtype=np.float64))

    def fitted(self) -> Fitted:
        """What the chain has learned: for each topic in use, the mean counts over the samples that had it,
        and its lasting number; and the current params.
        """
        return super().fitted()._replace(columns=self._numbers(0))

    def _numbers(self, n_topics: int) -> NDArray[np.int64]:
        return self._state.numbers[self._used()]

    def _state_arrays(self) -> Arrays:
        """The state as arrays of a snapshot: each token's column of the table in document order, the weights
        and lasting numbers of the columns' topics, and the params that are learned.
        """
        kind = np.uint16 if self._n_columns <= 2**16 else np.int32
        state = {name: values.copy() for name, values in self._state._asdict().items()}
        return {"assignments": self._topics().astype(kind), **state, **self._hyperparameters()}

    def _take_state(self, arrays: Arrays) -> None:
        self._state = Topics(*(np.array(arrays[name]) for name in Topics._fields))
        self._place(self._checked(arrays["assignments"]))
        self._take_hyperparameters(arrays)

    @property
    def _n_columns(self) -> int:
        return len(self._state.weights)

    def _topics(self) -> NDArray[np.int32]:
        return in_document_order(self._visits, self._by_visit, len(self._tokens.words))

    def _totals(self) -> NDArray[np.int64]:
        return self._table.totals

    def _document_terms(self) -> float:
        """log p(z, beta, gamma | alpha) in nats, the documents' part of the score; it is a density in beta's
        sticks.
        """
        alpha = float(self._params["alpha"].values)
        nats = log_gamma_sum(self._use(), alpha * self._state.weights, self._n_columns)
        nats -= log_gamma_sum(self._lengths(), np.array(alpha), 1)
        return nats + self._documents.log_prior(self.params())

    def _used(self) -> NDArray[np.int64]:
        """The columns of the table that have a topic, sorted by the lasting numbers of their topics."""
        columns = np.flatnonzero(self._state.weights)
        return columns[np.argsort(self._state.numbers[columns])]

    def _fitted_columns(self) -> NDArray[np.int32]:
        used, places = self._used(), np.zeros(self._n_columns, np.int32)
        places[used] = np.arange(len(used))
        return places

    def _place(self, assignments: NDArray[np.integer]) -> None:
        """Set the topics of all tokens, given as columns in document order, and recompute the counts from
        them.
        """
        self._by_visit = [assignments[v.tokens][v.order].astype(np.int32) for v in self._visits]
        n_words, n_groups = self._tokens.n_words, len(self._closed.firsts)
        self._table = Table(
            np.zeros((n_words, self._n_columns), np.int32), np.zeros((n_groups, self._n_columns), np.int64)
        )
        for visit, topics in zip(self._visits, self._by_visit, strict=True):
            add_counts(visit.block, topics, self._table)

    def _lay_out(self, width: int) -> None:
        """Resize the table to `width` columns: the topics in use move to the first ones, and free columns
        follow. `width` must not be below the number of topics in use.
        """
        used = self._used()
        assignments = self._fitted_columns()[self._topics()]
        free = width - len(used)
        weights = np.append(self._state.weights[used], np.zeros(free))
        numbers = np.append(self._state.numbers[used], np.zeros(free, np.int64))
        self._state = self._state._replace(weights=weights, numbers=numbers)
        self._place(assignments)

    def _bury(self) -> None:
        """Remove topics without tokens: their columns become free, and their weights are added to `rest`,
        that of unused topics. If all topics are empty, one stays.
        """
        gone = (self._state.weights > 0.0) & (self._table.totals.sum(axis=0) == 0)
        if gone.sum() == len(self._used()):
            gone[self._used()[0]] = False
        self._state.rest[0] += self._state.weights[gone].sum()
        self._state.weights[gone] = 0.0

    def _prior(self) -> GrowingPrior:
        eta = np.asarray(self._closed.prior(self._params, slice(None)), float).reshape(-1, 1)
        totals = np.broadcast_to(self._closed.prior_totals(self._params), self._table.totals.shape)
        alpha, gamma = (float(self._params[name].values) for name in ("alpha", "gamma"))
        return GrowingPrior(alpha, gamma, np.ascontiguousarray(eta), totals.copy())

    def _draw_weights(self, key: np.uint64, generator: np.random.Generator) -> None:
        """Draw, after a sweep, what is fixed during the next: numbers of tables given the tokens' topics,
        then alpha and gamma given these (if they are learned), then the topics' weights beta.

        key: seed of the draws of tables; generator: for all other draws.
        """
        used, tables = self._used(), np.zeros(self._n_columns, np.int64)
        draw_tables(*self._pairs(), float(self._params["alpha"].values) * self._state.weights, key, tables)
        if self._documents.alpha_learned:
            self._draw("alpha", np.diff(self._tokens.offsets), int(tables.sum()), generator)
        if self._documents.gamma_learned:
            self._draw("gamma", tables.sum(keepdims=True), int(np.count_nonzero(tables)), generator)
        shapes = np.append(np.maximum(tables[used], 1), float(self._params["gamma"].values))
        masses = generator.standard_gamma(shapes)
        masses = np.maximum(masses / masses.sum(), LEAST)
        self._state.weights[used], self._state.rest[0] = masses[:-1], masses[-1]

    def _draw(
        self, name: str, customers: NDArray[np.int64], tables: int, generator: np.random.Generator
    ) -> None:
        item = self._params[name]
        drawn = draw_concentration(float(item.values), customers, tables, generator)
        self._params[name] = item._replace(values=np.array(drawn))


def draw_concentration(
    present: float, customers: NDArray[np.int64], tables: int, generator: np.random.Generator
) -> float:
    """Draw the concentration of a DP from its posterior given its restaurants, with the prior Gamma(1, 1).

    customers: the number in each restaurant; tables: the number in all restaurants together. Given the
    `present` value, auxiliary variables are drawn, a Beta and a Bernoulli per restaurant (Teh et al. 2006,
    appendix A; for one restaurant Escobar & West 1995).

    >>> draw_concentration(1.0, np.array([40]), 5, stream(0, "example")) > 0.0
    True
    """
    customers = customers[customers > 0]
    shares = generator.beta(present + 1.0, customers)
    coins = generator.random(len(customers)) * (customers + present) < customers
    rate = RATE - np.log(np.maximum(shares, 1e-300)).sum()
    return float(generator.gamma(SHAPE + tables - coins.sum()) / rate)
