"""A learned syntactic topic model: what can be read of its topics, and what it says of new documents."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from stickbreaker.contracts.contract import Fitted
from stickbreaker.core.arguments import refuse_other_number
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.records import Array, Record
from stickbreaker.core.topk import descending
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.overview import Overview
from stickbreaker.estimators.learned import Facts, HasShares
from stickbreaker.saved import Snapshot
from stickbreaker.saved.checkpoints import fitted_of
from stickbreaker.syntax.model.learned_syntax import LearnedSyntax
from stickbreaker.syntax.plan import chains_of, limit_of, words_of
from stickbreaker.syntax.report_documents import Lens, write_documents
from stickbreaker.syntax.sentence_scores import WordScores, word_scores
from stickbreaker.syntax.settings import SyntaxSettings
from stickbreaker.syntax.tree_words import TreeWords


@dataclass(frozen=True, eq=False, repr=False)
class SyntaxLearned(HasShares[SyntaxSettings]):
    """What a syntactic topic model has learned.

    `params`: samples of its parameters, as files have them; `samples`: the same, to infer new documents;
    `words`: the words that topics are distributions over.
    """

    params: Record
    samples: LearnedSyntax
    words: TreeWords

    @classmethod
    def of(cls, facts: Facts[SyntaxSettings], params: Record) -> "SyntaxLearned":
        """The result with these params. Raises ValueError if they do not fit the facts."""
        settings = facts.settings
        samples = LearnedSyntax.of(params, limit_of(settings), chains_of(settings))
        words = words_of(settings, facts.vocabulary, tuple(facts.corpus["tags"]))
        if samples.beta.shape[2] != settings.n_topics:
            raise ValueError("the number of topics differs")
        if samples.beta.shape[1] != words.n_words:
            raise ValueError("topics have other words")
        if samples.tags.shape[2] != len(words.tags):
            raise ValueError("topics have other tags")
        return cls(facts, params, samples, words)

    @cached_property
    def topics_in_use(self) -> list[int]:
        """The topics that have words in at least half of the best chain's samples, the largest first."""
        held = self.samples.of_best(self.samples.transitions.sum(axis=1) >= 1.0) >= 0.5
        return [k for k in descending(self.samples.topic_shares).tolist() if held[k]]

    def top_words(self, n: int = 10) -> list[list[str]]:
        """The `n` most probable words of each topic."""
        refuse_other_number("n", n)
        words = self.words.names
        return [[words[row] for row in descending(p, n).tolist()] for p in self.samples.topic_words]

    def sizes(self) -> dict[str, int]:
        return {"topics": len(self.topics_in_use)}

    def overview(self) -> Overview:
        overview = super().overview()
        return overview._replace(rows=[*overview.rows, ("samples", str(len(self.samples.tau)))])

    # New documents

    @property
    def n_shares(self) -> int:
        return self.facts.settings.n_topics

    def shares(self, corpus: Corpus, block: int) -> Array:
        return self.samples.shares(self.words.ordered(corpus.trees(block)), self.facts.seed)

    def word_scores(self, corpus: Corpus, block: int) -> WordScores:
        """log p of the known words in every other sentence of a block's documents, given the rest."""
        return word_scores(corpus.trees(block), self.samples, self.words, self.facts.seed, self.threads)

    def log_probability(self, corpus: Corpus) -> tuple[float, float]:
        parts = [self.word_scores(corpus, block).nats for block in range(len(corpus.block_sizes))]
        return float(sum(part.sum() for part in parts)), float(sum(map(len, parts)))

    # Files

    def write_documents(self, corpus: Corpus, folder: Path, *, from_run: bool = False) -> None:
        own = from_run or corpus.fingerprint == self.facts.corpus["fingerprint"]
        held_out = self.facts.held_out if own else 0.0
        lens = Lens(self.samples, self.words, self.facts.seed)
        write_documents(lens, corpus, folder, held_out, learned_from=own)

    def snapshot(self, fixed: JsonObject) -> Snapshot:
        return fitted_of(Fitted(self.params), self.facts.progress, fixed)
