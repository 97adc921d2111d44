"""Names given to topics by users: in Python by topic number, or in a file downloaded from a report.

The file has an entry per topic: its id (which stays the same while topics are split and merged), its first
words, and the name or null. From ids and words, a model can check whether the file is about its topics.
"""

import json
from collections.abc import Mapping
from numbers import Integral
from pathlib import Path
from typing import NamedTuple

from stickbreaker.core.errors import UserError, naming
from stickbreaker.core.json_checks import (
    JsonObject,
    is_count,
    is_text,
    list_of,
    one_of,
    optional,
    record_with,
    refuse_other_kinds,
)
from stickbreaker.core.untrusted import making_sense_of, read_given_file
from stickbreaker.topics.learned import TopicsLearned
from stickbreaker.topics.names.names_file import checked_name

FORMAT = "stickbreaker names of topics"
FILE_VERSION = 1
FILE_WORDS = 10  # words per topic in a file of names
KNOWN_WORDS = 50  # first words of a model's topic, which are compared with those of the file
LEAST_SHARED = 0.2  # least share of a topic's words in the file that the model's topic has too
LEAST_SAME = 0.5  # least share of the file's topics that are the model's
_MOST_BYTES = 1 << 26
_REMEDY = "give the file from the button Download names in a report"
_FILE = {
    "format": one_of(FORMAT),
    "version": is_count,
    "topics": list_of(record_with({"id": is_count, "words": list_of(is_text), "name": optional(is_text)})),
}


class FileNames(NamedTuple):
    """The names in a file, for a certain model: names by topic number (None: the topic's name is removed),
    and in `left_out` the names of topics that did not match one of the model.
    """

    by_topic: dict[int, str | None]
    left_out: list[str]


def names_by_id(model: TopicsLearned, names: Mapping[int, str | None]) -> dict[int, str]:
    """All names that users gave to a model's topics, with some changes, by topic id (`topic_ids_`). The model
    itself stays unchanged.

    names: the changes, by topic number; None or "" removes a name. Raises UserError for names that are not a
    mapping, an unknown topic, or an invalid name.
    """
    if not isinstance(names, Mapping):
        raise UserError("names must be a dict by topic number", remedy='give names like {3: "weather"}')
    given = dict(model.given_names)
    for number, name in names.items():
        identity = model.topic_ids[_checked_number(model, number)]
        plain = "" if name is None else checked_name(name)
        if plain:
            given[identity] = plain
        else:
            given.pop(identity, None)
    return given


def _checked_number(model: TopicsLearned, number: object) -> int:
    """A topic's number as an int. Raises UserError if it is not a whole number, or the model has no such
    topic.
    """
    last = len(model.alpha) - 1
    if isinstance(number, Integral) and not isinstance(number, bool) and 0 <= int(number) <= last:
        return int(number)
    raise UserError(f"there is no topic {repr(number)[:50]}", remedy=f"topics run from 0 to {last}")


def names_in_file(model: TopicsLearned, path: Path) -> FileNames:
    """Read names for a model's topics from a file downloaded from a report.

    A topic in the file matches if the model has a topic with the same id, whose first 50 words include at
    least a fifth of the file's. Raises UserError for a file of another kind, and for one about another
    model's topics: if fewer than half of its topics match.
    """
    topics = _read_file(path)
    numbers = {identity: k for k, identity in enumerate(model.topic_ids)}
    words = _first_words(model)

    def is_same(topic: JsonObject) -> bool:
        k = numbers.get(topic["id"])
        shared = 0 if k is None else sum(word in words[k] for word in topic["words"])
        return shared > 0 and shared >= LEAST_SHARED * len(topic["words"])

    described = [topic for topic in topics if topic["words"]]
    same = [topic for topic in described if is_same(topic)]
    if len(same) < LEAST_SAME * len(described) or not same:
        problem = f"names topics of another model: {len(same)} of {len(described)} match an id and words here"
        raise UserError(problem, where=path, remedy="take the names from a report of this model")
    ids = {topic["id"] for topic in same}
    with naming(path):
        names = {t["id"]: None if t["name"] is None else checked_name(t["name"]) for t in topics}
    return FileNames(
        {numbers[i]: name for i, name in names.items() if i in ids},
        [name for i, name in names.items() if name and i not in ids],
    )


def _read_file(path: Path) -> list[JsonObject]:
    """Read a file of topic names: its entries (dicts with "id", "words" and "name"), not yet compared with a
    model. Raises UserError for an invalid file.
    """
    content = read_given_file(path, _MOST_BYTES, _REMEDY)
    with making_sense_of(path, _REMEDY):
        record = json.loads(content)
        refuse_other_kinds(record, _FILE)
        if record["version"] != FILE_VERSION:
            problem = f"was written by another version ({record['version']}, this one reads {FILE_VERSION})"
            raise UserError(problem, where=path, remedy="upgrade stickbreaker")
        topics = record["topics"]
        if len({topic["id"] for topic in topics}) < len(topics):
            raise ValueError("a topic occurs twice")
        return topics


def _first_words(model: TopicsLearned) -> list[set[str]]:
    """For each topic, the set of its first 50 words (of each language), to compare with the words in a file
    of names.
    """
    vocabulary = model.vocabulary
    words: list[set[str]] = [set() for _ in model.alpha]
    for side in vocabulary.parts:
        for own, rows in zip(words, model.ranked_words(KNOWN_WORDS, side).words.tolist(), strict=True):
            own.update(vocabulary.spelled[row] for row in rows)
    return words
