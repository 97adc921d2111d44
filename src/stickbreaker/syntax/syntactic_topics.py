"""The public class of syntactic topic models, `SyntacticTopics`."""

from sklearn.utils.validation import check_is_fitted

from stickbreaker.estimators.with_topics import WithTopics
from stickbreaker.syntax.plain_syntactic_topics import PlainSyntacticTopics


class SyntacticTopics(WithTopics, PlainSyntacticTopics):
    __doc__ = PlainSyntacticTopics.__doc__

    def score(self, X: object, y: object = None) -> float:
        """Log probability of sentences given others of their documents, in nats per word: higher is better.

        A document's shares are drawn from its odd-numbered sentences, and each of the others (or its only
        sentence) is predicted by an exact sum over the topics of its tree. Only words of the vocabulary
        count. Raises UserError if there is nothing to score, and for documents without trees.
        """
        return super().score(X)

    def top_words(self, n: int = 10) -> list[list[str]]:
        """The `n` most probable words of each topic."""
        check_is_fitted(self)
        return super().top_words(n)

    @property
    def _n_features_out(self) -> int:
        return self._n_shares
