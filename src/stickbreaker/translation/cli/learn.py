"""`stickbreaker translate learn`: a lexicon by topic of a bitext."""

import time
from pathlib import Path

import click

from stickbreaker.console.console import (
    MODEL,
    PATH,
    ProgressLine,
    command,
    emit,
    note,
    option,
    refuse_written,
    tell_of_compiling,
    threads_option,
)
from stickbreaker.core.option_names import quoted_path
from stickbreaker.translation.cli.bitext_options import (
    BitextChoice,
    bitext_argument,
    bitext_options,
    language_options,
)


@click.command(
    epilog="Example: stickbreaker translate learn pairs.jsonl --from de --to en --topics model --out lexicon"
)
@bitext_argument
@language_options
@option("--topics", type=MODEL, metavar="MODEL", help="An LDA or HDP of the source language, or of both.")
@option("--by-domain", is_flag=True, help="In place of topics: the domains that --domain-field names.")
@option("--out", type=PATH, required=True, metavar="LEXICON", help="The directory to make.")
@option(
    "--alignments",
    type=PATH,
    metavar="FILE",
    help="Which words another program linked: a line for each pair, such as 0-0 1-2, that counts the words "
    "of translate documents --tokens.  [default: linked here]",
)
@option("--phrases", is_flag=True, help="Learn phrases too, to translate sentences (translate tune, run).")
@option(
    "--language-model",
    type=PATH,
    metavar="MODEL|FILE",
    help="--phrases: a saved n-gram model, with topics or without, or a file in the ARPA format, of the "
    "target language.  [default: trigrams, learned from the pairs]",
)
@option(
    "--phrase-table",
    type=PATH,
    metavar="FILE",
    help="--phrases: read them from a file, as Moses and translate export write it, of the words of "
    "translate documents --tokens.  [default: counted here]",
)
@option("--overwrite", is_flag=True, help="Replace a lexicon at --out.")
@bitext_options
@threads_option
@command
def learn(
    bitext: tuple[str, ...],
    source: str,
    target: str,
    topics: Path | None,
    by_domain: bool,
    out: Path,
    alignments: Path | None,
    phrases: bool,
    language_model: Path | None,
    phrase_table: Path | None,
    overwrite: bool,
    reading: BitextChoice,
    threads: int | None,
    as_json: bool,
) -> None:
    """Learn how words are translated, in all documents and in each topic.

    BITEXT is JSON Lines or a table with a field for each language, one for the document and one for its
    domain; or two files with a sentence a line. Words are linked in both directions and the links counted,
    each shared out by the topics of its document's source side.
    """
    if (topics is None) != by_domain:
        raise click.UsageError("give one of --topics MODEL and --by-domain")
    if not phrases:
        refuse_written(("language_model", "phrase_table"), "needs --phrases")
    from stickbreaker.translation.lexicon.saved_lexicon import refuse_existing

    refuse_existing(out, overwrite)
    start, line = time.monotonic(), ProgressLine(changes=0.2, lines=5.0)
    tell_of_compiling()
    from stickbreaker import translation
    from stickbreaker.translation.cli.bitext_reading import given_links, given_phrases, read_bitext
    from stickbreaker.translation.verbs.learn import MOST_UNKNOWN, topics_of

    model = None if topics is None else topics_of(topics, threads)
    pairs = read_bitext(bitext, source, target, reading)
    found = translation.learn(
        pairs,
        model,
        links=given_links(alignments, pairs),
        phrases=phrases,
        language_model=language_model,
        phrase_table=None if phrase_table is None else given_phrases(phrase_table, pairs),
        n_jobs=threads,
        progress=line.show,
    )
    found.save(out, overwrite=overwrite)
    if found.unknown_share > MOST_UNKNOWN:
        share = f"{100 * found.unknown_share:.0f} %"
        note(f"note: the language model does not know {share} of the words of the pairs, {target}")
    line.show(f"learned in {time.monotonic() - start:.0f} s", last=True)
    if found.phrases is None:
        following = f"Next: stickbreaker translate terms {quoted_path(out)}"
    else:
        following = f"Next: stickbreaker translate tune {quoted_path(out)} DEV"
    text = f"{out}: {found}\n{following}"
    emit({"out": str(out), **found.as_json()}, as_json, lambda _: text)
