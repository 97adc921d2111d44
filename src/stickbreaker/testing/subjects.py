"""What a law is about, by which a suite that holds many models to the laws can choose."""

from collections.abc import Callable
from typing import Literal, TypeVar

Test = TypeVar("Test", bound=Callable[..., None])
Subject = Literal["inputs", "draws", "long runs"]


def about(subject: Subject) -> Callable[[Test], Test]:
    """Says of a law what it is about, in its attribute `about`.

    "inputs": the form of parameters and documents, which no way of learning changes; a suite may take it for
    some models. "draws": the distribution of hundreds of states, which takes a sampler seconds. "long runs":
    what takes a sampler minutes; a suite may leave it to a run by night.

    >>> @about("inputs")
    ... def test_an_empty_list_is_refused() -> None: ...
    >>> test_an_empty_list_is_refused.about
    'inputs'
    """

    def named(test: Test) -> Test:
        vars(test)["about"] = subject
        return test

    return named
