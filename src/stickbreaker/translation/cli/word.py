"""`stickbreaker translate word`: how a word is translated, by topic, and in a document."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from stickbreaker.console.console import MODEL, PATH, command, emit, option
from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.topk import descending

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stickbreaker.core.records import Array
    from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon, WordEntry

LEAST_LINKS = 0.5  # of a topic that is shown
LONGEST = 100  # characters of a sentence that is printed


@click.command(epilog="Example: stickbreaker translate word lexicon bank --document letter.txt")
@click.argument("lexicon", type=MODEL)
@click.argument("word")
@option("--document", type=PATH, metavar="FILE", help="A text in the source language: translate as in it.")
@option("--language", help="Of which side the word is.  [default: the source's, if it has the word]")
@option("--top", default=5, least=1, help="Translations, and topics.")
@command
def word(
    lexicon: Path, word: str, document: Path | None, language: str | None, top: int, as_json: bool
) -> None:
    """Print the translations of a word in all documents and in each topic, with a sentence of each.

    With --document: as probable as they are in that text, by its topics.
    """
    from stickbreaker.translation.cli.document_text import text_of_document
    from stickbreaker.translation.lexicon.topic_lexicon import TopicLexicon

    held = TopicLexicon.load(lexicon)
    entry = held.entry(word, language)
    result: JsonObject = {
        "word": entry.word,
        "language": entry.language,
        "links": entry.links,
        "translations": _everywhere(entry, top),
        "topics": _in_topics(held, entry, top),
    }
    if document is not None:
        shares = held.shares_of([text_of_document(document)])[0]
        result["document"] = _in_document(held, entry, shares, top)
    emit(result, as_json, _as_text)


def _everywhere(entry: "WordEntry", top: int) -> list[JsonObject]:
    return [
        {"translation": name, "p": p, "links": links}
        for name, p, links in zip(
            entry.translations[:top], entry.found.p.tolist(), entry.found.links.tolist(), strict=False
        )
    ]


def _in_topics(lexicon: "TopicLexicon", entry: "WordEntry", top: int) -> list[JsonObject]:
    """The topics in which a word has most links (at most `top`), as JSON values, each with the word's most
    probable translations there.

    Each translation has an example, a source and a target sentence. Topics and translations with fewer than
    `LEAST_LINKS` expected links are left out; a topic may have no translation left.
    """
    from stickbreaker.translation.lexicon.topic_lexicon import sentences_with

    order = descending(entry.word_topic_counts, top)
    places = sentences_with(lexicon, entry.word, entry.language, entry.translations)
    found: list[JsonObject] = []
    for topic in order.tolist():
        if entry.word_topic_counts[topic] < LEAST_LINKS:
            break
        p = entry.found.topic_p[:, topic]
        best = descending(p, top).tolist()
        rows = [
            {
                "translation": entry.translations[e],
                "p": float(p[e]),
                "links": float(entry.found.topic_links[e, topic]),
                "sentence": _example(lexicon, places[entry.translations[e]], topic),
            }
            for e in best
            if entry.found.topic_links[e, topic] >= LEAST_LINKS
        ]
        name, links = lexicon.domains.names[topic], float(entry.word_topic_counts[topic])
        found.append({"topic": topic, "name": name, "links": links, "translations": rows})
    shown = [row for one in found for row in one["translations"]]
    for row, texts in zip(shown, lexicon.bitext.texts([row["sentence"] for row in shown]), strict=True):
        row["sentence"] = list(texts)
    return found


def _example(lexicon: "TopicLexicon", pairs: "NDArray[np.int64]", topic: int) -> int:
    """Choose an example among these sentence pairs: returns the number of the one whose document has the
    largest share of a topic; among equals, the one with the shortest source sentence."""
    shares = lexicon.shares[lexicon.bitext.document_of[pairs], topic]
    lengths = np.diff(lexicon.bitext.sides[0].offsets)[pairs]
    return int(pairs[np.lexsort((pairs, lengths, -shares))[0]])


def _in_document(lexicon: "TopicLexicon", entry: "WordEntry", shares: "Array", top: int) -> JsonObject:
    """How a word is translated in a document with these topic shares, as JSON values: the largest topics of
    the document, and the word's most probable translations (at most `top` of each)."""
    p = entry.found.topic_p @ shares
    best = descending(p, top).tolist()
    topics = descending(shares, top).tolist()
    return {
        "topics": [
            {"topic": k, "name": lexicon.domains.names[k], "share": float(shares[k])}
            for k in topics
            if shares[k] >= 0.01
        ],
        "translations": [
            {"translation": entry.translations[e], "p": float(p[e]), "p_everywhere": float(entry.found.p[e])}
            for e in best
        ],
    }


def _as_text(result: JsonObject) -> str:
    lines = [f"{result['word']} ({result['language']}), {counted(round(result['links']), 'link')}"]
    lines += ["in all documents:  " + _listed(result["translations"])]
    for topic in result["topics"]:
        lines += [f"topic {topic['topic']}, {topic['name']} ({counted(round(topic['links']), 'link')}):"]
        for one in topic["translations"]:
            first, second = (
                text if len(text) <= LONGEST else text[: LONGEST - 1] + "…" for text in one["sentence"]
            )
            lines += [f"  {one['p']:.2f}  {one['translation']:<16} {first}", f"{'':24} {second}"]
    if "document" in result:
        topics = ", ".join(f"{one['name']} {one['share']:.2f}" for one in result["document"]["topics"])
        lines += [f"in the document, by its topics ({topics}):"]
        lines += [
            f"  {one['p']:.2f}  {one['translation']:<16} (everywhere {one['p_everywhere']:.2f})"
            for one in result["document"]["translations"]
        ]
    return "\n".join(lines)


def _listed(rows: list[JsonObject]) -> str:
    return ", ".join(f"{row['translation']} {row['p']:.2f}" for row in rows)
