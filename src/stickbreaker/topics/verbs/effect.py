"""How topic shares depend on metadata of the documents."""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from stickbreaker.core.json_checks import JsonObject
from stickbreaker.corpus import Corpus
from stickbreaker.estimators.learned import AnyLearned
from stickbreaker.estimators.verb_results import VerbResult, plain
from stickbreaker.topics.effects_of_metadata import (
    MetadataEffects,
    effects_of_metadata,
    left_out_text,
    references_text,
    short_text,
)
from stickbreaker.topics.learned import topics_in
from stickbreaker.topics.verbs.effect_picture import picture_of
from stickbreaker.topics.verbs.settings import EffectSettings
from stickbreaker.topics.verbs.shown_topics import refuse_unknown_topics, titles_of

SHOWN = 5  # for each term, the topics that rise most and as many that fall most
FIGURES = ("estimate", "error", "low", "high")


@dataclass(frozen=True, kw_only=True, repr=False)
class TopicEffects(VerbResult):
    """Effects of the terms of a formula on the shares of topics.

    `found` has the estimates and their bounds (topics × terms). `names`: of the topics, None if they have
    none; `titles`: the name of each, or its first words. `shown`: topics of which the text shows everything;
    none: for each term those whose bounds exclude zero.
    """

    model: str
    formula: str
    found: MetadataEffects
    names: tuple[str | None, ...]
    titles: tuple[str, ...]
    shown: tuple[int, ...] = field(default=())

    def as_json(self) -> JsonObject:
        figures = list(zip(FIGURES, self.found.effects, strict=True))
        return {
            "model": self.model,
            "formula": self.formula,
            "documents": self.found.documents,
            "left_out": self.found.left_out,
            "references": plain(self.found.references),
            "terms": list(self.found.terms),
            "topics": [
                {"topic": k, "name": name, **{one: values[k].tolist() for one, values in figures}}
                for k, name in enumerate(self.names)
            ],
        }

    def table(self) -> pa.Table:
        """A row for each topic and term: topic (its number), name, term, estimate, error, low and high."""
        return self.found.table(self.names)

    def picture(self) -> str:
        """An SVG picture, as text: a panel for each term, of the topics shown, or of the most affected."""
        return picture_of(self.found, self.titles, self.shown or _most_affected(self.found))

    def __str__(self) -> str:
        effects, references = self.found.effects, references_text(self.found)
        documents = left_out_text(self.found)
        lines = [f"{documents}; effects on topic shares, 95 % between the bounds"]
        lines += [one for one in (references, short_text(self.found.words)) if one]

        def line(k: int, t: int, what: str) -> str:
            bounds = f"{effects.low[k, t]:+.4f} to {effects.high[k, t]:+.4f}"
            return f"  {effects.estimates[k, t]:+.4f}  ({bounds})  {what}"

        if self.shown:
            for k in self.shown:
                lines.append(f"topic {k}: {self.titles[k]}")
                lines += [line(k, t, term) for t, term in enumerate(self.found.terms)]
            return "\n".join(lines)
        sure = (effects.low > 0.0) | (effects.high < 0.0)
        for t, term in enumerate(self.found.terms):
            if term == "Intercept":
                continue
            by_chance = f"by chance alone {0.05 * len(self.titles):.0f}"
            lines.append(f"{term}: {int(sure[:, t].sum())} of {len(self.titles)} topics, {by_chance}")
            order = np.argsort(-effects.estimates[:, t], kind="stable")
            chosen = [k for k in order.tolist() if sure[k, t]]
            rise = [k for k in chosen if effects.estimates[k, t] > 0.0][:SHOWN]
            fall = [k for k in chosen if effects.estimates[k, t] < 0.0][-SHOWN:]
            lines += [line(k, t, f"topic {k}: {self.titles[k]}") for k in (*rise, *fall)]
        return "\n".join(lines)


def effects(learned: AnyLearned, corpus: Corpus, settings: EffectSettings) -> TopicEffects:
    """Regress the shares of each topic on metadata of the documents.

    Raises UserError for an invalid formula, and for topics that the model does not have.
    """
    learned = topics_in(learned, "effect")
    refuse_unknown_topics(learned, settings.topics)  # before shares are drawn
    found = effects_of_metadata(
        learned, corpus, settings.formula, draws=settings.draws, seed=settings.random_state
    )
    names, titles = titles_of(learned)
    return TopicEffects(
        model="",
        formula=settings.formula,
        found=found,
        names=names,
        titles=titles,
        shown=tuple(settings.topics),
    )


def _most_affected(found: MetadataEffects) -> tuple[int, ...]:
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
