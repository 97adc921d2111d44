"""The last statistics of each minibatch, for schedules that subtract them when it is read again."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stickbreaker.core.edits import Edit, apply_to_stats
from stickbreaker.core.records import AnyArray, Array, Rows, Stats, no_rows
from stickbreaker.core.serialize import Arrays, flat_stats, refuse_other_rows, refuse_other_sizes, stats_from
from stickbreaker.core.untrusted import refuse_negative

PREFIX = "kept/"  # begins the names of arrays in a snapshot


class MemoizedReports:
    """The last report (statistics) of each minibatch, by the minibatch's number.

    Rows are in single precision, so that adding them in double precision, and subtracting, is exact.
    """

    def __init__(self) -> None:
        self.reports: dict[int, Stats] = {}

    def replace(self, number: int, stats: Stats) -> tuple[Stats, Rows | None]:
        """Store the report of minibatch `number`.

        Returns it as it is stored, and the rows of the report that it replaces (None if there was none).
        """
        kept = replace(stats, rows=single(stats.rows.rows()), new_rows={})
        last = self.reports.get(number)
        self.reports[number] = kept
        return kept, None if last is None else last.rows.rows()

    def known(self, shape: tuple[int, ...]) -> Stats:
        """The sum of all reports, without rows, and with only those trials that every report has (with rows).

        shape: of the table (rows × columns).
        """
        from stickbreaker.engines.stats_sum import Sum  # imports numba, which reading a model does not need

        total = Sum(shape)
        reports = [self.reports[number] for number in sorted(self.reports)]
        tried = tried_by_all(reports)
        for report in reports:
            trial = {name: report.trial[name] for name in tried}
            total.add(replace(report, rows=no_rows(shape[1]), trial=trial))
        return total.stats()

    def edit(self, edit: Edit, row_axis: str, column_axis: str, n_rows: int) -> None:
        """Apply an edit of the table to all reports. n_rows: of the table before the edit."""
        for number, report in self.reports.items():
            after = apply_to_stats(edit, report, row_axis, column_axis, n_rows)
            self.reports[number] = replace(after, rows=single(after.rows.rows()))

    def table(self, shape: tuple[int, ...]) -> Array:
        """The sum of the reports' rows, as a table (rows × columns)."""
        total = np.zeros(shape)
        for number in sorted(self.reports):
            rows = self.reports[number].rows.rows()
            total[rows.positions] += rows.values
        return total

    def snapshot(self) -> dict[str, AnyArray]:
        """Arrays from which `restore` rebuilds the same reports."""
        arrays: dict[str, AnyArray] = {}
        for number, report in self.reports.items():
            arrays |= flat_stats(f"{PREFIX}{number}/", report)
        return arrays

    def refuse_others(self, shape: tuple[int, ...], column_axis: str) -> None:
        """Raise ValueError if reports, after `restore`, do not fit a table of this shape or each other."""
        trials: dict[str, dict[str, tuple[int, ...]]] = {}
        sums = [{name: item.values.shape for name, item in r.usage.items()} for r in self.reports.values()]
        if any(each != sums[0] for each in sums):
            raise ValueError("reports of different sums")
        for report in self.reports.values():
            refuse_other_rows(report, shape)
            refuse_negative(report.rows.rows().values, "counts of reports")
            refuse_other_sizes(report.usage, {column_axis: shape[1]})
            refuse_negative(np.array([report.documents, report.tokens]), "sums of reports")
            for name, trial in report.trial.items():
                sizes = {key: item.values.shape for key, item in trial.usage.items()}
                sizes[""] = trial.rows.rows().values.shape[1:]
                if trials.setdefault(name, sizes) != sizes:
                    raise ValueError(f"reports of {name} of different sizes")

    def restore(self, arrays: Arrays) -> None:
        """Restore the reports that `snapshot` returned."""
        numbers = {int(name.split("/")[1]) for name in arrays if name.startswith(PREFIX)}
        self.reports = {number: stats_from(f"{PREFIX}{number}/", arrays) for number in sorted(numbers)}


def tried_by_all(reports: Sequence[Stats]) -> list[str]:
    """The names of the trials that every report contains, in the order of the first report."""
    first = reports[0].trial if reports else ()
    return [name for name in first if all(name in report.trial for report in reports)]


def single(rows: Rows) -> Rows:
    """The same rows, rounded to single precision."""
    return Rows(rows.positions, rows.values.astype(np.float32))
