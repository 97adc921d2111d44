"""Topic n-gram language models, without scikit-learn."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

from stickbreaker.core.arguments import refuse_other_number
from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.parameter_fields import with_parameter_section
from stickbreaker.core.random_streams import stream
from stickbreaker.core.records import Array, Record
from stickbreaker.core.topk import descending
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.overview import Overview
from stickbreaker.corpus.sequences import Sequences
from stickbreaker.estimators.saving import held_out_of
from stickbreaker.estimators.setting_values import positive
from stickbreaker.learning.run import Run, RunState, ScoreNames
from stickbreaker.ngrams import purposes
from stickbreaker.ngrams.language_estimator import LanguageEstimator
from stickbreaker.ngrams.model.chain import TextEvents
from stickbreaker.ngrams.model.contexts import Integers, with_ends
from stickbreaker.ngrams.model.language_model import LanguageModel
from stickbreaker.ngrams.model.topic_chain import TopicChain
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
from stickbreaker.ngrams.model.topic_priors import CHAINS
from stickbreaker.ngrams.model.topic_samples import CELLS
from stickbreaker.ngrams.model.topic_sentences import TopicSentences
from stickbreaker.ngrams.parameters import UNBOUNDED, TopicNgramParameters
from stickbreaker.ngrams.report_documents import TopicLens, write_topic_documents
from stickbreaker.ngrams.sentence_scores import Scores, empty_sentence_scores, scores_by
from stickbreaker.saved import Snapshot


@with_parameter_section
class PlainTopicNgramModel(TopicNgramParameters, LanguageEstimator[TopicLanguageModel]):
    """A language model whose documents have topics: topics with word order (Noji, Mochihashi and Miyao 2013).

    A word is drawn given the words before it and its topic, which is drawn from the topic shares of its
    document. Each topic is a language model of hierarchical Pitman-Yor processes. Topics improve predictions
    if texts are of different kinds, since topic shares are updated as a document is read.

    Attributes
    ----------
    topic_word_ : (topics × words) the share of each word among a topic's words; rows sum to one.
    common_word_ : (words,) the same for the common model; zeros if there is none.
    topic_shares_ : (topics,) the share of each topic among all words learned from; the rest to one is the
        common model's.
    words_ : all words that may come next, `<unk>` and the mark `</s>` at a sentence's end included.
    bound_ : log p(words, topics, seating) of the last sample, in nats per word.
    n_iter_ : sweeps done; trace_ : a record per sweep, with the perplexity of each word given all others.

    >>> from stickbreaker import TopicNgramModel
    >>> texts = ["a cat sat. a cat ran.", "stocks fell. stocks rose."]
    >>> model = TopicNgramModel(2, order=2, min_count=1, max_iter=4, random_state=0).fit(texts)
    >>> model.transform(texts).shape
    (2, 2)
    """

    kind: ClassVar[str] = "TopicNgramModel"
    _whole: ClassVar[tuple[str, ...]] = ("restaurant_keys", "slot_keys", "cells", *CELLS)
    _score_names: ClassVar[ScoreNames] = ScoreNames(joint="log p(words, topics, seating)")

    # What the base class requires

    @property
    def _has_topics(self) -> bool:
        return True

    def _new_chain(self, text: TextEvents, seed: int, given: Record) -> TopicChain:
        return CHAINS[self.prior](text, self.n_topics, seed, given, moves=self.moves)

    def _model_of(self, params: Record, n_words: int) -> TopicLanguageModel:
        found = TopicLanguageModel.of(params, n_words, self.prior, self._longest)
        if found.n_topics != self.n_topics or (found.ends is None) == (self.order == UNBOUNDED):
            raise ValueError("the model has another number of topics")
        return found

    def _model_learned(self) -> TopicLanguageModel:
        return self.topic_model_

    def _log_words(
        self, model: TopicLanguageModel, words: Integers, content: Sequences, log_base: Array, seed: int
    ) -> Array:
        documents = marked(words, content.starts, content.offsets, model.end, log_base)
        return mean_of(log_probabilities(model, documents, seed))

    def _finish_run(
        self, corpus: Corpus, job: Run, state: RunState, fixed: JsonObject, folder: Path
    ) -> Snapshot:
        self._take_run(corpus, job, state)
        write_topic_documents(self._lens, corpus, folder, fixed["held_out"], learned_from=True)
        return self._snapshot(fixed)

    def _write_report_documents(self, corpus: Corpus, folder: Path) -> None:
        learned_from = corpus.fingerprint == self.corpus_["fingerprint"]
        held_out = held_out_of(self) if learned_from else 0.0
        write_topic_documents(self._lens, corpus, folder, held_out, learned_from=learned_from)

    @property
    def _lens(self) -> TopicLens:
        """What processing documents for the report needs: model, G0 of words, and seed."""
        return TopicLens(self.topic_model_, self.base_, self.seed_)

    def _take_learned(self, params: Record, state: RunState) -> None:
        super()._take_learned(params, state)
        self.topic_model_ = self._model_of(params, self.numbers_.n_words)

    # The fitted model

    @property
    def topic_word_(self) -> Array:
        """The share of each word among a topic's words (topics × words); rows sum to one.

        In a topic without words, all have the same share.
        """
        counts = self.topic_model_.word_topics[:, 1:].T
        sums = counts.sum(axis=1, keepdims=True)
        return np.where(sums > 0.0, counts / np.where(sums > 0.0, sums, 1.0), 1.0 / counts.shape[1])

    @property
    def common_word_(self) -> Array:
        """The share of each word among the common model's words (words); zeros if there is no common
        model."""
        counts = self.topic_model_.word_topics[:, 0]
        return counts / max(counts.sum(), 1.0)

    @property
    def topic_shares_(self) -> Array:
        """The share of each topic among all words learned from (topics); the rest to one is the common
        model's."""
        sums = self.topic_model_.word_topics.sum(axis=0)
        return sums[1:] / sums.sum()

    def top_words(self, n: int = 10) -> list[list[str]]:
        """The `n` most characteristic words of each topic, by p log(p / p in the whole text).

        Marks (`<unk>`, `</s>`) and words that are no more frequent in the topic than elsewhere are left out,
        so a topic may have fewer than `n`.
        """
        refuse_other_number("n", n)
        counts = self.topic_model_.word_topics
        n_known, words = len(self.numbers_.known), self.words_
        lifts = _lifts(self.topic_word_, counts.sum(axis=1) / counts.sum())[:, :n_known]
        return [[words[row] for row in descending(row_, n).tolist() if row_[row] > 0.0] for row_ in lifts]

    def _probabilities_of(self, words: Sequence[Sequence[str]]) -> list[list[float]]:
        """The shares of given words (a list for each topic) among the topic's words."""
        rows, topics = {word: row for row, word in enumerate(self.words_)}, self.topic_word_
        return [[float(p[rows[word]]) for word in own] for p, own in zip(topics, words, strict=True)]

    def top_phrases(self, n: int = 5) -> list[list[str]]:
        """The `n` most characteristic and cohesive n-grams of each topic, by the last sample, as texts.

        Only words with a letter take part; see `model.topic_phrases` for the score. A topic may have fewer.
        """
        refuse_other_number("n", n)
        letters = np.array([any(c.isalpha() for c in word) for word in self.numbers_.known], np.bool_)
        allowed = np.zeros(self.numbers_.n_words, np.bool_)
        allowed[: len(letters)] = letters
        model = self.topic_model_
        found = top_phrases(model, n, model.n_samples - 1, allowed)
        words = self.words_
        return [[" ".join(words[w] for w in phrase) for phrase in phrases] for phrases in found]

    def _language_of_topic(self, topic: int | None, sample: int = -1) -> LanguageModel:
        """One topic of one sample as a language model of its own, without approximation; topic None: the
        common model.

        sample: from 0; -1 is the last. Raises UserError for a topic, sample or common model that does not
        exist, and under the hierarchical prior, where topics draw on the common model.
        """
        model = self.topic_model_
        if self.prior == "hierarchical":
            problem = "topics that draw on the common model are not language models of their own"
            raise UserError(problem, remedy="learn one with --prior switching or none")
        if topic is None and self.prior == "none":
            raise UserError("the model has no common part", remedy="choose a topic by its number")
        self._refuse_topic(topic)
        if not -model.n_samples <= sample < model.n_samples:
            remedy = f"the model has {model.n_samples}, counted from 0"
            raise UserError(f"there is no sample {sample}", remedy=remedy)
        return language_of_topic(model, 0 if topic is None else topic + 1, sample % model.n_samples)

    def _refuse_topic(self, topic: int | None) -> None:
        """Raise UserError for a topic number that does not exist; None is accepted."""
        if topic is not None and not 0 <= topic < self.n_topics:
            raise UserError(f"there is no topic {topic}", remedy=f"topics are 0 to {self.n_topics - 1}")

    def _sizes(self) -> dict[str, int]:
        model = self.topic_model_
        return {
            "topics": int(model.word_topics[:, 1:].any(axis=0).sum()),
            "known_words": len(self.numbers_.known),
            "contexts": len(model.contexts.depths),
        }

    def _overview(self) -> Overview:
        overview = super()._overview()
        rows = [("order", str(self.order)), *overview.rows, ("samples", str(self.topic_model_.n_samples))]
        return overview._replace(rows=rows)

    # New documents

    @property
    def _n_shares(self) -> int:
        return self.n_topics

    def _block_shares(self, corpus: Corpus, block: int) -> Array:
        """Expected topic shares of the documents of a block (documents × topics).

        Words of the common model do not count. Rows sum to one.
        """
        return topic_shares(self.topic_model_, self._marked_block(corpus, block))

    def _marked_block(self, corpus: Corpus, block: int) -> MarkedDocuments:
        """The documents of a block of a corpus, with end-of-sentence marks.

        Unknown words with the number -1 (scored by their letters) get the G0 of the end mark instead of their
        own, which does not matter for topics, since G0 is the same in all of them.
        """
        content = corpus.sequences(block)
        words = self.numbers_.numbered(content.words)
        return marked(words, content.starts, content.offsets, self.topic_model_.end, self.base_.log_p)

    def _scores_of_sentences(self, corpus: Corpus, seen: Corpus | None = None) -> Iterator[Scores]:
        model, counts = self.topic_model_, None if seen is None else self._words_seen(seen)

        def predict(words: Integers, content: Sequences, log_base: Array) -> Array:
            documents = marked(
                words, content.starts, np.append(content.starts, len(words)), model.end, log_base
            )
            return mean_of(log_probabilities(model, documents, self.seed_, counts))

        return scores_by(predict, corpus, self.base_)

    def _empty_sentence_scores(self) -> Scores:
        model = self.topic_model_

        def predict(words: Integers, content: Sequences, log_base: Array) -> Array:
            every, positions = with_ends(words, content.starts, model.end)
            document = MarkedDocuments(every, positions, np.array([0, len(every)]), log_base)
            return mean_of(log_probabilities(model, document, self.seed_))

        return empty_sentence_scores(predict, self.base_)

    def _words_seen(self, corpus: Corpus) -> Array:
        """The expected number of words of each topic in all documents of a corpus (samples × topics)."""
        model, found = self.topic_model_, np.zeros((self.topic_model_.n_samples, self.n_topics))
        for block in range(len(corpus.block_sizes)):
            documents = self._marked_block(corpus, block)
            found += np.stack([word_topics(model, documents, n).sum(axis=0) for n in range(model.n_samples)])
        return found

    def _draw_sentences(
        self,
        n: int,
        *,
        topic: int | None = None,
        seen: Corpus | None = None,
        beginning: str = "",
        longest: int = 100,
        random_state: int = 0,
    ) -> list[list[str]]:
        """Draw n sentences as lists of words, each by a random sample and with topic shares of its own.

        The shares are drawn from the prior, or given the documents `seen`. topic: the topic of all words that
        do not come from the common model; `beginning`: the words that each begins with.
        """
        positive("n", n, whole=True)
        positive("longest", longest, whole=True)
        model = self.topic_model_
        self._refuse_topic(topic)
        generator = stream(random_state, purposes.NGRAM_SENTENCES)
        counts = np.zeros((model.n_samples, model.n_topics)) if seen is None else self._words_seen(seen)
        first, base = self._context_of(beginning), np.exp(self.base_.log_p)
        by_sample: dict[int, TopicSentences] = {}
        drawn: list[list[str]] = []
        for _ in range(n):
            number = int(generator.integers(model.n_samples))
            theta = generator.dirichlet(model.prior[number, 1:] + counts[number])
            theta = theta if topic is None else np.eye(model.n_topics)[topic]
            if number not in by_sample:
                by_sample[number] = TopicSentences(model, number, base, generator)
            sentence = by_sample[number].sentence(theta, longest, first)
            drawn.append([self.words_[word] for word in sentence])
        return drawn


def _lifts(topic_word: Array, everywhere: Array) -> Array:
    """How characteristic words are of topics: p log(p / p in the whole text) (topics × words); 0 if p is 0.

    topic_word (topics × words): p of words in topics; everywhere (words): p in the whole text.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(topic_word > 0.0, topic_word * np.log(topic_word / everywhere), 0.0)
