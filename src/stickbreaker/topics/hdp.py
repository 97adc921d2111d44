"""The public class of the hierarchical Dirichlet process, `HDP`."""

from dataclasses import replace
from typing import TYPE_CHECKING

from sklearn.utils.validation import check_is_fitted

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.engines import LocalEngine
from stickbreaker.topics.lda import LDA
from stickbreaker.topics.learned import TopicsLearned
from stickbreaker.topics.plan import plan_of
from stickbreaker.topics.settings import LDASettings
from stickbreaker.topics.topics_front import TopicsFront

if TYPE_CHECKING:  # so that editors and type checkers know its parameters
    from stickbreaker.topics.settings import HDPSettings

    Parameters = HDPSettings
else:
    Parameters = object


class HDP(TopicsFront, Parameters, kind="HDP"):
    """Topics of a hierarchical Dirichlet process, which split and merge: their number is learned.

    Direct assignment (Bryant & Sudderth 2012): beta ~ GEM(gamma) are weights of topics without end,
    theta_d ~ DP(alpha beta). Read `n_topics_` for how many topics are in use.

    Attributes
    ----------
    search_ : the runs of a search in order, that of the model last: each with `topics` at the start,
        `used`, `bound`, `held_out`, `passes` and `final` (False: a short run). Empty without a search.
    n_topics_range_ : (fewest, most) topics of the runs whose score is within 0.005 nats per word of the best:
        of runs to the end, or of short runs if documents held out judge. None without a search, and if only
        the best run is: its own number does not make a range, and another seed may find another.
    n_topics_ : topics in use, those with at least one expected token and 1e-4 of all; the others are left out
        of every attribute and of `transform`.
    topic_ids_ : ids of the topics in use, which stay the same: a split's first part and a merge's larger
        target keep theirs; `trace_` records every change by these ids, with its gain in nats.
    topic_weights_ : (topics,) beta, the weights of topics in use; their sum is below one. After Gibbs
        sampling those of the last sample, while `components_` are means over the samples with the topic.
    alpha_ : (topics,) alpha beta, the prior of topics in documents.
    components_, topic_word_, eta_, topic_shares_, merges_, bound_, n_iter_, converged_, trace_ : as in `LDA`.
    learned_ : all that was learned, as a record that never changes.

    >>> from stickbreaker import HDP
    >>> model = HDP(n_topics=5, max_iter=20, tol=0.0).fit(["a river bank", "bank money"])
    >>> model.n_topics_ <= 5
    True
    """

    @property
    def n_topics_(self) -> int:
        """The number of topics in use."""
        return self.learned_.n_shares

    @property
    def n_topics_range_(self) -> tuple[int, int] | None:
        """The range of the numbers of topics that a search found as good as the best; None without one."""
        found = self.learned_.search_range
        return None if found is None else found.range

    @property
    def topic_weights_(self) -> Array:
        """The weights of the topics in use (topics)."""
        return self.learned_.topic_weights

    def to_lda(self) -> LDA:
        """The topics in use as a fitted `LDA`, for programs that need one; its prior of documents' topic
        shares is the HDP's learned one, fixed.

        Raises UserError for an open vocabulary or one with concepts, and NotFittedError before `fit`.

        >>> HDP(3, max_iter=5, tol=0.0).fit(["a river bank", "bank money"]).to_lda().alpha_.ndim
        1
        """
        check_is_fitted(self)
        own = self._now
        if not own.model.words.dirichlet:
            raise UserError("to_lda needs a closed vocabulary", remedy='fit with words="closed"')
        facts = own.facts
        acting = {
            name: getattr(facts.settings, name) for name in ("fold_in", "doc_max_iter", "doc_tol", "n_jobs")
        }
        settings = LDASettings(own.n_shares, alpha=own.alpha, eta=own.eta, random_state=facts.seed, **acting)
        model, engine = plan_of(settings).model(facts.vocabulary, facts.analysis), LocalEngine(1)
        engine.start(model, own.engine.table.counts(slice(None))[:, own.columns])
        state = replace(own.state, params=model.start())
        facts = replace(facts, settings=settings, search=(), updates=(), saved=None)
        return LDA.of(TopicsLearned.of(facts, model, engine, state, counted=own.word_documents))
