"""`stickbreaker translate word`: how a word is translated, by topic, and in a document."""

from pathlib import Path

import click

from stickbreaker.console.console import MODEL, PATH, command
from stickbreaker.console.faces import options_of_settings, settings_in, show
from stickbreaker.translation.verbs.settings import WordSettings


@click.command(epilog="Example: stickbreaker translate word lexicon bank --document letter.txt")
@click.argument("lexicon", type=MODEL)
@click.argument("word")
@options_of_settings(WordSettings, document={"type": PATH})
@command
def word(lexicon: Path, word: str, as_json: bool, **options: object) -> None:
    """Print the translations of a word in all documents and in each topic, with a sentence of each.

    With --document: as probable as they are in that text, by its topics.
    """
    from stickbreaker import translation

    show(translation.word(lexicon, word, **settings_in(WordSettings, options)), as_json)
