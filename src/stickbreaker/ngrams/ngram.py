"""The public class of n-gram language models, `NgramModel`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.validation import check_is_fitted

from stickbreaker.core.records import Array
from stickbreaker.corpus import Corpus
from stickbreaker.corpus.token_sequences import token_sequences
from stickbreaker.estimators.front import Front, per_token
from stickbreaker.ngrams.language_learned import SentenceDraw
from stickbreaker.ngrams.ngram_learned import NextWord
from stickbreaker.ngrams.sentence_scores import (
    Scores,
    SentenceScore,
    scores_by_sentence,
    scores_of_tokens,
    sentence_scores,
)
from stickbreaker.ngrams.unigram_rescaling import RescaledSums

if TYPE_CHECKING:  # so that editors and type checkers know its parameters
    from stickbreaker.ngrams.ngram_learned import NgramLearned
    from stickbreaker.ngrams.settings import NgramSettings

    OneFront, Parameters = Front[NgramSettings, NgramLearned], NgramSettings
else:
    OneFront, Parameters = Front, object


class NgramModel(OneFront, Parameters, kind="NgramModel"):
    """A language model of hierarchical Pitman-Yor processes: p(word | the words before it) (Teh 2006).

    Attributes
    ----------
    words_ : all words that may come next, `<unk>` and the mark `</s>` at a sentence's end included.
    discounts_, concentrations_ : (samples × lengths of context) of the Pitman-Yor processes.
    bound_ : log p(words, seating) of the last sample, in nats per word.
    n_iter_ : sweeps done; trace_ : a record per sweep, with the perplexity of each word given all others.
    learned_ : all that was learned, as a record that never changes.

    >>> from stickbreaker import NgramModel
    >>> model = NgramModel(2, min_count=1, max_iter=20, random_state=0).fit(["a cat sat. a cat ran."])
    >>> model.next_words("a", 1)[0].word
    'cat'
    """

    @property
    def words_(self) -> tuple[str, ...]:
        """All words that can come next, by number."""
        return self.learned_.words

    @property
    def discounts_(self) -> Array:
        """Discounts (samples × context lengths, from 0 on)."""
        return self.learned_.model.discounts

    @property
    def concentrations_(self) -> Array:
        """Concentrations (samples × context lengths, from 0 on)."""
        return self.learned_.model.concentrations

    def scores(self, corpus: Corpus) -> Iterator[Scores]:
        """log p of every word and every end of a sentence of a corpus, block by block; the corpus must have
        the model's vocabulary."""
        check_is_fitted(self)
        return self.learned_.scores(corpus)

    def score_sentences(self, X: object) -> list[SentenceScore]:
        """log p of each sentence, its end included, in nats.

        Raises UserError for documents without word order.

        >>> model = NgramModel(2, min_count=1, max_iter=5, random_state=0).fit(["a cat sat. a cat ran."])
        >>> [score.words for score in model.score_sentences(["A cat. A cat sat."])]
        [2, 3]
        """
        check_is_fitted(self)
        learned = self.learned_
        if not isinstance(X, Corpus):
            given = self._given(X, learned.facts.settings, empty_lists=True)
            tokens = token_sequences(given, learned.vocabulary, learned.analysis)
            if tokens is not None:
                return list(sentence_scores(scores_of_tokens(learned.log_words, tokens, learned.base)))
            X = given.values
        corpus = self._to_read(X)
        return scores_by_sentence(corpus, learned.scores(corpus))

    def rescaled_perplexity(self, X: object, topics: object, exponent: float = 0.7) -> float:
        """Perplexity of documents if probabilities are rescaled by the document's topics (unigram rescaling,
        Gildea and Hofmann 1999): p(w | context) (p(w | document) / p(w))^exponent, normalised at every word.

        `topics`: a fitted LDA or HDP; a document's topic shares are updated word by word. Words that it lacks
        have the ratio 1, so learn it from all words. Raises UserError for a model without such topics.
        """
        check_is_fitted(self)
        scores = self.learned_.rescaled_scores(self._to_read(X), topics, exponent)
        return float(np.exp(-per_token(*RescaledSums.of(scores).parts["rescaled_all"])))

    def generate(
        self, n: int = 1, *, beginning: str = "", longest: int = 100, random_state: int = 0
    ) -> list[list[str]]:
        """Draw sentences from the model, as lists of at most `longest` words.

        `beginning`: the words that each begins with. With unknown="spelled", only words of the training text
        are drawn.
        """
        check_is_fitted(self)
        draw = SentenceDraw(n=n, beginning=beginning, longest=longest, random_state=random_state)
        return self.learned_.draw_sentences(draw)

    def next_words(self, context: str = "", n: int = 10) -> list[NextWord]:
        """The `n` most probable next words after a context; an empty one is the beginning of a sentence.

        `</s>` is the end of the sentence.
        """
        check_is_fitted(self)
        return self.learned_.next_words(context, n)
