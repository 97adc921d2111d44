"""A learned language model whose documents have topics."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stickbreaker.core.arguments import refuse_other_number
from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array, Record
from stickbreaker.core.topk import descending
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.estimators.learned import HasShares
from stickbreaker.ngrams.language_learned import LanguageLearned, SentenceDraw
from stickbreaker.ngrams.model.contexts import Integers, with_ends
from stickbreaker.ngrams.model.language_model import LanguageModel
from stickbreaker.ngrams.model.topic_documents import (
    MarkedDocuments,
    log_probabilities,
    marked,
    mean_of,
    topic_shares,
    word_topics,
)
from stickbreaker.ngrams.model.topic_language_model import TopicLanguageModel, language_of_topic
from stickbreaker.ngrams.model.topic_phrases import top_phrases
from stickbreaker.ngrams.model.topic_sentences import TopicSentences
from stickbreaker.ngrams.plan import longest_context
from stickbreaker.ngrams.report_documents import TopicLens, write_topic_documents
from stickbreaker.ngrams.sentence_scores import Scores, empty_sentence_scores, scores_by
from stickbreaker.ngrams.settings import UNBOUNDED, TopicNgramSettings


@dataclass(frozen=True, eq=False, repr=False)
class TopicNgramLearned(
    LanguageLearned[TopicNgramSettings, TopicLanguageModel], HasShares[TopicNgramSettings]
):
    """What a language model with topics has learned."""

    @staticmethod
    def model_of(settings: TopicNgramSettings, params: Record, n_words: int) -> TopicLanguageModel:
        found = TopicLanguageModel.of(params, n_words, settings.prior, longest_context(settings))
        if found.n_topics != settings.n_topics or (found.ends is None) == (settings.order == UNBOUNDED):
            raise ValueError("the model has another number of topics")
        return found

    @staticmethod
    def log_words_by(
        model: TopicLanguageModel, words: Integers, content: Sequences, log_base: Array, seed: int
    ) -> Array:
        documents = marked(words, content.starts, content.offsets, model.end, log_base)
        return mean_of(log_probabilities(model, documents, seed))

    # Topics

    @property
    def topic_words(self) -> Array:
        """The share of each word among a topic's words (topics × words); rows sum to one.

        In a topic without words, all have the same share.
        """
        counts = self.model.word_topics[:, 1:].T
        sums = counts.sum(axis=1, keepdims=True)
        return np.where(sums > 0.0, counts / np.where(sums > 0.0, sums, 1.0), 1.0 / counts.shape[1])

    @property
    def common_words(self) -> Array:
        """The share of each word among the common model's words (words); zeros if there is no common
        model."""
        counts = self.model.word_topics[:, 0]
        return counts / max(counts.sum(), 1.0)

    @property
    def topic_shares(self) -> Array:
        """The share of each topic among all words learned from (topics); the rest to one is the common
        model's."""
        sums = self.model.word_topics.sum(axis=0)
        return sums[1:] / sums.sum()

    def top_words(self, n: int = 10) -> list[list[str]]:
        """The `n` most characteristic words of each topic, by p log(p / p in the whole text).

        Marks (`<unk>`, `</s>`) and words that are no more frequent in the topic than elsewhere are left out,
        so a topic may have fewer than `n`.
        """
        refuse_other_number("n", n)
        counts = self.model.word_topics
        n_known, words = len(self.numbers.known), self.words
        lifts = _lifts(self.topic_words, counts.sum(axis=1) / counts.sum())[:, :n_known]
        return [[words[row] for row in descending(row_, n).tolist() if row_[row] > 0.0] for row_ in lifts]

    def probabilities_of(self, words: Sequence[Sequence[str]]) -> list[list[float]]:
        """The shares of given words (a list for each topic) among the topic's words."""
        rows, topics = {word: row for row, word in enumerate(self.words)}, self.topic_words
        return [[float(p[rows[word]]) for word in own] for p, own in zip(topics, words, strict=True)]

    def top_phrases(self, n: int = 5) -> list[list[str]]:
        """The `n` most characteristic and cohesive n-grams of each topic, by the last sample, as texts.

        Only words with a letter take part; see `model.topic_phrases` for the score. A topic may have fewer.
        """
        refuse_other_number("n", n)
        letters = np.array([any(c.isalpha() for c in word) for word in self.numbers.known], np.bool_)
        allowed = np.zeros(self.numbers.n_words, np.bool_)
        allowed[: len(letters)] = letters
        words, found = self.words, top_phrases(self.model, n, self.n_samples - 1, allowed)
        return [[" ".join(words[w] for w in phrase) for phrase in phrases] for phrases in found]

    def language_of_topic(self, topic: int | None, sample: int = -1) -> LanguageModel:
        """One topic of one sample as a language model of its own, without approximation; topic None: the
        common model.

        sample: from 0; -1 is the last. Raises UserError for a topic, sample or common model that does not
        exist, and under the hierarchical prior, where topics draw on the common model.
        """
        prior = self.facts.settings.prior
        if prior == "hierarchical":
            problem = "topics that draw on the common model are not language models of their own"
            raise UserError(problem, remedy="learn one with --prior switching or none")
        if topic is None and prior == "none":
            raise UserError("the model has no common part", remedy="choose a topic by its number")
        self._refuse_topic(topic)
        if not -self.n_samples <= sample < self.n_samples:
            remedy = f"the model has {self.n_samples}, counted from 0"
            raise UserError(f"there is no sample {sample}", remedy=remedy)
        return language_of_topic(self.model, 0 if topic is None else topic + 1, sample % self.n_samples)

    def _refuse_topic(self, topic: int | None) -> None:
        """Raise UserError for a topic number that does not exist; None is accepted."""
        if topic is not None and not 0 <= topic < self.n_shares:
            raise UserError(f"there is no topic {topic}", remedy=f"topics are 0 to {self.n_shares - 1}")

    @property
    def n_samples(self) -> int:
        return self.model.n_samples

    def sizes(self) -> dict[str, int]:
        return {
            "topics": int(self.model.word_topics[:, 1:].any(axis=0).sum()),
            "known_words": len(self.numbers.known),
            "contexts": len(self.model.contexts.depths),
        }

    # New documents

    @property
    def has_topics(self) -> bool:
        return True

    @property
    def n_shares(self) -> int:
        return self.facts.settings.n_topics

    def shares(self, corpus: Corpus, block: int) -> Array:
        """Expected topic shares of the documents of a block (documents × topics).

        Words of the common model do not count. Rows sum to one.
        """
        return topic_shares(self.model, self._marked_block(corpus, block))

    def _marked_block(self, corpus: Corpus, block: int) -> MarkedDocuments:
        """The documents of a block of a corpus, with end-of-sentence marks.

        Unknown words with the number -1 (scored by their letters) get the G0 of the end mark instead of their
        own, which does not matter for topics, since G0 is the same in all of them.
        """
        content = corpus.sequences(block)
        words = self.numbers.numbered(content.words)
        return marked(words, content.starts, content.offsets, self.model.end, self.base.log_p)

    def scores_of_sentences(self, corpus: Corpus, seen: Corpus | None = None) -> Iterator[Scores]:
        model, counts = self.model, None if seen is None else self._words_seen(seen)

        def predict(words: Integers, content: Sequences, log_base: Array) -> Array:
            offsets = np.append(content.starts, len(words))
            documents = marked(words, content.starts, offsets, model.end, log_base)
            return mean_of(log_probabilities(model, documents, self.facts.seed, counts))

        return scores_by(predict, corpus, self.base)

    def empty_sentence_scores(self) -> Scores:
        model = self.model

        def predict(words: Integers, content: Sequences, log_base: Array) -> Array:
            every, positions = with_ends(words, content.starts, model.end)
            document = MarkedDocuments(every, positions, np.array([0, len(every)]), log_base)
            return mean_of(log_probabilities(model, document, self.facts.seed))

        return empty_sentence_scores(predict, self.base)

    def _words_seen(self, corpus: Corpus) -> Array:
        """The expected number of words of each topic in all documents of a corpus (samples × topics)."""
        model, found = self.model, np.zeros((self.n_samples, self.n_shares))
        for block in range(len(corpus.block_sizes)):
            documents = self._marked_block(corpus, block)
            found += np.stack([word_topics(model, documents, n).sum(axis=0) for n in range(model.n_samples)])
        return found

    def draw_sentences(self, draw: SentenceDraw) -> list[list[str]]:
        """Draw sentences, each by a random sample and with topic shares of its own, which are drawn from the
        prior or given the documents `draw.seen`."""
        model, generator, topic = self.model, draw.generator, draw.topic
        self._refuse_topic(topic)
        counts = (
            np.zeros((model.n_samples, model.n_topics)) if draw.seen is None else self._words_seen(draw.seen)
        )
        first, base = self.context_of(draw.beginning), np.exp(self.base.log_p)
        by_sample: dict[int, TopicSentences] = {}
        drawn: list[list[str]] = []
        for _ in range(draw.n):
            number = int(generator.integers(model.n_samples))
            theta = generator.dirichlet(model.prior[number, 1:] + counts[number])
            theta = theta if topic is None else np.eye(model.n_topics)[topic]
            if number not in by_sample:
                by_sample[number] = TopicSentences(model, number, base, generator)
            sentence = by_sample[number].sentence(theta, draw.longest, first)
            drawn.append([self.words[word] for word in sentence])
        return drawn

    # Files

    @property
    def lens(self) -> TopicLens:
        """What processing documents for the report needs: model, G0 of words, and seed."""
        return TopicLens(self.model, self.base, self.facts.seed)

    def write_documents(self, corpus: Corpus, folder: Path, *, from_run: bool = False) -> None:
        own = from_run or corpus.fingerprint == self.facts.corpus["fingerprint"]
        held_out = self.facts.held_out if own else 0.0
        write_topic_documents(self.lens, corpus, folder, held_out, learned_from=own)


def _lifts(topic_words: Array, everywhere: Array) -> Array:
    """How characteristic words are of topics: p log(p / p in the whole text) (topics × words); 0 if p is 0.

    topic_words (topics × words): p of words in topics; everywhere (words): p in the whole text.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(topic_words > 0.0, topic_words * np.log(topic_words / everywhere), 0.0)
