"""What the settings of a syntactic topic model mean: its inference, schedule, priors, words and documents."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from stickbreaker.contracts.contract import Fitted
from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Record
from stickbreaker.corpus import Corpus, Vocabulary
from stickbreaker.corpus.sequences import Trees
from stickbreaker.corpus.source import Source
from stickbreaker.estimators.setting_values import schedule_of, threads_for
from stickbreaker.learning.run import Limits, ScoreNames
from stickbreaker.learning.schedules import Batch, Online, Schedule
from stickbreaker.syntax.model.learned_syntax import LearnedSyntax
from stickbreaker.syntax.model.syntax_chain import Prior
from stickbreaker.syntax.model.syntax_model import SHARD_DOCUMENTS
from stickbreaker.syntax.sentence_scores import word_scores
from stickbreaker.syntax.settings import BATCH_SIZE, SyntaxSettings
from stickbreaker.syntax.tree_words import TreeWords

SWEEPS, CHAINS, PASSES, ONLINE_PASSES = 400, 4, 50, 3
KAPPA, TAU0 = 0.7, 8.0  # of an online schedule that leaves them open
SCORE_NAMES = ScoreNames(joint="log p(words | shares, topics)")


def is_sampled(settings: SyntaxSettings) -> bool:
    """Whether inference is by Markov chains; if not, it is mean-field."""
    return settings.inference == "gibbs"


def chains_of(settings: SyntaxSettings) -> int:
    """The number of chains whose samples make up the result.

    It is 1 for mean-field inference, whose result has the form of one sample.
    """
    if not is_sampled(settings):
        return 1
    return CHAINS if settings.chains is None else int(settings.chains)


def schedule_for(settings: SyntaxSettings) -> Schedule:
    """The schedule of mean-field inference: `schedule` or its default, with all settings.

    Raises UserError if it is not a schedule that these models have.
    """
    given = "batch" if settings.schedule is None else settings.schedule
    if given == "online":
        given = Online(batch_size=BATCH_SIZE)
    if given != "batch" and not isinstance(given, Batch | Online):
        raise UserError(
            f"schedule={settings.schedule!r}", remedy='schedule is "batch", "online" or Online(...)'
        )
    return schedule_of(given, KAPPA, TAU0)


def limits_of(settings: SyntaxSettings) -> Limits:
    """The limits at which a run ends: sweeps of chains, or passes and `tol`."""
    if is_sampled(settings):
        return Limits(SWEEPS if settings.max_iter is None else settings.max_iter, 0.0)
    batch = isinstance(schedule_for(settings), Batch)
    passes = PASSES if batch else ONLINE_PASSES
    return Limits(passes if settings.max_iter is None else settings.max_iter, settings.tol if batch else 0.0)


def prior_of(settings: SyntaxSettings) -> Prior:
    """The priors and the limiting case of the model."""
    return Prior(settings.n_topics, sigma=settings.eta, limit=limit_of(settings))


def limit_of(settings: SyntaxSettings) -> str:
    """The limiting case of the model, "none" for the model itself."""
    return settings.limit or "none"


def words_of(settings: SyntaxSettings, vocabulary: Vocabulary, tags: Sequence[str]) -> TreeWords:
    """How the model numbers words, known and unknown ones; tags: names of the corpus's tags."""
    return TreeWords(vocabulary, tags, settings.unknown)


def source_of(corpus: Corpus, held_out: float, shard_size: int = SHARD_DOCUMENTS) -> Source:
    """The source that gives a run its training documents, `shard_size` per shard.

    held_out: the share of documents to hold out. Raises UserError if no document is left.
    """
    source = Source(corpus, held_out, unit=Trees, shard_size=shard_size)
    if source.n_documents == 0:
        raise UserError("there is no document to learn from", remedy="lower the held-out share")
    return source


def held_out_score(
    settings: SyntaxSettings, source: Source, words: TreeWords, seed: int
) -> Callable[[Record], float]:
    """A function that scores the held-out documents: it takes learned params, returns nats per word.

    Half of a document's sentences are predicted from the others (`word_scores`). Raises UserError if no
    held-out document has a known word.
    """
    parts = [source.block(block, held_out=True)[1] for block in range(source.n_blocks)]
    if not any((part.words >= 0).any() for part in parts):
        raise UserError("no held-out document has a known word", remedy="raise the held-out share")

    def score(params: Record) -> float:
        learned = LearnedSyntax.of(params, limit_of(settings), chains_of(settings))
        threads = threads_for(settings.n_jobs)
        nats = [word_scores(part, learned, words, seed, threads).nats for part in parts]
        return float(np.concatenate(nats).mean())

    return score


def score_of_chains(score: Callable[[Record], float]) -> Callable[[Fitted], float]:
    """The same score for what chains have learned so far, as a sampling run asks for it."""
    return partial(_score_of_fitted, score=score)


def _score_of_fitted(fitted: Fitted, score: Callable[[Record], float]) -> float:
    return score(fitted.params)
