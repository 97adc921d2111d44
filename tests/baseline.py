"""Processes whose numbers are the same on every x86-64 machine with the same packages.

What decides the last digits of a number, and depends on the processor: the instructions that numba compiles
kernels to, those that numpy, Arrow and the C library choose among when they are loaded, and the kernels and
threads of OpenBLAS. Here all of them are those of the oldest processors that the packages run on.

`python -m tests.baseline -m pytest tests/kernels` runs Python so (`make test-all PARTS=baseline`).
"""

import multiprocessing
import os
import platform
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager

import numpy as np

NUMBA = {
    "NUMBA_CPU_NAME": "x86-64",
    "NUMBA_CPU_FEATURES": "+64bit,+cmov,+cx8,+fxsr,+mmx,+sse,+sse2",
    "NUMBA_DISABLE_INTEL_SVML": "1",
}
OPENBLAS = {"OPENBLAS_CORETYPE": "Prescott", "OPENBLAS_NUM_THREADS": "1"}  # numpy's and scipy's
ARROW = {"ARROW_USER_SIMD_LEVEL": "NONE"}
C_LIBRARY = {
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX,-AVX2"
}  # by which libm chooses exp, log, pow
UNSET = ("NUMBA_", "OPENBLAS_", "GOTO_", "OMP_", "MKL_", "BLIS_", "NPY_")  # of the environment at hand


def supported() -> bool:
    """Whether there is a baseline here: the packages' wheels for Linux on x86-64."""
    return sys.platform == "linux" and platform.machine() == "x86_64" and bool(platform.libc_ver()[0])


def variables() -> dict[str, str]:
    """The environment of such a process, but for what is unset.

    numpy is asked which instructions it chooses among: it refuses names of those that it cannot do without.
    """
    chosen = np.show_config(mode="dicts")["SIMD Extensions"]
    optional = [*chosen.get("found", []), *chosen.get("not found", [])]
    return {**NUMBA, **OPENBLAS, **ARROW, **C_LIBRARY, "NPY_DISABLE_CPU_FEATURES": " ".join(optional)}


def environment() -> dict[str, str]:
    """The whole environment of such a process: that at hand, less what would change numbers."""
    kept = {"NUMBA_CACHE_DIR"}
    own = {name: value for name, value in os.environ.items() if name in kept or not name.startswith(UNSET)}
    return own | variables()


def is_here() -> bool:
    """Whether this process is one."""
    return all(os.environ.get(name) == value for name, value in variables().items())


@contextmanager
def process() -> Iterator[ProcessPoolExecutor]:
    """A child that is one and calls functions: `with process() as child: child.submit(f, x).result()`."""
    before = dict(os.environ)
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as child:
        os.environ.clear()
        os.environ.update(environment())
        try:
            assert child.submit(is_here).result()
        finally:
            os.environ.clear()
            os.environ.update(before)
        yield child


def main(words: list[str]) -> None:
    """Become Python with these words, as such a process."""
    if not supported():
        sys.exit("the baseline needs Linux on x86-64")
    os.execve(sys.executable, [sys.executable, *words], environment())


if __name__ == "__main__":
    main(sys.argv[1:])
