"""`stickbreaker effect` without documents: expected topic shares by the metadata that a prior depends on."""

from pathlib import Path
from typing import TYPE_CHECKING

from stickbreaker.console.console import emit
from stickbreaker.console.table_files import write_tables
from stickbreaker.core.errors import UserError
from stickbreaker.core.json_checks import JsonObject

if TYPE_CHECKING:
    from stickbreaker.topics.effects_of_prevalence import ExpectedShares

SHOWN = 5  # topics of each place that differ most in each direction
FIGURES = ("shares", "low", "high", "differences", "difference_low", "difference_high")


def show_expected_shares(
    model: Path,
    at: str | None,
    numbers: tuple[int, ...],
    out: Path | None,
    *,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Print the expected topic shares of a saved model, by the levels of its fields or at the values `at`,
    and write a table to `out`. numbers: of topics, all of whose figures are printed.
    """
    from stickbreaker.topics.effects_of_prevalence import expected_shares, references_of
    from stickbreaker.topics.topic_estimator import load_topics

    estimator = load_topics(model, "effect")
    found = expected_shares(estimator, at)
    n_topics = found.shares.shape[1]
    wrong = next((one for one in numbers if not 0 <= one < n_topics), None)
    if wrong is not None:
        raise UserError(f"there is no topic {wrong}", remedy=f"topics are 0 to {n_topics - 1}")
    names = list(estimator.topic_names_)
    if out is not None:
        table = found.table(names)
        write_tables([table], table.schema, out, overwrite=overwrite)
    titles = [name or " ".join(words) for name, words in zip(names, estimator.top_words(4), strict=True)]
    result: JsonObject = {
        "model": str(model),
        "formula": getattr(estimator, "prevalence", None),
        "places": [
            {
                "values": one.values,
                "documents": one.documents,
                "compared_with": str(found.places[one.reference]),
            }
            for one in found.places
        ],
        "topics": [
            {"topic": k, "name": names[k], **{one: getattr(found, one)[:, k].tolist() for one in FIGURES}}
            for k in range(n_topics)
        ],
    }
    emit(result, as_json, lambda _: _as_text(found, titles, numbers, references_of(found)))


def _as_text(found: "ExpectedShares", titles: list[str], numbers: tuple[int, ...], references: str) -> str:
    lines = ["expected topic shares, 95 % between the bounds, all else average", references]

    def line(p: int, k: int, what: str) -> str:
        bounds = f"{found.low[p, k]:.4f} to {found.high[p, k]:.4f}"
        text = f"  {found.shares[p, k]:.4f}  ({bounds})"
        if found.places[p].reference != p:
            less, more = found.difference_low[p, k], found.difference_high[p, k]
            text += f"  {found.differences[p, k]:+.4f}  ({less:+.4f} to {more:+.4f})"
        return f"{text}  {what}"

    if numbers or len(titles) <= 2 * SHOWN:
        for k in numbers or range(len(titles)):
            lines.append(f"topic {k}: {titles[k]}")
            lines += [line(p, k, str(place)) for p, place in enumerate(found.places)]
        return "\n".join(lines)
    for p, place in enumerate(found.places):
        if place.reference == p:
            continue
        sure = (found.difference_low[p] > 0.0) | (found.difference_high[p] < 0.0)
        lines.append(f"{place}: {int(sure.sum())} of {len(titles)} topics differ")
        order = [k for k in found.differences[p].argsort(kind="stable")[::-1].tolist() if sure[k]]
        rise = [k for k in order if found.differences[p, k] > 0.0][:SHOWN]
        fall = [k for k in order if found.differences[p, k] < 0.0][-SHOWN:]
        lines += [line(p, k, f"topic {k}: {titles[k]}") for k in (*rise, *fall)]
    return "\n".join(lines)
