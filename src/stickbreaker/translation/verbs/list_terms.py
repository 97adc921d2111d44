"""Words whose translation changes between topics, as a list and as a table."""

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stickbreaker.core.errors import counted
from stickbreaker.core.files import write_atomic
from stickbreaker.core.json_checks import JsonObject
from stickbreaker.core.parameter_fields import naming_settings
from stickbreaker.core.spreadsheets import text_cell
from stickbreaker.estimators.verb_results import VerbResult
from stickbreaker.translation.lexicon.terms import Term, terms_of
from stickbreaker.translation.verbs.given_lexicons import lexicon_in, name_of
from stickbreaker.translation.verbs.settings import TermsSettings

PRINTED = 20
COLUMNS = ("word", "links", "gain", "topic", "name", "share", "translation", "p_in_topic", "p_everywhere")


@dataclass(frozen=True, repr=False)
class TermList(VerbResult):
    """The terms of a lexicon, the largest gains first; `names`: those of its topics."""

    lexicon: str
    terms: tuple[Term, ...]
    names: tuple[str, ...]

    def as_json(self) -> JsonObject:
        found = [
            {
                "word": term.word,
                "links": term.links,
                "gain": term.gain,
                "topics": [{**one._asdict(), "name": self.names[one.topic]} for one in term.topics],
            }
            for term in self.terms
        ]
        return {"lexicon": self.lexicon, "terms": found}

    def write(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the terms as CSV, with a row per term and topic. Raises UserError if the file exists, unless
        `overwrite`."""
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(COLUMNS)
        for term in self.terms:
            first = (text_cell(term.word), f"{term.links:.0f}", f"{term.gain:.4f}")
            for one in term.topics:
                cells = (text_cell(self.names[one.topic]), f"{one.share:.4f}", text_cell(one.translation))
                writer.writerow((*first, one.topic, *cells, f"{one.p:.4f}", f"{one.p_all:.4f}"))
        write_atomic(Path(path), text.getvalue().encode("utf-8"), overwrite=overwrite)

    def __str__(self) -> str:
        n = len(self.terms)
        lines = [f"{counted(n, 'term')} whose translation follows the topic; gain in nats"]
        for term in self.terms[:PRINTED]:
            ways = ", ".join(
                f"{one.translation} {one.p:.2f} ({self.names[one.topic]})" for one in term.topics
            )
            lines.append(f"  {term.gain:.3f}  {term.word:<20} {ways}")
        if n > PRINTED:
            lines.append(f"  and {n - PRINTED:,} more: --out terms.csv has all")
        return "\n".join(lines)


@naming_settings(TermsSettings)
def terms(lexicon: object, **settings: Any) -> TermList:
    """The words whose translation changes most between topics, the largest gains first.

    lexicon: a `TopicLexicon`, one with phrases, or the path of a saved one. settings: the options of
    `stickbreaker translate terms`: `min_gain`, `min_count` and `all_words`. What is returned has `write`, to
    a CSV file.
    """
    made = TermsSettings(**settings)
    known = lexicon_in(lexicon)
    found = terms_of(known, made.min_gain, made.min_count, all_words=made.all_words)
    return TermList(name_of(lexicon), tuple(found), tuple(known.domains.names))
