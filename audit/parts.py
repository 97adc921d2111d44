"""What the parts of the audit are: a table of kinds, each of which can be tried by number."""

import random
from abc import ABC, abstractmethod
from pathlib import Path

from audit.materials import Materials
from audit.results import Decision


class Part(ABC):
    """Faults of one sort. A try depends on its kind and on what it draws, so that it can be repeated."""

    name: str
    weight = 1.0  # its share of the time
    sample = 20  # tries in a sample

    def __init__(self, materials: Materials) -> None:
        self.materials = materials

    @abstractmethod
    def kinds(self) -> tuple[str, ...]:
        """The kinds that there are."""

    def size(self, kind: str) -> int | None:
        """How many different tries a kind has; None where they are drawn without end."""
        return None

    @abstractmethod
    def attempt(self, kind: str, number: int, draw: random.Random, place: Path) -> Decision:
        """Make a try in a folder of its own, which does not exist yet and is removed afterwards."""
