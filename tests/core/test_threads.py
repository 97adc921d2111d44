"""Threads of other libraries are held to one while ours work, and given back."""

import numpy as np  # noqa: F401  brings a library with threads
from threadpoolctl import threadpool_info

from stickbreaker.core.threads import one_thread


def numbers():
    return [each["num_threads"] for each in threadpool_info()]


def test_one_inside_another_holds_until_the_last_leaves():
    before = numbers()
    with one_thread():
        with one_thread():
            assert set(numbers()) <= {1}
        assert set(numbers()) <= {1}
    assert numbers() == before


def test_what_is_raised_inside_gives_the_threads_back():
    before = numbers()
    try:
        with one_thread():
            raise ValueError
    except ValueError:
        pass
    assert numbers() == before
