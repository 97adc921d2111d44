"""Topic shares over time, as a table, a text and a picture."""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from stickbreaker.core.errors import counted
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus import Corpus
from stickbreaker.estimators.learned import AnyLearned
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.topics.effects_of_metadata import short_text
from stickbreaker.topics.learned import topics_in
from stickbreaker.topics.topics_over_time import TopicsByPeriod, topics_by_period
from stickbreaker.topics.verbs.over_time_picture import picture_of
from stickbreaker.topics.verbs.settings import OverTimeSettings
from stickbreaker.topics.verbs.shown_topics import refuse_unknown_topics, titles_of

SHOWN = 10  # topics: those that change most
FIGURES = ("means", "shares", "low", "high")


@dataclass(frozen=True, kw_only=True, repr=False)
class TopicsOverTime(VerbResult):
    """Topic shares by period of time, with bounds (`found`).

    `names`: of the topics, None if they have none; `titles`: the name of each, or its first words; `shown`:
    the numbers of the topics in the text and the picture.
    """

    model: str
    by: str
    found: TopicsByPeriod
    names: tuple[str | None, ...]
    titles: tuple[str, ...]
    shown: tuple[int, ...] = field(default=())

    def as_json(self) -> JsonObject:
        return {
            "model": self.model,
            "by": self.by,
            "date_field": self.found.date_field,
            "group_field": self.found.group_field,
            "documents": self.found.documents,
            "left_out": self.found.left_out,
            "periods": list(self.found.periods),
            "groups": [
                {
                    "group": one.group,
                    "documents": one.documents.tolist(),
                    "topics": [
                        {
                            "topic": k,
                            "name": name,
                            **{
                                figure: [
                                    None if np.isnan(v) else v for v in getattr(one, figure)[:, k].tolist()
                                ]
                                for figure in FIGURES
                            },
                        }
                        for k, name in enumerate(self.names)
                    ],
                }
                for one in self.found.groups
            ],
        }

    def table(self) -> pa.Table:
        """A row for each group, topic and period: see `TopicsByPeriod.table`."""
        return self.found.table(self.names)

    def picture(self) -> str:
        """An SVG picture, as text: a panel for each topic shown, with a line and bounds for each group."""
        return picture_of(self.found, self.titles, self.shown)

    def __str__(self) -> str:
        found = self.found
        documents, short = counted(found.documents, "document"), short_text(found.words)
        left = f", {found.left_out:,} left out for lack of a date or words" if found.left_out else ""
        spans = f"{found.periods[0]} to {found.periods[-1]}"
        lines = [f"{documents} by {self.by}, {spans}{left}; shares of topics, 95 % between the bounds"]
        lines += [short] if short else []
        for k in self.shown:
            lines.append(f"topic {k}: {self.titles[k]}")
            for one in found.groups:
                which = "" if one.group is None else f"  {found.group_field}={one.group}"
                for t in (0, len(found.periods) - 1):
                    bounds = f"({one.low[t, k]:.4f} to {one.high[t, k]:.4f})"
                    lines.append(f"  {one.shares[t, k]:.4f}  {bounds}  {found.periods[t]}{which}")
        return "\n".join(lines)


def over_time(learned: AnyLearned, corpus: Corpus, settings: OverTimeSettings) -> TopicsOverTime:
    """Topic shares of documents by period of time.

    Raises UserError if documents have no dates, and for topics that the model does not have.
    """
    learned = topics_in(learned, "over-time")
    numbers = tuple(settings.topics)
    refuse_unknown_topics(learned, numbers)
    found = topics_by_period(learned, corpus, settings.by, settings.date_field, settings.group_field)
    names, titles = titles_of(learned)
    ranges = np.max([np.ptp(one.shares, axis=0) for one in found.groups], axis=0)
    changing = tuple(sorted(np.argsort(-ranges, kind="stable")[:SHOWN].tolist()))
    return TopicsOverTime(
        model="", by=settings.by, found=found, names=names, titles=titles, shown=numbers or changing
    )
