"""One document, as readers yield it and a corpus returns it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Scalar = str | int | float | bool | list[str] | None  # a list: several values, such as labels
Positions: TypeAlias = "Sequence[int] | NDArray[np.int32]"


@dataclass(frozen=True, slots=True)
class Document:
    """A document: its text, its tokens in order, or (a bag) its words and their weights.

    `starts` holds the character of `text` at which each token begins; `sentences` the token at which each
    sentence begins; with trees, `heads` the position of each token's head within its sentence (-1: a root),
    and `tags` its part of speech. A polylingual document has `texts` instead, its text by language code.
    `where` and `line`: the place that it was read from, for error messages; `copy`: if one line with a count
    stands for several documents, which of them this is, from 1.

    >>> Document("a", text="A short text.").id
    'a'
    """

    id: str | None
    text: str | None = None
    tokens: Sequence[str] | None = None
    starts: "Positions | None" = None
    sentences: "Positions | None" = None
    heads: list[int] | None = None
    tags: list[str] | None = None
    words: list[str] | None = None
    weights: list[float] | None = None
    language: str | None = None
    metadata: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])
    where: str = ""
    line: int | None = None
    texts: Mapping[str, str] | None = None
    copy: int | None = None
