"""The parts of the audit: each has kinds of faults, which can be tried by number."""

import random
from abc import ABC, abstractmethod
from functools import cached_property
from pathlib import Path

from audit.compare import Comparison
from audit.materials import Materials
from audit.results import Decision
from audit.work import Works


class Part(ABC):
    """Faults of one sort. A try depends on its kind and on what it draws, so that it can be repeated."""

    name: str
    weight = 1.0  # its share of the time
    sample = 20  # tries in a sample

    def __init__(self, materials: Materials) -> None:
        self.materials = materials

    @cached_property
    def works(self) -> Works:
        """The programs that the part disturbs."""
        return Works(self.materials)

    @cached_property
    def comparison(self) -> Comparison:
        """Judges what commands say of altered files."""
        return Comparison(self.materials)

    @abstractmethod
    def kinds(self) -> tuple[str, ...]:
        """The kinds of faults."""

    def size(self, kind: str) -> int | None:
        """How many different tries a kind has; None if they are drawn without end."""
        return None

    @abstractmethod
    def attempt(self, kind: str, number: int, draw: random.Random, place: Path) -> Decision:
        """Make a try in a folder of its own, which does not exist yet and is removed afterwards."""
