"""The only source of randomness: generators, seeds and keys, derived from what the numbers are for."""

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def stream(seed: int, purpose: str, step: int = 0, key: int | str | bytes = 0) -> np.random.Generator:
    """A random generator that depends on its four arguments only, never on order, threads or workers.

    `seed` is the run's; `purpose` names the draw ("seed topics", "shuffle"); `step` is the step or pass;
    `key` is the content or number of the document or row that the draw belongs to.

    >>> float(stream(1, "shuffle", 2).random()) == float(stream(1, "shuffle", 2).random())
    True
    """
    digest = hashlib.blake2b(digest_size=16)
    for part in (str(int(seed)).encode(), purpose.encode(), str(int(step)).encode(), _key_bytes(key)):
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return np.random.Generator(np.random.Philox(key=int.from_bytes(digest.digest(), "little")))


def _key_bytes(key: int | str | bytes) -> bytes:
    if isinstance(key, bytes):
        return b"b" + key
    if isinstance(key, str):
        return b"s" + key.encode("utf-8", "surrogatepass")
    return b"i" + str(int(key)).encode()


def derived_seed(seed: int, purpose: str, step: int = 0) -> int:
    """A seed for one part of a run, such as one of its chains, that depends only on these arguments.

    >>> derived_seed(1, "chain", 2) == derived_seed(1, "chain", 2)
    True
    """
    return int(stream(seed, purpose, step).integers(2**62))


def numbered_keys(seed: int, purpose: str, step: int, numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    """A random key (uint64) for each of some numbers (of documents, say), to start streams in compiled loops.

    It depends only on the seed, the purpose, the step and that number. It is made by a mixer (SplitMix64),
    because a `stream` per document would be slow.

    >>> bool(numbered_keys(1, "p", 0, np.array([3, 4]))[1] == numbered_keys(1, "p", 0, np.array([4]))[0])
    True
    """
    start = stream(seed, purpose, step).integers(2**64, dtype=np.uint64)
    with np.errstate(over="ignore"):
        return _mixed(start + _mixed(numbers.astype(np.uint64) * GOLDEN))


def share_of(key: str, seed: int = 0) -> float:
    """A hash of a key as a number in [0, 1), uniform over keys, to choose a share of documents by their ids.

    >>> share_of("doc-7") == share_of("doc-7")
    True
    """
    digest = hashlib.blake2b(
        key.encode("utf-8", "surrogatepass"), digest_size=8, salt=str(seed).encode()[:16]
    )
    return int.from_bytes(digest.digest(), "little") / 2**64


def keyed_uniforms(seed: int, purpose: str, keys: Sequence[str], number: int) -> NDArray[np.float64]:
    """Uniform numbers in (0, 1), keys × number; each row depends only on the seed, the purpose and its key.

    They are made by one hash per key and a counter-based mixer (SplitMix64), because a generator per row
    would be slow.

    >>> bool((keyed_uniforms(1, "p", ["a", "b"], 2)[1] == keyed_uniforms(1, "p", ["b"], 2)[0]).all())
    True
    """
    secret = hashlib.blake2b(f"{int(seed)}:{purpose}".encode(), digest_size=32).digest()
    digests = b"".join(
        hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8, key=secret).digest()
        for key in keys
    )
    start = np.frombuffer(digests, np.uint64).reshape(len(keys), 1)
    with np.errstate(over="ignore"):
        z = _mixed(start + np.arange(1, number + 1, dtype=np.uint64) * GOLDEN)
    return ((z >> np.uint64(12)).astype(np.float64) + 0.5) / 2.0**52  # with 53 bits, 1.0 could come out


def _mixed(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64's finaliser: scrambles 64-bit numbers so that neighbouring ones become unrelated."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
