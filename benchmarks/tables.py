"""Rows that compare ours with a peer, or a figure of ours with an aim."""

from benchmarks.harness import Row, four_digits

COMPARISONS = ("what", "K", "ours", "theirs", "ratio", "note")
CLAIMS = ("what", "wanted", "measured", "met")


def rate(what: str, topics: int, ours: float, theirs: float, note: str = "") -> Row:
    """A comparison in which more is better: tokens per second and the like."""
    return _compared(what, topics, f"{four_digits(ours)}/s", f"{four_digits(theirs)}/s", ours / theirs, note)


def seconds(what: str, topics: int, ours: float, theirs: float, note: str = "") -> Row:
    """A comparison in which less is better."""
    return _compared(what, topics, f"{ours:.3g} s", f"{theirs:.3g} s", theirs / ours, note)


def alone(what: str, topics: int, ours: str, note: str = "") -> Row:
    """A figure of ours without one of a peer."""
    return {"what": what, "K": topics, "ours": ours, "ratio": None, "note": note}


def nothing(what: str, topics: int, reason: str) -> Row:
    """A comparison that could not be made, and the reason."""
    return {"what": what, "K": topics, "ratio": None, "note": f"not made: {reason}"}


def failure(what: str, topics: int, ours: Row, theirs: Row) -> Row | None:
    """A row that says which of two results is an error, or None."""
    for side, result in (("ours", ours), ("theirs", theirs)):
        if "error" in result:
            return nothing(what, topics, f"{side} did not run ({result['error'][:80]})")
    return None


def to_score(
    what: str, topics: int, ours: Row, theirs: Row, step: int | None = None, start_off: bool = False
) -> Row:
    """CPU seconds until ours reaches a score of the peer: after its step `step`, or its best score (`step`
    None).

    Ours is taken at the first point at or above it, so up to one interval of points too late. `start_off`
    subtracts the seconds of the peer's first point: what it needs before it learns anything.
    """
    if failed := failure(what, topics, ours, theirs):
        return failed
    points = theirs["points"]
    if step is None:
        target = max(points, key=lambda point: point["score"])
    else:
        target = next(point for point in points if point["step"] == step)
    note = f"to {target['score']:.3f} (theirs, step {target['step']})"
    start = points[0]["cpu_s"] if start_off else 0.0
    needed = max(target["cpu_s"] - start, 1e-9)
    if start_off:
        note += f", its first {start:.3g} s, one sweep and the start of Java, not counted"
    reached = next((point for point in ours["points"] if point["score"] >= target["score"]), None)
    if reached is None:
        best = max(ours["points"], key=lambda point: point["score"])
        note += f"; ours got to {best['score']:.3f} in {best['cpu_s']:.3g} s and no further"
        return {
            "what": what, "K": topics, "ours": "not reached", "theirs": f"{needed:.3g} s",
            "ratio": "ours loses", "note": note,
        }  # fmt: skip
    return seconds(what, topics, reached["cpu_s"], needed, f"{note}; ours at step {reached['step']}")


def _compared(what: str, topics: int, ours: str, theirs: str, ratio: float, note: str) -> Row:
    shown = f"{ratio:.2f}×" + ("" if ratio >= 1 else ", ours loses")
    return {"what": what, "K": topics, "ours": ours, "theirs": theirs, "ratio": shown, "note": note}


def at_least(what: str, wanted: float, measured: float) -> Row:
    """A claim in which more is better."""
    return _claim(what, f"at least {wanted:,g}", measured, measured >= wanted)


def at_most(what: str, wanted: float, measured: float) -> Row:
    """A claim in which less is better."""
    return _claim(what, f"at most {wanted:,.4g}", measured, measured <= wanted)


def _claim(what: str, wanted: str, measured: float, met: bool) -> Row:
    return {"what": what, "wanted": wanted, "measured": f"{measured:,.4g}", "met": met}
