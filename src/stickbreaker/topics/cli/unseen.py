"""The options of `evaluate` for words that the model does not know, and the part of its result about them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from stickbreaker.console.console import PATH, option
from stickbreaker.core.errors import UserError

if TYPE_CHECKING:
    from stickbreaker.core.records import Array
    from stickbreaker.topics.evaluation import OpenTopics, StringScore, Topics
    from stickbreaker.topics.topic_estimator import TopicEstimator

Decorated = TypeVar("Decorated", bound=Callable[..., object])


def unseen_options(decorated: Decorated) -> Decorated:
    """Add the options `--unseen` and `--spelling-of` to a command."""
    unseen = option(
        "--unseen",
        choices=["ignored", "spelled"],
        help="Words that the model does not know: left out, or scored letter by letter, as one more word of "
        "the vocabulary.  [default: ignored; models of open vocabularies spell always]",
    )
    spelling_of = option(
        "--spelling-of",
        metavar="MODEL",
        type=PATH,
        help="Spell by this model's characters, so that scores can be compared.  [default: the model's own]",
    )
    return unseen(spelling_of(decorated))


def spelled_topics(
    estimator: "TopicEstimator", topics: "Topics", unseen: str | None, spelling_of: Path | None
) -> "OpenTopics | None":
    """A model's topics with a probability for every string, if unseen words are to be scored by their
    spelling; None if they are to be ignored.

    unseen, spelling_of: the options of these names. Raises UserError if they do not fit the model.
    """
    is_open = estimator._model.words.grows
    if unseen == "ignored":
        if spelling_of is not None:
            raise UserError("--spelling-of spells the words that --unseen ignores", remedy="drop one of them")
        if is_open:
            problem = "--unseen ignored, but an open vocabulary gives every word a probability"
            raise UserError(problem, remedy="drop --unseen")
    if not is_open and unseen is None and spelling_of is None:
        return None
    from stickbreaker.topics.evaluation import OpenTopics, with_one_more_word

    speller = estimator
    if spelling_of is not None:
        from stickbreaker.topics.topic_estimator import load_topics

        speller = load_topics(spelling_of, "evaluate")
    log_spelling = _log_spelling_of(speller)
    if is_open:
        return OpenTopics(topics, estimator.rest_, log_spelling)
    return with_one_more_word(topics, estimator.components_.sum(axis=1), estimator.eta_, log_spelling)


def summarize_spelling(scored: "StringScore | None") -> dict[str, float] | None:
    """How much of a score is due to spelled words, as values for JSON: the number of tokens whose words no
    topic has, and the log probability (nats) of their spelling, both also as shares of the whole. None if no
    words were spelled.
    """
    if scored is None:
        return None
    return {
        "tokens": scored.unseen,
        "share": scored.unseen / scored.held_out.tokens,
        "nats": scored.spelling_nats,
        "share_of_nats": scored.spelling_nats / scored.held_out.nats,
    }


def lines_of_spelling(summary: dict[str, float] | None) -> list[str]:
    """The result of `summarize_spelling` as a list with one line of text; empty for None."""
    if summary is None:
        return []
    return [
        f"  {summary['tokens']:.0f} of them of words that no topic has ({100 * summary['share']:.1f} %); "
        f"their spelling takes {abs(summary['nats']):.0f} nats, "
        f"{100 * abs(summary['share_of_nats']):.1f} % of all"
    ]


def _log_spelling_of(estimator: "TopicEstimator") -> "Callable[[Sequence[str]], Array]":
    """A function that returns log G0 of words in nats, the log probability of their spelling. For a closed
    vocabulary, spelling is learned from its words.

    Raises UserError for a closed vocabulary of several languages.
    """
    from stickbreaker.corpus.spelling.string_prior import CharacterModel, Spelling
    from stickbreaker.topics.open_topics import spelling_of

    if estimator._model.words.grows:
        return spelling_of(estimator)
    if estimator.vocabulary_.languages:
        problem = "unseen words of a model of several languages are not spelled"
        raise UserError(problem, remedy="drop --unseen and --spelling-of")
    return CharacterModel.learn(estimator.vocabulary_.words, Spelling()).log_probability
