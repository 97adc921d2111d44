"""Types of Arrow columns: which can be metadata, and those that other libraries add to Arrow's own."""

import importlib
import json
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from stickbreaker.core.json_checks import is_record
from stickbreaker.corpus.arrow_arrays import ArrowArray, ArrowNested, arrow_strings

_batches: Any = pa.RecordBatch
_NAME, _ABOUT = b"ARROW:extension:name", b"ARROW:extension:metadata"  # in a field of a type that is not known
_CLOSED = {"left": "[)", "right": "(]", "both": "[]", "neither": "()"}


def can_be_metadata(field: Any) -> bool:
    """Whether a column (a field of a schema) can be metadata: scalars, and lists of strings.

    >>> can_be_metadata(pa.field("n", pa.int8())), can_be_metadata(pa.field("b", pa.binary()))
    (True, False)
    """
    name = _extension_of(field)[0]
    if name is not None and name not in _EXTENSIONS:
        return _is_text(_storage_type(field.type))
    return name is not None or _is_scalar_or_strings(field.type)


def _is_scalar_or_strings(kind: Any) -> bool:
    if isinstance(kind, pa.BaseExtensionType):
        return kind.extension_name in _EXTENSIONS or _is_text(kind.storage_type)
    if pa.types.is_dictionary(kind):
        return _is_scalar_or_strings(kind.value_type)
    if pa.types.is_nested(kind):
        items = item_type(kind)
        return items is not None and _is_text(items.value_type if pa.types.is_dictionary(items) else items)
    return not (_is_bytes(kind) or kind == pa.month_day_nano_interval())


def item_type(kind: Any) -> Any:
    """The type of the items of a list type; None for other types.

    >>> item_type(pa.list_(pa.int8())), item_type(pa.int8())
    (DataType(int8), None)
    """
    tests = (
        pa.types.is_list,
        pa.types.is_large_list,
        pa.types.is_fixed_size_list,
        pa.types.is_list_view,
        pa.types.is_large_list_view,
    )
    return kind.value_type if any(test(kind) for test in tests) else None


def _is_text(kind: Any) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _is_bytes(kind: Any) -> bool:
    fixed = pa.types.is_fixed_size_binary(kind) or pa.types.is_binary_view(kind)
    return fixed or pa.types.is_binary(kind) or pa.types.is_large_binary(kind)


def _storage_type(kind: Any) -> Any:
    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind


def _extension_of(field: Any) -> tuple[str | None, bytes]:
    """The name of the type that a library added to Arrow's, and what describes it; None for Arrow's own."""
    if isinstance(field.type, pa.BaseExtensionType):
        kind: Any = field.type
        describe = getattr(kind, "__arrow_ext_serialize__", None)  # Arrow's own extensions lack it
        return kind.extension_name, b"" if describe is None else describe()
    about: dict[bytes, bytes] = field.metadata or {}
    name = about.get(_NAME)
    return (None if name is None else name.decode("utf-8", "replace")), about.get(_ABOUT, b"")


def with_plain_extensions(batch: Any) -> Any:
    """A batch whose periods, intervals, UUIDs and 8-bit truth values are text or truth values.

    Other types that libraries added are their strings; a dictionary of such values becomes a plain column.
    """
    columns: list[ArrowArray] = []
    changed = False
    for field, column in zip(batch.schema, batch.columns, strict=True):
        plain = _plain(field, column)
        changed = changed or plain is not column
        columns.append(plain)
    return _batches.from_arrays(columns, names=batch.schema.names) if changed else batch


def _plain(field: Any, column: ArrowNested) -> ArrowNested:
    if pa.types.is_dictionary(column.type) and isinstance(column.type.value_type, pa.BaseExtensionType):
        values = _plain(pa.field("", column.type.value_type), column.dictionary)
        return column.from_arrays(column.indices, values)
    name, about = _extension_of(field)
    storage = column.storage if isinstance(column.type, pa.BaseExtensionType) else column
    return storage if name not in _EXTENSIONS else _EXTENSIONS[name](storage, about)


def _periods(column: ArrowNested, about: bytes) -> ArrowArray:
    """Periods of pandas, stored as their number since 1970, as text such as 2001-02."""
    described = json.loads(about or b"{}")
    period = importlib.import_module("pandas").Period
    freq = described["freq"] if is_record(described) else ""
    return arrow_strings(
        [None if one is None else str(period(ordinal=one, freq=freq)) for one in column.to_pylist()]
    )


def _intervals(column: ArrowNested, about: bytes) -> ArrowArray:
    """Intervals of pandas as text, such as (0, 3]."""
    described = json.loads(about or b"{}")
    opens, closes = _CLOSED[str(described.get("closed", "right")) if is_record(described) else "right"]
    return arrow_strings(
        [
            None if one is None or one["left"] is None else f"{opens}{one['left']}, {one['right']}{closes}"
            for one in column.to_pylist()
        ]
    )


def _uuids(column: ArrowNested, _about: bytes) -> ArrowArray:
    uuid = importlib.import_module("uuid").UUID
    return arrow_strings([None if one is None else str(uuid(bytes=one)) for one in column.to_pylist()])


def _truth_values(column: ArrowNested, _about: bytes) -> ArrowArray:
    return column.cast(pa.bool_())


_EXTENSIONS: dict[str | None, Callable[[ArrowNested, bytes], ArrowArray]] = {
    "pandas.period": _periods,
    "pandas.interval": _intervals,
    "arrow.uuid": _uuids,
    "arrow.bool8": _truth_values,
}
