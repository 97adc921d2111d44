"""What golden runs are held against."""

import os
from typing import Any

import pytest
from tests import baseline
from tests.golden.runs import numerics, record

REQUIRED = (
    os.environ.get("STICKBREAKER_GOLDEN") == "required"
)  # as in CI: what cannot be compared is a failure


def digests_recorded() -> dict[str, Any]:
    """The digests of all runs for the packages at hand. Without any the test is skipped, or fails in CI."""
    if not baseline.supported():
        return _none("golden runs need Linux on x86-64")
    known = record()
    if numerics() not in known:
        others = "; ".join(sorted(known))
        return _none(
            f"NUMBERS ARE NOT COMPARED: no digests are recorded for {numerics()}, but for {others}: install "
            "tests/golden/packages.txt, or run make golden on a commit whose numbers are right"
        )
    return known[numerics()]


def _none(reason: str) -> Any:
    (pytest.fail if REQUIRED else pytest.skip)(reason)
