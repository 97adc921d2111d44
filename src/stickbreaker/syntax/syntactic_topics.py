"""The public class of syntactic topic models, `SyntacticTopics`."""

from typing import TYPE_CHECKING

from sklearn.utils.validation import check_is_fitted

from stickbreaker.core.records import Array
from stickbreaker.estimators.front import FrontOfTopics

if TYPE_CHECKING:  # so that editors and type checkers know its parameters
    from stickbreaker.syntax.learned import SyntaxLearned
    from stickbreaker.syntax.settings import SyntaxSettings

    Front, Parameters = FrontOfTopics[SyntaxSettings, SyntaxLearned], SyntaxSettings
else:
    Front, Parameters = FrontOfTopics, object


class SyntacticTopics(Front, Parameters, kind="SyntacticTopics"):
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
    learned_ : all that was learned, as a record that never changes.

    >>> from stickbreaker import SyntacticTopics
    >>> SyntacticTopics(8, limit="itic").get_params()["limit"]
    'itic'
    """

    @property
    def words_(self) -> tuple[str, ...]:
        """The words that topics are distributions over, by column of `topic_word_`."""
        return self.learned_.words.names

    @property
    def tags_(self) -> tuple[str, ...]:
        """The tags of the words learned from."""
        return tuple(self.learned_.words.tags)

    @property
    def topic_word_(self) -> Array:
        """(topics × words) The probability of each word; rows sum to one."""
        return self.learned_.samples.topic_words

    @property
    def topic_shares_(self) -> Array:
        """(topics,) The share of each topic among the words learned from."""
        return self.learned_.samples.topic_shares

    @property
    def head_topics_(self) -> Array:
        """(topics + 1 × topics) Rows: topics of heads; in a row, the shares of topics among their dependents.

        The last row is for words without a head.
        """
        return self.learned_.samples.head_topics

    @property
    def topic_tags_(self) -> Array:
        """(topics × tags) The share of each of `tags_` among a topic's words; zeros if it has no words."""
        return self.learned_.samples.topic_tags

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
        return self.learned_.top_words(n)
