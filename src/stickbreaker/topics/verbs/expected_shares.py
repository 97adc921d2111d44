"""Expected topic shares by the metadata that a model's prior depends on."""

from dataclasses import dataclass, field

import pyarrow as pa

from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.estimators.learned import AnyLearned
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.topics.effects_of_prevalence import (
    ExpectedShares,
    LevelSpread,
    expected_shares,
    references_of,
)
from stickbreaker.topics.learned import topics_in
from stickbreaker.topics.verbs.shown_topics import refuse_unknown_topics, titles_of

SHOWN = 5  # topics of each place that differ most in each direction
LEAST = 0.0005  # difference of a level that is listed
FIGURES = ("shares", "low", "high", "differences", "difference_low", "difference_high")


@dataclass(frozen=True, kw_only=True, repr=False)
class SharesByMetadata(VerbResult):
    """Expected shares of topics at values of metadata, with bounds (`found`, places × topics).

    `names`: of the topics, None if they have none; `titles`: the name of each, or its first words. `shown`:
    topics of which the text shows everything; none: for each place the topics that differ from the place of
    reference, or all topics if they are ten or fewer.
    """

    model: str
    formula: str
    found: ExpectedShares
    names: tuple[str | None, ...]
    titles: tuple[str, ...]
    shown: tuple[int, ...] = field(default=())

    def as_json(self) -> JsonObject:
        found = self.found
        return {
            "model": self.model,
            "formula": self.formula,
            "places": [
                {
                    "values": dict(one.values),
                    "documents": one.documents,
                    "compared_with": str(found.places[one.reference]),
                }
                for one in found.places
            ],
            "terms": [
                {
                    "term": str(one.term),
                    "levels": len(one.term.names),
                    "deviation": one.deviation,
                    "largest": [large._asdict() for large in one.largest],
                }
                for one in found.spreads
            ],
            "topics": [
                {"topic": k, "name": name, **{one: getattr(found, one)[:, k].tolist() for one in FIGURES}}
                for k, name in enumerate(self.names)
            ],
        }

    def table(self) -> pa.Table:
        """A row for each topic and place: see `ExpectedShares.table`."""
        return self.found.table(self.names)

    def __str__(self) -> str:
        found = self.found
        lines = ["expected topic shares, 95 % between the bounds, all else average", references_of(found)]
        lines += [line for one in found.spreads for line in self._lines_of(one)]
        if self.shown or len(self.titles) <= 2 * SHOWN:
            for k in self.shown or range(len(self.titles)):
                lines.append(f"topic {k}: {self.titles[k]}")
                lines += [self._line(p, k, str(place)) for p, place in enumerate(found.places)]
            return "\n".join(lines)
        for p, place in enumerate(found.places):
            if place.reference == p:
                continue
            sure = (found.difference_low[p] > 0.0) | (found.difference_high[p] < 0.0)
            lines.append(f"{place}: {int(sure.sum())} of {len(self.titles)} topics differ")
            order = [k for k in found.differences[p].argsort(kind="stable")[::-1].tolist() if sure[k]]
            rise = [k for k in order if found.differences[p, k] > 0.0][:SHOWN]
            fall = [k for k in order if found.differences[p, k] < 0.0][-SHOWN:]
            lines += [self._line(p, k, f"topic {k}: {self.titles[k]}") for k in (*rise, *fall)]
        return "\n".join(lines)

    def _lines_of(self, spread: LevelSpread) -> list[str]:
        """How far the levels of a term lie apart, and the pooled ones that differ most: of the topics shown,
        or of all.
        """
        levels, deviation = counted(len(spread.term.names), "level"), f"{spread.deviation:.2f}"
        if spread.term.period is not None:
            return [f"{spread.term}: {levels}, deviation {deviation} of log alpha between neighbours"]
        found = [one for one in spread.largest if not self.shown or one.topic in self.shown]
        found = sorted(found, key=lambda one: -abs(one.difference))
        found = [one for one in found if abs(one.difference) >= LEAST]
        lines = [f"{spread.term}: {levels}, deviation {deviation} of log alpha; the largest differences:"]
        for one in found[: 2 * SHOWN]:
            documents = counted(one.documents, "document")
            what = (
                f"{spread.term.field}={one.level} ({documents})  topic {one.topic}: {self.titles[one.topic]}"
            )
            lines.append(f"  {one.difference:+.4f}  {what}")
        return lines

    def _line(self, p: int, k: int, what: str) -> str:
        found = self.found
        text = f"  {found.shares[p, k]:.4f}  ({found.low[p, k]:.4f} to {found.high[p, k]:.4f})"
        if found.places[p].reference != p:
            less, more = found.difference_low[p, k], found.difference_high[p, k]
            text += f"  {found.differences[p, k]:+.4f}  ({less:+.4f} to {more:+.4f})"
        return f"{text}  {what}"


def shares_by_metadata(
    learned: AnyLearned, at: str | None = None, topics: tuple[int, ...] = ()
) -> SharesByMetadata:
    """Expected topic shares of a model with `prevalence`: by the values of its fields, or at the values `at`.

    topics: those of which the text shows everything. Raises UserError as `expected_shares`, and for topics
    that the model does not have.
    """
    learned = topics_in(learned, "effect")
    found = expected_shares(learned, at)
    refuse_unknown_topics(learned, topics)
    names, titles = titles_of(learned)
    coding = learned.model.covariates
    formula = "" if coding is None else coding.formula
    return SharesByMetadata(
        model="", formula=formula, found=found, names=names, titles=titles, shown=tuple(topics)
    )
