"""Lexicons in the forms that users have: in memory, with phrases or without, and paths of saved ones."""

from pathlib import Path

from stickbreaker.core.errors import UserError
from stickbreaker.saved.packed_models import directory_of
from stickbreaker.translation.lexicon.saved_lexicon import MANIFEST
from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon
from stickbreaker.translation.phrases.phrase_model import PhraseModel
from stickbreaker.translation.phrases.saved_phrases import load_phrases

FORMS = "give a TopicLexicon, a PhraseModel or the path of a saved lexicon"


def lexicon_in(given: object) -> TopicLexicon:
    """The lexicon in any form, loaded if its path was given. Raises UserError for other things."""
    if isinstance(given, str | Path):
        return TopicLexicon.load(given)
    if isinstance(given, TopicLexicon | PhraseModel):
        return given if isinstance(given, TopicLexicon) else given.lexicon
    raise UserError(
        f"an object of the class {type(given).__name__} was given instead of a lexicon", remedy=FORMS
    )


def phrases_in(given: object) -> PhraseModel:
    """The phrases of a lexicon in any form. Raises UserError if it has none, and for other things."""
    if isinstance(given, str | Path):
        return load_phrases(directory_of(Path(given), (MANIFEST,)))
    if isinstance(given, PhraseModel):
        return given
    lexicon_in(given)
    raise UserError("the lexicon can only translate words", remedy="learn it with phrases=True")


def name_of(given: object) -> str:
    """What results call a lexicon: its path if that was given."""
    return str(given) if isinstance(given, str | Path) else "lexicon"
