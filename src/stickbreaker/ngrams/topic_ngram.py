"""The public class of topic n-gram language models, `TopicNgramModel`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sklearn.utils.validation import check_is_fitted

from stickbreaker.core.records import Array
from stickbreaker.corpus import Corpus
from stickbreaker.estimators.front import FrontOfTopics
from stickbreaker.ngrams.language_learned import SentenceDraw
from stickbreaker.ngrams.sentence_scores import Scores, SentenceScore, scores_by_sentence

if TYPE_CHECKING:  # so that editors and type checkers know its parameters
    from stickbreaker.ngrams.settings import TopicNgramSettings
    from stickbreaker.ngrams.topic_ngram_learned import TopicNgramLearned

    Front, Parameters = FrontOfTopics[TopicNgramSettings, TopicNgramLearned], TopicNgramSettings
else:
    Front, Parameters = FrontOfTopics, object


class TopicNgramModel(Front, Parameters, kind="TopicNgramModel"):
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
    learned_ : all that was learned, as a record that never changes.

    >>> from stickbreaker import TopicNgramModel
    >>> texts = ["a cat sat. a cat ran.", "stocks fell. stocks rose."]
    >>> model = TopicNgramModel(2, order=2, min_count=1, max_iter=4, random_state=0).fit(texts)
    >>> model.transform(texts).shape
    (2, 2)
    """

    @property
    def words_(self) -> tuple[str, ...]:
        """All words that can come next, by number."""
        return self.learned_.words

    @property
    def topic_word_(self) -> Array:
        """The share of each word among a topic's words (topics × words); rows sum to one.

        In a topic without words, all have the same share.
        """
        return self.learned_.topic_words

    @property
    def common_word_(self) -> Array:
        """The share of each word among the common model's words (words); zeros if there is no common
        model."""
        return self.learned_.common_words

    @property
    def topic_shares_(self) -> Array:
        """The share of each topic among all words learned from (topics); the rest to one is the common
        model's."""
        return self.learned_.topic_shares

    def top_words(self, n: int = 10) -> list[list[str]]:
        """The `n` most characteristic words of each topic, by p log(p / p in the whole text).

        Marks (`<unk>`, `</s>`) and words that are no more frequent in the topic than elsewhere are left out,
        so a topic may have fewer than `n`.
        """
        check_is_fitted(self)
        return self.learned_.top_words(n)

    def top_phrases(self, n: int = 5) -> list[list[str]]:
        """The `n` most characteristic and cohesive n-grams of each topic, by the last sample, as texts.

        Only words with a letter take part. A topic may have fewer.
        """
        check_is_fitted(self)
        return self.learned_.top_phrases(n)

    def scores(self, corpus: Corpus) -> Iterator[Scores]:
        """log p of every word and every end of a sentence of a corpus, block by block; the corpus must have
        the model's vocabulary."""
        check_is_fitted(self)
        return self.learned_.scores(corpus)

    def score_sentences(self, X: object, document: object = None) -> list[SentenceScore]:
        """log p of each sentence, its end included, in nats.

        Topics adapt within each sentence alone, or start from those of `document` (a text) if given. Raises
        UserError for documents without word order.
        """
        check_is_fitted(self)
        corpus, seen = self._to_read(X), None if document is None else self._to_read([document])
        return scores_by_sentence(corpus, self.learned_.scores_of_sentences(corpus, seen))

    def generate(
        self,
        n: int = 1,
        *,
        topic: int | None = None,
        document: object = None,
        beginning: str = "",
        longest: int = 100,
        random_state: int = 0,
    ) -> list[list[str]]:
        """Draw sentences from the model, as lists of at most `longest` words.

        Each has topic shares of its own, drawn from the prior, or given the `document` (a text) that it
        follows. topic: the topic of all words that do not come from the common model. `beginning`: the words
        that each begins with.
        """
        check_is_fitted(self)
        seen = None if document is None else self._to_read([document])
        return self.learned_.draw_sentences(
            SentenceDraw(
                n=n, topic=topic, seen=seen, beginning=beginning, longest=longest, random_state=random_state
            )
        )
