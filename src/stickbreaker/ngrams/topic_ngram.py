"""The public class of topic n-gram language models, `TopicNgramModel`."""

from sklearn.utils.validation import check_is_fitted

from stickbreaker.estimators.with_topics import WithTopics
from stickbreaker.ngrams.plain_topic_ngram import PlainTopicNgramModel
from stickbreaker.ngrams.sentence_scores import SentenceScore, scores_by_sentence


class TopicNgramModel(WithTopics, PlainTopicNgramModel):
    __doc__ = PlainTopicNgramModel.__doc__

    def score_sentences(self, X: object, document: object = None) -> list[SentenceScore]:
        """log p of each sentence, its end included, in nats.

        Topics adapt within each sentence alone, or start from those of `document` (a text) if given. Raises
        UserError for documents without word order.
        """
        check_is_fitted(self)
        corpus = self._as_corpus(X, reset=False)
        seen = None if document is None else self._as_corpus([document], reset=False)
        return scores_by_sentence(corpus, self._scores_of_sentences(corpus, seen))

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
        seen = None if document is None else self._as_corpus([document], reset=False)
        return self._draw_sentences(
            n, topic=topic, seen=seen, beginning=beginning, longest=longest, random_state=random_state
        )

    def top_words(self, n: int = 10) -> list[list[str]]:
        check_is_fitted(self)
        return super().top_words(n)

    top_words.__doc__ = PlainTopicNgramModel.top_words.__doc__

    @property
    def _n_features_out(self) -> int:
        return self._n_shares
