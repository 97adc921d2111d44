"""`stickbreaker docs`: the location of the documentation."""

import click

from stickbreaker.console.console import command, emit
from stickbreaker.console.doc_pages import PAGES, built, folder, page_of
from stickbreaker.console.suggestions import suggestion
from stickbreaker.core.errors import UserError


@click.command(epilog="Example: stickbreaker docs fit lda")
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@command
def docs(words: tuple[str, ...], as_json: bool) -> None:
    """Print the location of the documentation, or the page about a command.

    The pages are Markdown, for any text editor. In a source tree, `make docs` builds them as HTML.
    """
    name = " ".join(words)
    page = page_of(name)
    if page is None:
        remedy = suggestion(name, PAGES).replace("Did", "did", 1) or "see --help"
        raise UserError(f"no command '{name}'", remedy=remedy)
    try:
        found = folder() / page
    except FileNotFoundError:
        raise UserError(
            "this installation has no pages", remedy="they are in docs/ of the source tree"
        ) from None
    html = built(page)
    said = {"page": str(found), "html": None if html is None else str(html)}
    emit(said, as_json, lambda _: str(found) if html is None else f"{found}\n{html}: open it in a browser")
