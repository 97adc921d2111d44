"""The graph of a grammar's symbols: strongly connected components, in time linear in the rules."""

from collections.abc import Iterable, Mapping


def components(below: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The strongly connected components of a graph of symbols (Tarjan 1972).

    Each comes after those that it leads to. below: for each symbol, the symbols that it leads to, all of
    which are keys.

    >>> components({"S": ["W", "S"], "W": ["L"], "L": ["W"], "X": []})
    [['W', 'L'], ['S'], ['X']]
    """
    found: list[list[str]] = []
    reached: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    on_path: set[str] = set()
    for root in below:
        if root in reached:
            continue
        work = [(root, iter(below[root]))]
        reached[root] = low[root] = len(reached)
        path.append(root)
        on_path.add(root)
        while work:
            symbol, leads = work[-1]
            child = next(leads, None)
            if child is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[symbol])
                if low[symbol] == reached[symbol]:
                    found.append(_taken(path, symbol))
                    on_path.difference_update(found[-1])
            elif child not in reached:
                reached[child] = low[child] = len(reached)
                path.append(child)
                on_path.add(child)
                work.append((child, iter(below[child])))
            elif child in on_path:
                low[symbol] = min(low[symbol], reached[child])
    return found


def _taken(path: list[str], symbol: str) -> list[str]:
    """Cut a path before `symbol`: removes and returns the end that begins with it."""
    found: list[str] = []
    while not found or found[-1] != symbol:
        found.append(path.pop())
    return found[::-1]
