"""The local solver of the Chinese restaurant franchise: q(pi') q(c) q(z) of each document.

Kernels and scipy.special are imported on use, so that models load without them.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stickbreaker.contracts.contract import Counts, Local
from stickbreaker.core.records import Array, Field, Record, Rows, Stats
from stickbreaker.corpus.shards import Bags, Shard
from stickbreaker.topics.model.priors.franchise import FranchisePrior
from stickbreaker.topics.model.slots import LocalSolver, TopicPrior, TopicView, TopicVocabulary
from stickbreaker.topics.model.solvers.mean_field import MeanField, tokens_of_documents, words_of
from stickbreaker.topics.model.vocabularies.closed import ClosedVocabulary

FIRST = MeanField(max_iter=30, tol=1e-3)  # assigns tokens to topics before there are tables
FIRST_TOKENS = 0.1  # least tokens of a topic to get a table at the start


class FranchiseView(NamedTuple):
    """What the local steps of documents with tables need of the model.

    `logs` (rows × topics): E[log beta] of a shard's words, less `topics.log_scale`; `log_weights` (topics):
    E[log sigma(V)], the expected log share of each topic; `topics`: the view for the mean-field rounds with
    which documents start.
    """

    topics: TopicView
    logs: NDArray[np.float32]  # rows × topics, less topics.log_scale
    log_weights: Array  # topics
    alpha: float


@dataclass(frozen=True, slots=True)
class Franchise(LocalSolver):
    """The solver of documents whose tokens sit at tables, each with one topic (Chinese restaurant franchise).

    A document has at most `tables` tables, and is inferred in `max_iter` rounds, fewer if tables change by
    less than `tol`. It starts with mean-field rounds over topics; each of the largest topics then gets a
    table. With `keep_local`, a document's record stores its tables, and the next pass starts from these.
    """

    goes_on_from: ClassVar[tuple[str, ...]] = ("sizes", "zeta")

    max_iter: int = 20
    tol: float = 1e-3
    keep_local: bool = False
    tables: int = 15

    def expectations(
        self,
        documents: TopicPrior,
        words: TopicVocabulary,
        params: Record,
        counts: Counts,
        totals: Array,
        rows: NDArray[np.int64] | None,
    ) -> FranchiseView:
        from stickbreaker.topics.kernels.franchise import expected_logs

        assert isinstance(documents, FranchisePrior)
        assert isinstance(words, ClosedVocabulary)
        assert isinstance(counts, np.ndarray)
        logs, log_scale = words.expected(expected_logs, params, counts, totals, rows)
        weights = np.exp(logs)
        weights[logs < -30.0] = 0.0  # subnormal numbers are slow
        topics = TopicView(weights, log_scale, rows, documents.prior(params))
        return FranchiseView(topics, logs, documents.log_weights(params), float(params["alpha"].values))

    def infer(
        self, view: FranchiseView, shard: Shard[Bags], local: Local | None, seed: int
    ) -> tuple[Local, Stats]:
        """Infer a shard's documents. Returns their records and the statistics (sums over the shard). local:
        their records of an earlier pass, used only with `keep_local`; the seed has no effect.

        gamma in a record is alpha E[sigma(V)] + expected tokens (topics), where E[sigma(V)] are the topics'
        expected shares. It is proportional to E[theta] given these tokens, with the document's sticks
        integrated out.
        """
        from stickbreaker.topics.kernels.franchise import Menu, Prior, Seats, seat_documents
        from stickbreaker.topics.kernels.mean_field import Rule

        n_topics = len(view.log_weights)
        sizes, zeta = self._start(view, shard, local if self.keep_local else None)
        seats = Seats(
            sizes=sizes,
            zeta=zeta,
            counts=np.zeros((len(shard.rows), n_topics), np.float32),
            tokens=np.zeros((shard.n_documents, n_topics)),
            served=np.zeros(n_topics),
            sticks=np.zeros(2),
            scores=np.zeros(shard.n_documents),
        )
        words = words_of(view.topics, shard)
        menu = Menu(words.offsets, words.codes, words.counts, words.positions, view.logs, words.log_scale)
        seat_documents(menu, Prior(view.alpha, view.log_weights), Rule(self.max_iter, self.tol), seats)
        stats = Stats(
            rows=Rows(shard.rows, seats.counts),
            usage={
                "served": Field(seats.served, ("topics",)),
                "sticks": Field(np.array(seats.sticks[0])),
                "log_rests": Field(np.array(seats.sticks[1])),
            },
            score=float(seats.scores.sum()),
            documents=float(shard.n_documents),
            tokens=float(tokens_of_documents(shard).sum()),
        )
        record = {
            "gamma": Field(view.topics.alpha + seats.tokens, ("documents", "topics")),
            "scores": Field(seats.scores, ("documents",)),
        }
        if self.keep_local:
            record["sizes"] = Field(sizes, ("documents", "tables"))
            record["zeta"] = Field(zeta.astype(np.float64), ("documents", "tables", "topics"))
        return record, stats

    def _start(
        self, view: FranchiseView, shard: Shard[Bags], local: Local | None
    ) -> tuple[Array, NDArray[np.float32]]:
        """The tables with which each document starts: those of its record (`local`) or, without one, of its
        largest topics.

        Returns their expected tokens (documents × tables), and the probabilities of their topics (documents ×
        tables × topics).
        """
        if local is not None:
            return local["sizes"].values.copy(), local["zeta"].values.astype(np.float32)
        found, _ = FIRST.infer(view.topics, shard, None, 0)
        tokens = np.maximum(found["gamma"].values - view.topics.alpha, 0.0)
        largest = np.argsort(-tokens, axis=1, kind="stable")[:, : self.tables]
        n_documents, n_tables = largest.shape
        sizes = np.take_along_axis(tokens, largest, axis=1)
        sizes[:, 1:][sizes[:, 1:] < FIRST_TOKENS] = 0.0
        zeta = np.zeros((n_documents, n_tables, tokens.shape[1]), np.float32)
        np.put_along_axis(zeta, largest[:, :, None], np.float32(1.0), axis=2)
        zeta[sizes == 0.0] = 0.0
        return sizes, zeta
