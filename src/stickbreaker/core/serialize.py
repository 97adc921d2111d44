"""Converts records and reports to named arrays, for files, and back."""

from collections.abc import Iterable, Mapping

import numpy as np

from stickbreaker.core.records import AnyArray, Field, Record, Rows, SparseCounts, Stats

Arrays = Mapping[str, AnyArray]
SUMS = ("score", "documents", "tokens")
WORDS = ("letters", "lengths")  # the arrays of words


def flat_record(prefix: str, record: Record) -> dict[str, AnyArray]:
    """The arrays of a record (fields by name), for files, by keys that describe the fields.

    A key is the prefix and "NAME|AXES|ADDITIVE|FRESH", with axes joined by commas and ADDITIVE 0 or 1.

    >>> sorted(flat_record("small/", {"rest": Field(np.array(0.5))}))
    ['small/rest||1|0.0']
    """
    return {
        f"{prefix}{name}|{','.join(item.axes)}|{int(item.additive)}|{item.fresh}": item.values
        for name, item in record.items()
    }


def record_from(prefix: str, arrays: Arrays) -> dict[str, Field]:
    """Restore a record from the arrays that `flat_record` made with this prefix; others are ignored."""
    record: dict[str, Field] = {}
    for key, values in arrays.items():
        if key.startswith(prefix):
            name, axes, additive, fresh = key.removeprefix(prefix).rsplit("|", 3)
            of = tuple(axes.split(",")) if axes else ()
            record[name] = Field(values, of, additive == "1", float(fresh))
    return record


def flat_words(prefix: str, words: Iterable[str]) -> dict[str, AnyArray]:
    """Words as two arrays, for files: letters joined as UTF-8, and each word's length in characters.

    >>> {name: values.tolist() for name, values in flat_words("my/", ["an", "a"]).items()}
    {'my/letters': [97, 110, 97], 'my/lengths': [2, 1]}
    """
    spelled = list(words)
    letters = "".join(spelled).encode("utf-8", "surrogatepass")
    return {
        f"{prefix}letters": np.frombuffer(letters, np.uint8),
        f"{prefix}lengths": np.array([len(word) for word in spelled], np.int64),
    }


def words_from(prefix: str, arrays: Arrays) -> list[str]:
    """Restore words from the arrays that `flat_words` made with this prefix.

    Raises ValueError if the lengths do not fit the letters, or a word is empty or occurs twice.
    """
    letters, lengths = arrays[f"{prefix}letters"], arrays[f"{prefix}lengths"]
    text = letters.astype(np.uint8).tobytes().decode("utf-8", "surrogatepass")
    ends = np.cumsum(lengths, dtype=np.int64).tolist()
    if lengths.ndim != 1 or (lengths < 1).any() or (ends[-1] if ends else 0) != len(text):
        raise ValueError("words of other lengths")
    words = [text[end - length : end] for end, length in zip(ends, lengths.tolist(), strict=True)]
    if len(set(words)) != len(words):
        raise ValueError("one word twice")
    return words


def flat_stats(prefix: str, stats: Stats) -> dict[str, AnyArray]:
    """The statistics of shards as named arrays, for a checkpoint; sparse rows become dense ones.

    `new_rows` are left out: before a checkpoint is written, they are added to the table or rejected.
    """
    rows = stats.rows.rows() if isinstance(stats.rows, SparseCounts) else stats.rows
    arrays: dict[str, AnyArray] = {
        f"{prefix}positions": rows.positions,
        f"{prefix}values": rows.values,
        f"{prefix}sums": np.array([getattr(stats, name) for name in SUMS]),
    }
    arrays |= flat_record(f"{prefix}usage/", stats.usage)
    for name, trial in stats.trial.items():
        arrays |= flat_stats(f"{prefix}trial/{name}/", trial)
    return arrays


def refuse_other_rows(stats: Stats, shape: tuple[int, ...], *, trial: bool = False) -> None:
    """Raise ValueError if the rows of statistics, or of trials in them, do not fit a table of `shape`.

    The number of columns is not checked for trials (`trial`: `stats` is itself one), or if there are no rows.
    """
    rows = stats.rows.rows() if isinstance(stats.rows, SparseCounts) else stats.rows
    places = rows.positions
    right = places.ndim == 1 and rows.values.ndim == 2 and len(places) == len(rows.values)
    if not right or (len(places) and not 0 <= places.min() <= places.max() < shape[0]):
        raise ValueError("a report of other rows")
    if len(places) and not trial and rows.values.shape[1] != shape[1]:
        raise ValueError("a report of other columns")
    for one in stats.trial.values():
        refuse_other_rows(one, shape, trial=True)


def refuse_other_sizes(record: Record, sizes: Mapping[str, int]) -> None:
    """Raise ValueError if an array does not fit its field's axes, or the lengths of axes in `sizes`.

    sizes: the lengths of axes by name; axes that it lacks may have any length.
    """
    for name, item in record.items():
        if item.axes and len(item.axes) != item.values.ndim:
            raise ValueError(f"{name} has {item.values.ndim} axes instead of {len(item.axes)}")
        for axis, size in zip(item.axes, item.values.shape, strict=False):
            if sizes.get(axis, size) != size:
                raise ValueError(f"{name} has {size} {axis} instead of {sizes[axis]}")


def stats_from(prefix: str, arrays: Arrays) -> Stats:
    """Restore statistics from the arrays that `flat_stats` made with this prefix; others are ignored.

    Raises KeyError if an array is missing, ValueError if the sums have another shape.
    """
    own = {key.removeprefix(prefix): values for key, values in arrays.items() if key.startswith(prefix)}
    trials = dict.fromkeys(key.split("/")[1] for key in own if key.startswith("trial/"))
    if own["sums"].shape != (len(SUMS),):
        raise ValueError("a report without its sums")
    return Stats(
        Rows(own["positions"], own["values"]),
        usage=record_from("usage/", own),
        trial={name: stats_from(f"trial/{name}/", own) for name in trials},
        **dict(zip(SUMS, own["sums"].tolist(), strict=True)),
    )
