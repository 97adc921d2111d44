"""Hostile tensors: bad headers of safetensors files, and arrays that no run has."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from audit.foreign_json import deep
from audit.sealing import change_array, read_header, seal, state_files, write_header

Header = dict[str, Any]
Case = Callable[[Path], None]


def changed(change: Callable[[Header, int], None]) -> Case:
    """A header that was changed as an object; the change is given the number of bytes of data."""

    def case(file: Path) -> None:
        header, data = read_header(file)
        change(header, len(data))
        write_header(file, json.dumps(header).encode(), data)

    return case


def raw(header: Callable[[bytes], bytes], length: int | None = None) -> Case:
    """A header that was changed as bytes, and perhaps another length of it."""

    def case(file: Path) -> None:
        held, data = read_header(file)
        write_header(file, header(json.dumps(held).encode()), data, length)

    return case


def largest(header: Header) -> Header:
    """The tensor with most data."""
    return max((held for name, held in header.items() if name != "__metadata__"), key=_bytes)


def _bytes(held: Header) -> int:
    return held["data_offsets"][1] - held["data_offsets"][0]


def _set(field: str, value: Any) -> Case:
    return changed(lambda header, _: largest(header).update({field: value}))


HEADERS: dict[str, Case] = {
    "length beyond the file": raw(lambda held: held, 1 << 40),
    "length 2^63": raw(lambda held: held, 1 << 63),
    "length 2^64-1": raw(lambda held: held, (1 << 64) - 1),
    "length 0": raw(lambda held: b"", 0),
    "not JSON": raw(lambda held: b"{" * len(held)),
    "not UTF-8": raw(lambda held: b'{"\xff\xfe": 1}'),
    "nested deep": raw(lambda held: held[:-1] + b', "more": ' + deep().encode() + b"}"),
    "a list": raw(lambda held: b"[]"),
    "a key twice": raw(lambda held: held[:-1] + b", " + held[1:]),
    "offsets that overlap": changed(
        lambda header, _: [held.update(data_offsets=[0, _bytes(held)]) for held in header.values()]
    ),
    "offsets beyond the data": changed(
        lambda header, size: largest(header).update(data_offsets=[size, size + _bytes(largest(header))])
    ),
    "offsets below zero": _set("data_offsets", [-8, 0]),
    "offsets that go back": _set("data_offsets", [64, 0]),
    "an unknown dtype": _set("dtype", "F128"),
    "dtype BF16": _set("dtype", "BF16"),
    "dtype F8_E4M3": _set("dtype", "F8_E4M3"),
    "dtype U64 for F64": _set("dtype", "U64"),
    "dtype I64 for F64": _set("dtype", "I64"),
    "a wrong shape": _set("shape", [1]),
    "a shape below zero": _set("shape", [-1, -24]),
    "a huge shape": _set("shape", [1 << 40, 1 << 40]),
    "a flat shape": changed(lambda header, _: largest(header).update(shape=[_bytes(largest(header)) // 8])),
    "many dimensions": changed(
        lambda header, _: largest(header).update(shape=[1] * 70 + [_bytes(largest(header)) // 8])
    ),
    "no tensors": lambda file: write_header(file, b"{}", b""),
    "an empty file": lambda file: file.write_bytes(b""),
    "metadata that is not a text": changed(lambda header, _: header.update(__metadata__={"a": 1})),
}


def without(name: str) -> Case:
    """A file that lacks a tensor."""

    def case(file: Path) -> None:
        from safetensors.numpy import load_file, save_file

        arrays = load_file(file)
        del arrays[name]
        save_file(arrays, file)

    return case


def _one(value: float) -> Callable[[np.ndarray], np.ndarray]:
    """Another value in the first place; arrays of integers are left alone if they cannot hold it."""

    def change(array: np.ndarray) -> np.ndarray:
        held = np.array(array)
        if not np.isfinite(value) and held.dtype.kind != "f":
            held = held.astype(np.float64)
        if not held.size:
            return np.array([value])
        if held.dtype.kind in "ui" and (value < np.iinfo(held.dtype).min or value > np.iinfo(held.dtype).max):
            held = held.astype(np.int64)
        held.reshape(-1)[0] = value
        return held

    return change


ARRAYS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "NaN": _one(np.nan),
    "inf": _one(np.inf),
    "-1": _one(-1),
    "-1e9": _one(-1_000_000_000),
    "65535": _one(65_535),
    "all zero": np.zeros_like,
    "one row more": lambda array: np.concatenate([np.atleast_1d(array), np.atleast_1d(array)[:1]]),
    "one row less": lambda array: np.atleast_1d(array)[:-1],
    "empty": lambda array: np.empty((0, *array.shape[1:]), array.dtype),
    "a dimension more": lambda array: array[None],
    "flat": lambda array: array.reshape(-1) if array.ndim > 1 else array.reshape(-1, 1),
    "transposed": lambda array: np.ascontiguousarray(array.T) if array.ndim > 1 else array[None],
    "single precision": lambda array: array.astype(np.float32),
    "whole numbers": lambda array: array.astype(np.int16),
    "truth values": lambda array: array.astype(bool),
}
HARMLESS = ("single precision", "whole numbers", "truth values", "all zero", "65535")  # as others may be read


def names_of(file: Path) -> list[str]:
    """The tensors of a file."""
    return sorted(name for name in read_header(file)[0] if name != "__metadata__")


def _is_square(file: Path, name: str) -> bool:
    """Whether a tensor has the same shape when it is transposed."""
    shape = read_header(file)[0][name]["shape"]
    return shape == shape[::-1]


def change_tensor(place: Path, draw: random.Random) -> tuple[str, bool]:
    """Change or remove a tensor and seal the model. Returns what was done, and whether it may be legal."""
    file = draw.choice(state_files(place))
    name = draw.choice(names_of(file))
    if draw.random() < 0.1:
        without(name)(file)
        way, legal = "missing", name.startswith("plan of")  # plans of other kinds hold less
    else:
        way = draw.choice(list(ARRAYS))
        change_array(file, name, ARRAYS[way])
        logs = name in ("small/spelling_lengths", "small/spelling_tail")  # any that are below zero may be
        square = way == "transposed" and _is_square(file, name)
        legal = way in HARMLESS or square or (logs and ("one row" in way or way.startswith("-")))
        legal = legal or ("/log_" in name and way.startswith("-"))  # logs are below zero
    seal(place)
    return f"tensor {name}: {way}", legal


def change_header(place: Path, number: int) -> tuple[str, bool]:
    """Give a file of tensors the bad header of a number, and seal it. Returns what was done, and False."""
    files = state_files(place)
    number, at = divmod(number, len(files))
    what = list(HEADERS)[number % len(HEADERS)]
    HEADERS[what](files[at])
    seal(place)
    return f"{files[at].name}: {what}", False
