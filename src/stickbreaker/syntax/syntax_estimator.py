"""The parameters of syntactic topic models, and what can be read from a learned one."""

from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np

from stickbreaker.core.arguments import refuse_other_number
from stickbreaker.core.errors import UserError
from stickbreaker.core.parameter_fields import with_parameter_section
from stickbreaker.core.records import Array, Record
from stickbreaker.core.topk import descending
from stickbreaker.corpus import Corpus, Vocabulary
from stickbreaker.corpus.building import AnyAnalysis
from stickbreaker.corpus.overview import Overview
from stickbreaker.corpus.sequences import Trees
from stickbreaker.corpus.source import Source
from stickbreaker.estimators.estimator import Estimator
from stickbreaker.estimators.settings import engine_name, refuse_parameters, schedule_of
from stickbreaker.learning.run import Limits, RunState, ScoreNames
from stickbreaker.learning.schedules import Batch, Online, Schedule
from stickbreaker.syntax.model.learned_syntax import LearnedSyntax
from stickbreaker.syntax.model.ordered_trees import OrderedTrees
from stickbreaker.syntax.model.syntax_chain import Prior
from stickbreaker.syntax.model.syntax_model import SHARD_DOCUMENTS
from stickbreaker.syntax.parameters import BATCH_SIZE, SyntaxParameters
from stickbreaker.syntax.sentence_scores import WordScores, word_scores
from stickbreaker.syntax.tree_words import BLANK, TAG, TreeWords

SWEEPS, CHAINS, PASSES, ONLINE_PASSES = 400, 4, 50, 3
MUCH = 1 / 3  # of trees' words; if more are missing, the corpus was built without all words


