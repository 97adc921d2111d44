"""Topic n-gram language models, as users import them."""

from collections.abc import Mapping
from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from stickbreaker.estimators.settings import ELSEWHERE
from stickbreaker.estimators.with_topics import WithTopics
from stickbreaker.ngrams.plain_topic_ngram import PlainTopicNgramModel
from stickbreaker.ngrams.sentence_scores import SentenceScore, scores_by_sentence


class TopicNgramModel(WithTopics, PlainTopicNgramModel):
    __doc__ = PlainTopicNgramModel.__doc__

    shows: ClassVar[tuple[str, ...]] = ("top_phrases",)
    elsewhere: ClassVar[Mapping[str, str]] = {
        **ELSEWHERE,
        "n_components": "n_topics",
        "num_topics": "n_topics",
    }

    def score_sentences(self, X: Any, document: Any = None) -> list[SentenceScore]:
        """How probable each sentence is: log p of its words and of its end, in nats.

        Topics adapt within each sentence alone, or after `document`, a text, if one is given. Raises
        UserError for documents without order.
        """
        check_is_fitted(self)
        corpus = self._as_corpus(X, reset=False)
        seen = None if document is None else self._as_corpus([document], reset=False)
        return scores_by_sentence(corpus, self.scores_of_sentences(corpus, seen))

    def generate(
        self,
        n: int = 1,
        *,
        topic: int | None = None,
        document: Any = None,
        beginning: str = "",
        longest: int = 100,
        random_state: int = 0,
    ) -> list[list[str]]:
        """Sentences drawn from the model, as lists of words; of `longest` words at most.

        Each is of a document of its own, whose topics are drawn from the prior, or given a `document` (a
        text) that it comes after; or all that is of a topic is of `topic`. `beginning`: the words that each
        begins with.
        """
        check_is_fitted(self)
        seen = None if document is None else self._as_corpus([document], reset=False)
        return self.draw_sentences(
            n, topic=topic, seen=seen, beginning=beginning, longest=longest, random_state=random_state
        )

    def top_words(self, n: int = 10) -> list[list[str]]:
        check_is_fitted(self)
        return super().top_words(n)

    top_words.__doc__ = PlainTopicNgramModel.top_words.__doc__

    @property
    def _n_features_out(self) -> int:
        return self.n_shares
