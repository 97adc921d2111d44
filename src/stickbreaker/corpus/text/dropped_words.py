"""Records which words a vocabulary's rules left out, rule by rule."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from stickbreaker.core.json_checks import (
    JsonObject,
    Kind,
    is_amount,
    is_count,
    is_text,
    list_of,
    optional,
    refuse_other_kinds,
)
from stickbreaker.corpus.vocabulary import LONGEST_WORD, Vocabulary, VocabularyRule

FREQUENT = 20  # words stored for each rule
RULES = {  # in the order in which they are shown
    "stop_words": "stop words",
    "min_length": "too short",
    "max_length": "too long",
    "letters": "without a letter",
    "min_documents": "in too few documents",
    "max_share": "in too large a share of the documents",
    "size": "beyond the size of the vocabulary",
    "words": "not in the list of words",
}
_FIELDS: dict[str, Kind] = {
    "rule": lambda value: is_text(value) and value in RULES,
    "words": is_count,
    "tokens": is_amount,
    "frequent": list_of(is_text),
    "bound": optional(is_amount),
}


@dataclass(frozen=True)
class DroppedWords:
    """The words that one rule left out of a vocabulary.

    `rule` is a key of `RULES`; `words` the number of distinct words, `tokens` how often they occur;
    `frequent` the 20 most frequent of them, the most frequent first. `bound` is the rule's threshold, if it
    depends on the corpus: the fewest documents (`min_documents`), the largest share (`max_share`).

    >>> DroppedWords("stop_words", 2, 40.0, ("the", "of")).label
    'stop words'
    """

    rule: str
    words: int
    tokens: float
    frequent: tuple[str, ...]
    bound: float | None = None

    @property
    def label(self) -> str:
        """The reason why the words were left out, as text for users."""
        if self.bound is not None and self.rule == "min_documents":
            return f"in fewer than {self.bound:g} documents"
        if self.bound is not None and self.rule == "max_share":
            return f"in more than {100 * self.bound:.3g} % of the documents"
        return RULES[self.rule]

    def to_dict(self) -> JsonObject:
        """The fields as values for JSON."""
        return {**asdict(self), "frequent": list(self.frequent)}

    @classmethod
    def from_dict(cls, values: JsonObject) -> "DroppedWords":
        """The record from the values that `to_dict` returned. Raises ValueError for other values."""
        refuse_other_kinds(values, _FIELDS)
        known = {name: values[name] for name in _FIELDS}
        known["frequent"] = tuple(known["frequent"])
        return cls(**known)


def dropped_words(
    rule: VocabularyRule,
    counts: Vocabulary,
    reasons: Sequence[str | None],
    n_documents: int,
    chosen: Vocabulary,
) -> tuple[DroppedWords, ...]:
    """Summarise the words of a corpus that its vocabulary lacks, one record per rule that dropped any.

    counts: all words of the corpus; reasons: for each, the rule of the analysis that drops it, or None;
    chosen: the vocabulary. Each word counts for one rule: that of the analysis first, then `rule`'s own. If
    `rule` is hashed, words that share a row with others are not dropped.
    """
    fewest, most = rule.bounds(n_documents, counts.mean_length(n_documents))
    by_rule: dict[str, list[int]] = defaultdict(list)
    documents = counts.documents.tolist()
    for place in np.flatnonzero(chosen.lookup(counts.words) < 0).tolist():
        name = reasons[place]
        if name is None and rule.hashed:
            continue  # it shares the row of another word
        if name is None and rule.words is not None:
            name = "words"
        elif name is None:
            few, many = documents[place] < fewest, documents[place] > most
            name = "min_documents" if few else "max_share" if many else "size"
        by_rule[name].append(place)
    bounds = {"min_documents": float(fewest), "max_share": most / max(n_documents, 1)}
    return tuple(_summary(name, by_rule[name], counts, bounds.get(name)) for name in RULES if name in by_rule)


def added_up(parts: Iterable[Sequence[DroppedWords]]) -> tuple[DroppedWords, ...]:
    """Add up the dropped words of several languages, rule by rule; bounds that differ become None.

    The most frequent words come in equal shares from each language, not sorted again.
    """
    by_rule: Mapping[str, list[DroppedWords]] = defaultdict(list)
    for part in parts:
        for dropped in part:
            by_rule[dropped.rule].append(dropped)
    return tuple(_sum(by_rule[name]) for name in RULES if name in by_rule)


def _sum(several: list[DroppedWords]) -> DroppedWords:
    first, share = several[0], -(-FREQUENT // len(several))
    return DroppedWords(
        first.rule,
        sum(one.words for one in several),
        sum(one.tokens for one in several),
        tuple(word for one in several for word in one.frequent[:share]),
        first.bound if len({one.bound for one in several}) == 1 else None,
    )


def _cut(word: str) -> str:
    """The word, cut to the greatest length of words in a vocabulary (and marked by "…") if it is longer."""
    return word if len(word) <= LONGEST_WORD else word[:LONGEST_WORD] + "…"


def _summary(name: str, places: list[int], counts: Vocabulary, bound: float | None) -> DroppedWords:
    tokens = counts.tokens[places]
    often = range(len(places))
    if len(places) > FREQUENT:  # including those as frequent as the last of them
        often = np.flatnonzero(tokens >= -np.partition(-tokens, FREQUENT - 1)[FREQUENT - 1]).tolist()
    order = sorted(often, key=lambda at: (-tokens[at], counts.words[places[at]]))[:FREQUENT]
    frequent = tuple(_cut(counts.words[places[at]]) for at in order)
    return DroppedWords(name, len(places), float(tokens.sum()), frequent, bound)
