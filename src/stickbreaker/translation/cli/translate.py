"""`stickbreaker translate`: lexicons whose translations follow the topics of a document."""

import click

from stickbreaker.console.suggestions import SuggestingGroup
from stickbreaker.translation.cli.join_documents import documents
from stickbreaker.translation.cli.learn import learn
from stickbreaker.translation.cli.lexicon_export import export
from stickbreaker.translation.cli.list_terms import terms
from stickbreaker.translation.cli.rerank import rerank
from stickbreaker.translation.cli.run_system import run
from stickbreaker.translation.cli.tune import tune
from stickbreaker.translation.cli.word import word


@click.group(
    cls=SuggestingGroup,
    epilog="Example: stickbreaker translate learn pairs.jsonl --from de --to en --topics model --out lexicon",
)
def translate() -> None:
    """Learn how words are translated in each topic, and use it."""


for one in (documents, learn, word, terms, rerank, export, tune, run):
    translate.add_command(one)