@with_parameter_section
class SyntaxEstimator(SyntaxParameters, Estimator):
    """Topics that know grammar: the syntactic topic model (Boyd-Graber and Blei 2009).

    A word of a parsed sentence draws its topic from the product of what its document prefers and what the
    topic of its head does. Learned from a corpus with trees, by Markov chains with closed-form steps or by
    mean-field inference.

    Attributes
    ----------
    topic_word_ : (topics × words) the probability of each word; rows sum to one.
    topic_shares_ : (topics,) the share of the words learned from that each topic has.
    head_topics_ : (topics + 1 × topics) of the words whose head has a topic, the share of each topic; the
        last row is of words without a head.
    words_ : the words of topics, by column of `topic_word_`.
    bound_ : log p(words) given the parameters of the last sweep, or the bound of mean-field inference, in
        nats per word.
    n_iter_ : sweeps or passes done; trace_ : list of records.

    >>> from stickbreaker import SyntacticTopics
    >>> SyntacticTopics(8, limit="itic").get_params()["limit"]
    'itic'
    """

    kind: ClassVar[str] = "SyntacticTopics"
    _score_names: ClassVar[ScoreNames] = ScoreNames(joint="log p(words | shares, topics)")
    _reads_trees: ClassVar[bool] = True

    # From parameters to a run

    def _refuse_params(
        self, vocabulary: Vocabulary | None = None, analysis: AnyAnalysis | None = None
    ) -> None:
        refuse_parameters(self)
        engine_name(self.engine)
        if not self._sampled:
            self._learning_schedule()
            if self.unknown == TAG:
                problem = 'unknown="tag" needs inference="gibbs"'
                raise UserError(problem, remedy=f'set unknown="{BLANK}" with inference="mean-field"')
        if vocabulary is not None and vocabulary.languages:
            problem = "a text in several languages has no trees"
            raise UserError(problem, remedy="learn a model of each language")

    def _least_memory(self, corpus: Corpus) -> tuple[int, str]:
        k = int(self.n_topics)
        state = 8 * k * (corpus.n_documents + corpus.n_words + k + 1) + 4 * int(corpus.n_tokens)
        chains = f", chains={self._n_chains}" if self._sampled else ""
        return self._n_chains * state, f"n_topics={k}{chains}"

    @property
    def _n_chains(self) -> int:
        """The number of chains whose samples make up the result.

        It is 1 for mean-field inference, whose result has the form of one sample.
        """
        return (CHAINS if self.chains is None else int(self.chains)) if self._sampled else 1

    @property
    def _sampled(self) -> bool:
        """Whether inference is by Markov chains; if not, it is mean-field."""
        return self.inference == "gibbs"

    def _learning_schedule(self) -> Schedule:
        """The schedule of mean-field inference: the parameter `schedule` or its default, with all settings.

        Raises UserError if the parameter is not a schedule.
        """
        given = "batch" if self.schedule is None else self.schedule
        if given == "online":
            given = Online(batch_size=BATCH_SIZE)
        if given != "batch" and not isinstance(given, Batch | Online):
            raise UserError(
                f"schedule={self.schedule!r}", remedy='schedule is "batch", "online" or Online(...)'
            )
        return schedule_of(given, **self._schedule_defaults)

    def _limits(self) -> Limits:
        if self._sampled:
            return Limits(SWEEPS if self.max_iter is None else self.max_iter, 0.0)
        batch = isinstance(self._learning_schedule(), Batch)
        passes = PASSES if batch else ONLINE_PASSES
        return Limits(passes if self.max_iter is None else self.max_iter, self.tol if batch else 0.0)

    def prior(self) -> Prior:
        """The priors and the limiting case of the model that the estimator's parameters describe."""
        return Prior(self.n_topics, sigma=self.eta, limit=self.limit or "none")

    def _remark_on(self, corpus: Corpus) -> str | None:
        share = 0.0 if corpus.about.tag_names is None else corpus.wordless_share
        if share <= MUCH:
            return None
        return (
            f"{share:.0%} of the tokens were left out of the corpus: build it with trees=True all_words=True"
        )

    def _source_of(self, corpus: Corpus, held_out: float, shard_size: int = SHARD_DOCUMENTS) -> Source:
        """The source that gives a run its training documents, `shard_size` per shard.

        held_out: the share of documents to hold out. Raises UserError if no document is left.
        """
        source = Source(corpus, held_out, unit=Trees, shard_size=shard_size)
        if source.n_documents == 0:
            raise UserError("there is no document to learn from", remedy="lower the held-out share")
        return source

    def _held_out_score(self, source: Source, words: TreeWords, seed: int) -> Callable[[Record], float]:
        """A function that scores the held-out documents: it takes learned params, returns nats per word.

        Half of a document's sentences are predicted from the others (`word_scores`). Raises UserError if no
        held-out document has a known word.
        """
        parts = [source.block(block, held_out=True)[1] for block in range(source.n_blocks)]
        if not any((part.words >= 0).any() for part in parts):
            raise UserError("no held-out document has a known word", remedy="raise the held-out share")

        def score(params: Record) -> float:
            learned = LearnedSyntax.of(params, self.limit or "none", self._n_chains)
            nats = [word_scores(part, learned, words, seed, self._threads).nats for part in parts]
            return float(np.concatenate(nats).mean())

        return score

    def _words_of(self, vocabulary: Vocabulary, tags: Sequence[str]) -> TreeWords:
        """How the model numbers words, known and unknown ones as the parameter `unknown` asks; tags: names
        of the corpus's tags."""
        return TreeWords(vocabulary, tags, self.unknown)

    # The learned model

    def _take_learned(self, params: Record, state: RunState) -> None:
        """Set the estimator's fitted attributes from learned params and the state of their run.

        Raises ValueError if they do not match.
        """
        self._take_state(state)
        self.params_: Record = params
        self.state_: RunState = state
        self.tags_: tuple[str, ...] = tuple(self.corpus_["tags"])
        self.tree_words_ = self._words_of(self.vocabulary_, self.tags_)
        self.learned_ = LearnedSyntax.of(params, self.limit or "none", self._n_chains)
        if self.learned_.beta.shape[2] != self.n_topics:
            raise ValueError("the number of topics differs")
        if self.learned_.beta.shape[1] != self.tree_words_.n_words:
            raise ValueError("topics have other words")
        if self.learned_.tags.shape[2] != len(self.tags_):
            raise ValueError("topics have other tags")
        self.n_features_in_ = len(self.vocabulary_)

    @property
    def words_(self) -> tuple[str, ...]:
        """The words that topics are distributions over, by column of `topic_word_`."""
        return self.tree_words_.names

    @property
    def topic_word_(self) -> Array:
        """(topics × words) The probability of each word; rows sum to one."""
        return self.learned_.topic_words

    @property
    def topic_shares_(self) -> Array:
        """(topics,) The share of each topic among the words learned from."""
        return self.learned_.topic_shares

    @property
    def head_topics_(self) -> Array:
        """(topics + 1 × topics) Rows: topics of heads; in a row, the shares of topics among their dependents.

        The last row is for words without a head.
        """
        return self.learned_.head_topics

    @property
    def topic_tags_(self) -> Array:
        """(topics × tags) The share of each of `tags_` among a topic's words; zeros if it has no words."""
        return self.learned_.topic_tags

    @property
    def _topics_in_use(self) -> list[int]:
        """The topics that have words in at least half of the best chain's samples, the largest first."""
        held = self.learned_.of_best(self.learned_.transitions.sum(axis=1) >= 1.0) >= 0.5
        return [k for k in descending(self.topic_shares_).tolist() if held[k]]

    def top_words(self, n: int = 10) -> list[list[str]]:
        """The `n` most probable words of each topic."""
        refuse_other_number("n", n)
        words = self.words_
        return [[words[row] for row in descending(p, n).tolist()] for p in self.topic_word_]

    def _sizes(self) -> dict[str, int]:
        return {"topics": len(self._topics_in_use)}

    def _overview(self) -> Overview:
        overview = super()._overview()
        rows = [*overview.rows, ("samples", str(len(self.learned_.tau)))]
        return overview._replace(rows=rows)

    # New documents

    @property
    def _n_shares(self) -> int:
        return self.n_topics

    def _block_shares(self, corpus: Corpus, block: int) -> Array:
        """Expected topic shares of the documents in a block of the corpus (documents × topics)."""
        return self.learned_.shares(self._ordered(corpus.trees(block)), self.seed_)

    def _ordered(self, trees: Trees) -> OrderedTrees:
        return self.tree_words_.ordered(trees)

    def _word_scores(self, corpus: Corpus, block: int) -> WordScores:
        """log p of the known words in every other sentence of a block's documents, given the rest."""
        trees = corpus.trees(block)
        return word_scores(trees, self.learned_, self.tree_words_, self.seed_, self._threads)

    def _score_documents(self, corpus: Corpus) -> tuple[float, float]:
        parts = [self._word_scores(corpus, block).nats for block in range(len(corpus.block_sizes))]
        return float(sum(part.sum() for part in parts)), float(sum(map(len, parts)))
