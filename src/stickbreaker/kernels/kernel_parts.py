"""Functions that kernels call and Python does not."""

from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core.registry import CPUDispatcher


class Part(CPUDispatcher):
    """A compiled function that only other compiled functions can call; from Python it raises TypeError."""

    __slots__ = ()

    def __call__(self, *arguments: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        name = self.py_func.__name__
        raise TypeError(f"{name} is called by kernels only; with NUMBA_DISABLE_JIT=1 Python can call it")


def kernel_part(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Decorate a function as `njit(**options)` does, but only for kernels: Python cannot call it.

    The code by which Python would pass arguments is left out. For functions that take tuples of a hundred
    arrays this code takes a quarter of the time that is spent on compiling them. With NUMBA_DISABLE_JIT=1 the
    function stays as it is, and Python can call it.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        every: dict[str, Any] = {**options, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        made = njit(**every)(function)
        if made is not function:  # with NUMBA_DISABLE_JIT it is the function itself
            made.__class__ = Part
        return made

    return decorate
