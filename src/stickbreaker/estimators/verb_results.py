"""What verbs return: frozen records, which the commands print as text or as JSON."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Self, cast

import numpy as np

from stickbreaker.core.json_checks import JsonObject


@dataclass(frozen=True, repr=False)
class VerbResult(ABC):
    """Base of the records that verbs return.

    `str` of one is the text that the command prints, and `as_json` what it prints with --json.
    """

    def as_json(self) -> JsonObject:
        """The record as values for JSON, by name in the order of its fields."""
        return {one.name: plain(getattr(self, one.name)) for one in fields(self)}

    def of_model(self, name: str) -> Self:
        """The same record, with the name of the model that it is about, if it shows that."""
        return replace(self, model=name) if any(one.name == "model" for one in fields(self)) else self

    @abstractmethod
    def __str__(self) -> str: ...

    def __repr__(self) -> str:
        return str(self)


def plain(value: Any) -> Any:
    """A value for JSON: records become dicts, arrays and tuples lists.

    >>> plain((np.array([1.0, 2.0]), {"a": np.float64(3.0)}))
    [[1.0, 2.0], {'a': 3.0}]
    """
    if isinstance(value, VerbResult):
        return value.as_json()
    if is_dataclass(value):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, np.ndarray | np.generic):
        return cast("Any", value).tolist()
    if callable(getattr(value, "_asdict", None)):  # a NamedTuple
        value = value._asdict()
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in cast("list[Any]", value)]
    return value
