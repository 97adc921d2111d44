"""`stickbreaker translate terms`: words whose translation changes between topics."""

import csv
import io
from pathlib import Path

import click

from stickbreaker.console.console import MODEL, PATH, NumberRange, command, emit, option
from stickbreaker.core.errors import counted
from stickbreaker.core.files import refuse_file, write_atomic
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.spreadsheets import text_cell

PRINTED = 20


@click.command(epilog="Example: stickbreaker translate terms lexicon --min-gain 0.1 --out terms.csv")
@click.argument("lexicon", type=MODEL)
@option(
    "--min-gain",
    default=0.1,
    type=NumberRange(0.0),
    help="Least gain of a term: the mutual information of its topic and its translation, in nats.",
)
@option("--min-count", default=10, least=1, help="Fewest links of a term.")
@option("--all-words", is_flag=True, help="List stop words and signs too, and terms with one translation.")
@option("--out", type=PATH, help="A .csv file to write, with a row per term and topic.  [default: printed]")
@option("--overwrite", is_flag=True, help="Replace the file at --out.")
@command
def terms(
    lexicon: Path,
    min_gain: float,
    min_count: int,
    all_words: bool,
    out: Path | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """List the words whose translation changes most between topics.

    A term's gain is the mutual information of its translation and its topic, in nats: 0 if it is translated
    the same way in all topics, 0.69 if two topics share it equally and each has its own translation. Stop
    words, numbers and signs are left out.
    """
    if out is not None:
        refuse_file(out, overwrite)
    from stickbreaker.translation.lexicon.terms import terms_of
    from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon

    held = TopicLexicon.load(lexicon)
    names = held.domains.names
    found = [
        {
            "word": term.word,
            "links": term.links,
            "gain": term.gain,
            "topics": [{**one._asdict(), "name": names[one.topic]} for one in term.topics],
        }
        for term in terms_of(held, min_gain, min_count, all_words=all_words)
    ]
    result: JsonObject = {"lexicon": str(lexicon), "terms": found}
    if out is not None:
        write_atomic(out, _csv_of(found).encode("utf-8"), overwrite=overwrite)
        result = {"out": str(out), **result}
    emit(result, as_json, _as_text)


def _csv_of(terms: list[JsonObject]) -> str:
    """The terms as CSV text, with a row per term and topic below a header."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(
        ("word", "links", "gain", "topic", "name", "share", "translation", "p_in_topic", "p_everywhere")
    )
    for term in terms:
        for one in term["topics"]:
            cells = (text_cell(one["name"]), f"{one['share']:.4f}", text_cell(one["translation"]))
            figures = (f"{one['p']:.4f}", f"{one['p_all']:.4f}")
            first = (text_cell(term["word"]), f"{term['links']:.0f}", f"{term['gain']:.4f}")
            writer.writerow((*first, one["topic"], *cells, *figures))
    return text.getvalue()


def _as_text(result: JsonObject) -> str:
    terms = result["terms"]
    if "out" in result:
        return f"{result['out']}: {counted(len(terms), 'term')}"
    lines = [f"{counted(len(terms), 'term')} whose translation follows the topic; gain in nats"]
    for term in terms[:PRINTED]:
        ways = ", ".join(f"{one['translation']} {one['p']:.2f} ({one['name']})" for one in term["topics"])
        lines.append(f"  {term['gain']:.3f}  {term['word']:<20} {ways}")
    if len(terms) > PRINTED:
        lines.append(f"  and {len(terms) - PRINTED:,} more: --out terms.csv has all")
    return "\n".join(lines)
