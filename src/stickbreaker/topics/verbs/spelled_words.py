"""Words that a model does not know, scored by their spelling, and the part of a score that they have."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stickbreaker.core.errors import UserError
from stickbreaker.core.records import Array
from stickbreaker.corpus.spelling.string_prior import CharacterModel, Spelling
from stickbreaker.estimators.given_models import model_for
from stickbreaker.topics.evaluation.corpus_scores import Topics
from stickbreaker.topics.evaluation.open_vocabulary import OpenTopics, StringScore, with_one_more_word
from stickbreaker.topics.learned import TopicsLearned, topics_in
from stickbreaker.topics.open_topics import spelling_of
from stickbreaker.topics.verbs.settings import ScoreSettings


@dataclass(frozen=True)
class SpelledShare:
    """How much of a score is due to spelled words: the number of tokens whose words no topic has, and the log
    probability (nats) of their spelling, both also as shares of the whole.
    """

    tokens: float
    share: float
    nats: float
    share_of_nats: float

    @classmethod
    def of(cls, scored: StringScore | None) -> "SpelledShare | None":
        """That of a score; None if no words were spelled."""
        if scored is None:
            return None
        return cls(
            scored.unseen,
            scored.unseen / scored.held_out.tokens,
            scored.spelling_nats,
            scored.spelling_nats / scored.held_out.nats,
        )

    def line(self) -> str:
        """A line of text."""
        return (
            f"  {self.tokens:.0f} of them of words that no topic has ({100 * self.share:.1f} %); "
            f"their spelling takes {abs(self.nats):.0f} nats, {100 * abs(self.share_of_nats):.1f} % of all"
        )


def spelled_topics(learned: TopicsLearned, topics: Topics, settings: ScoreSettings) -> OpenTopics | None:
    """A model's topics with a probability for every string, if unseen words are to be scored by their
    spelling; None if they are to be ignored.

    Raises UserError if the settings `unseen` and `spelling_of` do not fit the model.
    """
    unseen, speller = settings.unseen, settings.spelling_of
    is_open = learned.model.words.grows
    if unseen == "ignored":
        if speller is not None:
            raise UserError("--spelling-of spells the words that --unseen ignores", remedy="drop one of them")
        if is_open:
            problem = "--unseen ignored, but an open vocabulary gives every word a probability"
            raise UserError(problem, remedy="drop --unseen")
    if not is_open and unseen is None and speller is None:
        return None
    other = learned if speller is None else topics_in(model_for("evaluate", speller)[1], "spelling_of")
    log_spelling = _log_spelling_of(other)
    if is_open:
        return OpenTopics(topics, learned.rest, log_spelling)
    return with_one_more_word(topics, learned.components.sum(axis=1), learned.eta, log_spelling)


def _log_spelling_of(learned: TopicsLearned) -> Callable[[Sequence[str]], Array]:
    """A function that returns log G0 of words in nats, the log probability of their spelling. For a closed
    vocabulary, spelling is learned from its words.

    Raises UserError for a closed vocabulary of several languages.
    """
    if learned.model.words.grows:
        return spelling_of(learned)
    if learned.vocabulary.languages:
        problem = "unseen words of a model of several languages are not spelled"
        raise UserError(problem, remedy="drop --unseen and --spelling-of")
    return CharacterModel.learn(learned.vocabulary.words, Spelling()).log_probability
