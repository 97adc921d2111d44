"""`stickbreaker effect`: how topic shares depend on metadata."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from stickbreaker.console.console import (
    INPUT,
    PATH,
    command,
    emit,
    model_argument,
    option,
    tell_of_compiling,
    threads_option,
)
from stickbreaker.console.inputs import ReadingChoice, reading_options
from stickbreaker.console.table_files import refuse_table, write_tables
from stickbreaker.core.errors import UserError
from stickbreaker.core.files import refuse_file, write_atomic
from stickbreaker.topics.cli.topics import open_model

if TYPE_CHECKING:
    from stickbreaker.topics.effects_of_metadata import MetadataEffects

SHOWN = 5  # for each term, the topics that rise most and as many that fall most


@click.command(epilog='Example: stickbreaker effect model speeches.corpus --formula "party + year"')
@model_argument
@click.argument("inputs", nargs=-1, metavar="[CORPUS|FILE...]", type=INPUT)
@option(
    "--formula",
    help="Fields of metadata, as in R: party + year, C(year), party * year, party:year, poly(year, 2).",
)
@option(
    "--at",
    metavar="VALUES",
    help="Without documents: values of fields, as in party=A, year=1990:2020, at which to show shares.",
)
@option(
    "--topic", "numbers", type=int, multiple=True, help="Show all of this topic; may be given several times."
)
@option("--draws", default=25, least=1, help="How often the shares of documents are drawn.")
@option("--seed", default=0, help="The same seed gives the same figures.")
@option("--out", type=PATH, help="A table of all effects: .csv, .parquet or .xlsx.")
@option("--picture", type=PATH, metavar="FILE.svg", help="A picture of the effects of each term.")
@option("--overwrite", is_flag=True, help="Replace what is at --out and --picture.")
@threads_option
@reading_options
@command
def effect(
    model: Path,
    inputs: tuple[str, ...],
    formula: str | None,
    at: str | None,
    numbers: tuple[int, ...],
    draws: int,
    seed: int,
    out: Path | None,
    picture: Path | None,
    overwrite: bool,
    threads: int | None,
    reading: ReadingChoice,
    as_json: bool,
) -> None:
    """Regress the shares of each topic on metadata of the documents.

    An effect is how much larger the share is, as a part of the document, if the field is larger by one, or
    has that value instead of the most frequent one, which is named. Its bounds contain 95 % of what the data
    leave possible, including the uncertainty of the shares themselves (method of composition, as R's stm).
    These are differences between documents, not causes. Without --topic, shows for each term the topics whose
    bounds exclude zero.

    Without documents, for a model that was fitted with --prevalence: the expected share of each topic by the
    values of the metadata that its prior depends on, with bounds, and compared with the most frequent value.
    All other fields are average. Bounds are those of the prior, with the topics held fixed.
    """
    if out is not None:
        refuse_table(out, overwrite)
    if picture is not None:
        refuse_file(picture, overwrite)
        if picture.suffix != ".svg":
            raise click.UsageError("--picture needs a file that ends in .svg")
    if not inputs:
        if formula is not None or picture is not None:
            name = "--formula" if formula is not None else "--picture"
            raise click.UsageError(f"{name} needs documents: give a corpus or files")
        from stickbreaker.topics.cli.expected_shares import show_expected_shares

        show_expected_shares(model, at, numbers, out, overwrite=overwrite, as_json=as_json)
        return
    if at is not None or formula is None:
        raise click.UsageError("--at is without documents" if at is not None else "documents need --formula")
    from stickbreaker.topics.formula_grammar import read_formula

    read_formula(formula)  # refuses it before documents are read
    tell_of_compiling()
    from stickbreaker.topics.effects_of_metadata import effects_of_metadata, left_out_text, references_text

    estimator, corpus = open_model(model, "effect", inputs, reading, threads)
    found = effects_of_metadata(estimator, corpus, formula, draws=draws, seed=seed)
    n_topics = len(estimator.alpha_)
    wrong = next((one for one in numbers if not 0 <= one < n_topics), None)
    if wrong is not None:
        raise UserError(f"there is no topic {wrong}", remedy=f"topics are 0 to {n_topics - 1}")
    names = getattr(estimator, "topic_names_", None) or [None] * n_topics
    if out is not None:
        table = found.table(names)
        write_tables([table], table.schema, out, overwrite=overwrite)
    titles = [name or " ".join(words) for name, words in zip(names, estimator.top_words(4), strict=True)]
    if picture is not None:
        from stickbreaker.topics.cli.effect_picture import picture_of

        chosen = numbers or _most_affected(found)
        write_atomic(picture, picture_of(found, titles, chosen).encode(), overwrite=overwrite)
    figures = list(zip(("estimate", "error", "low", "high"), found.effects, strict=True))
    result = {
        "model": str(model),
        "formula": formula,
        "documents": found.documents,
        "left_out": found.left_out,
        "references": [one._asdict() for one in found.references],
        "terms": list(found.terms),
        "topics": [
            {"topic": k, "name": names[k], **{one: values[k].tolist() for one, values in figures}}
            for k in range(n_topics)
        ],
    }
    counts, references = left_out_text(found), references_text(found)
    emit(result, as_json, lambda _: _as_text(found, titles, numbers, counts, references))


def _most_affected(found: "MetadataEffects") -> tuple[int, ...]:
    """The numbers of up to ten topics, ascending, that the picture shows if the user names none: those with
    the most certain effects.

    An effect is more certain if |estimate| / standard error is larger; for each topic, the largest of any
    term except the intercept counts. If there is no other term: the first topics.
    """
    terms = [place for place, term in enumerate(found.terms) if term != "Intercept"]
    if not terms:
        return tuple(range(min(2 * SHOWN, len(found.effects.errors))))
    sure = (np.abs(found.effects.estimates) / np.maximum(found.effects.errors, 1e-12))[:, terms].max(axis=1)
    return tuple(sorted(np.argsort(-sure, kind="stable")[: 2 * SHOWN].tolist()))


def _as_text(
    found: "MetadataEffects", titles: list[str], numbers: tuple[int, ...], documents: str, references: str
) -> str:
    effects, lines = found.effects, [f"{documents}; effects on topic shares, 95 % between the bounds"]
    lines += [references] if references else []

    def line(k: int, t: int, what: str) -> str:
        bounds = f"{effects.low[k, t]:+.4f} to {effects.high[k, t]:+.4f}"
        return f"  {effects.estimates[k, t]:+.4f}  ({bounds})  {what}"

    if numbers:
        for k in numbers:
            lines.append(f"topic {k}: {titles[k]}")
            lines += [line(k, t, term) for t, term in enumerate(found.terms)]
        return "\n".join(lines)
    sure = (effects.low > 0.0) | (effects.high < 0.0)
    for t, term in enumerate(found.terms):
        if term == "Intercept":
            continue
        by_chance = f"by chance alone {0.05 * len(titles):.0f}"
        lines.append(f"{term}: {int(sure[:, t].sum())} of {len(titles)} topics, {by_chance}")
        order = np.argsort(-effects.estimates[:, t], kind="stable")
        chosen = [k for k in order.tolist() if sure[k, t]]
        rise = [k for k in chosen if effects.estimates[k, t] > 0.0][:SHOWN]
        fall = [k for k in chosen if effects.estimates[k, t] < 0.0][-SHOWN:]
        lines += [line(k, t, f"topic {k}: {titles[k]}") for k in (*rise, *fall)]
    return "\n".join(lines)
