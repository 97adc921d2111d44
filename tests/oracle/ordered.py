"""A sparse table in plain lists: each column a list of cells [key, count, inside] in its order."""

import numpy as np

from stickbreaker.core.edits import Dissolve, Drop, Grow, Merge, Permute, Reorder, Split


class Lists:
    """Counts by key and column; every change is written out cell by cell."""

    def __init__(self, keys, n_columns):
        self.keys = list(keys)
        self.columns = [[] for _ in range(n_columns)]

    def dense(self):
        """Counts (keys × columns)."""
        out = np.zeros((len(self.keys), len(self.columns)))
        for k, column in enumerate(self.columns):
            for key, count, _ in column:
                out[self.keys.index(key), k] += count
        return out

    def blend(self, cells, keep, add):
        """counts ← keep · counts + add · cells, {(position, column): value}."""
        for column in self.columns:
            for cell in column:
                cell[1] *= keep
        for k, column in enumerate(self.columns):
            known, new = {cell[0]: cell for cell in column}, []
            for (position, of), value in cells.items():
                key = self.keys[position]
                if of != k or value == 0.0:
                    continue
                if key in known:
                    known[key][1] += add * value
                    known[key][2] = True
                elif add != 0.0:
                    new.append((-add * value, position))
            for value, position in sorted(new):
                column.append([self.keys[position], -value, True])

    def change(self, change, axis):
        if isinstance(change, Reorder):
            self._reorder(change)
        elif axis == "words":
            self._change_rows(change)
        else:
            self._change_columns(change)

    def _reorder(self, change):
        for k, order in enumerate(change.orders):
            cells = {cell[0]: cell for cell in self.columns[k]}
            kept = []
            for place, position in enumerate(order.tolist()):
                cell = cells.get(self.keys[position], [self.keys[position], 0.0])  # a new one of zero
                kept.append([*cell[:2], place < change.inside[k]])
            self.columns[k] = kept

    def _change_rows(self, change):
        match change:
            case Grow(keys=keys):
                self.keys += keys
            case Permute(order=order):
                self.keys = [self.keys[i] for i in order]
            case Drop(positions=positions):
                gone = {self.keys[i] for i in positions}
                self.keys = [key for key in self.keys if key not in gone]
                self.columns = [[cell for cell in column if cell[0] not in gone] for column in self.columns]
            case Merge(into=into, source=source):
                target, name = self.keys[into], self.keys.pop(source)
                for k, column in enumerate(self.columns):
                    moved = [[target, *cell[1:]] for cell in column if cell[0] == name]
                    self.columns[k] = joined([cell for cell in column if cell[0] != name], moved)

    def _change_columns(self, change):
        columns = self.columns
        match change:
            case Grow(number=number):
                columns += [[] for _ in range(number)]
            case Permute(order=order):
                self.columns = [columns[i] for i in order]
            case Drop(positions=positions):
                self.columns = [column for i, column in enumerate(columns) if i not in positions]
            case Merge(into=into, source=source):
                columns[into] = joined(columns[into], columns[source])
                del columns[source]
            case Split(source=source):
                moved = self._shared(change, source, 0)
                rest = [[key, count - moved[key], inside] for key, count, inside in columns[source]]
                new = [[key, moved[key], inside] for key, _, inside in columns[source]]
                columns[source] = [cell for cell in rest if cell[1] != 0.0]
                columns.append([cell for cell in new if cell[1] != 0.0])
            case Dissolve(source=source, into=into):
                for place, target in enumerate(into):
                    given = self._shared(change, source, place)
                    cells = [[key, given[key], inside] for key, _, inside in columns[source] if given[key]]
                    columns[target] = joined(columns[target], cells)
                del columns[source]

    def _shared(self, change, source, place):
        """What each key of the source gives to a target."""
        given = {}
        for key, count, _ in self.columns[source]:
            share = change.share if isinstance(change, Split) else change.shares[place]
            if "words" in change.along:
                along = change.along["words"][self.keys.index(key)]
                share = along if isinstance(change, Split) else along[place]
            given[key] = count * share
        return given


def joined(first, second):
    """Cells of one column and then those of another; a key that both have stands where it stood first."""
    cells = {key: [key, count, inside] for key, count, inside in first}
    for key, count, inside in second:
        if key in cells:
            cells[key][1] += count
            cells[key][2] = cells[key][2] or inside
        else:
            cells[key] = [key, count, inside]
    return list(cells.values())
