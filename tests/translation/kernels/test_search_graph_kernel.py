"""Which partial translations continue alike, and the order of the ways to them."""

import numpy as np
import pytest

from stickbreaker.translation.kernels.search_graph import (
    Stacks,
    add_edge,
    close_stack,
    cover,
    is_covered,
    new_graph,
    recombine,
)

pytestmark = pytest.mark.kernels

N = 70  # source words: two numbers of covered words


def enter(graph, slots, place, end, state):
    """A node with one covered word, an end and a state."""
    new = graph.used[0]
    graph.covered[new] = 0
    cover(graph, new, place, place + 1)
    graph.ends[new], graph.states[new] = end, state
    return int(recombine(graph, slots))


def test_nodes_recombine_if_words_end_and_state_are_the_same():
    graph, slots = new_graph(N, 20, 20), np.full(16, -1, np.int64)  # so few slots that nodes meet
    kinds = [(place, end, state) for place in (0, 69) for end in (0, 1, 3) for state in (0, 5)]
    first = [enter(graph, slots, *kind) for kind in kinds]
    assert sorted(first) == list(range(len(kinds)))
    assert [enter(graph, slots, *kind) for kind in kinds] == first
    assert graph.used[0] == len(kinds)
    assert is_covered(graph, first[0], 0)
    assert is_covered(graph, first[-1], 69)
    assert not is_covered(graph, first[-1], 5)


def test_edges_are_sorted_and_equal_ones_in_order():
    graph, slots = new_graph(N, 2, 9), np.full(4, -1, np.int64)
    node = enter(graph, slots, 3, 4, 0)
    for option, total in enumerate([1.0, 3.0, 2.0, 3.0, 0.5]):
        add_edge(graph, node, 0, option, total)
    found, edge = [], graph.best[node]
    while edge >= 0:
        found.append(int(graph.options[edge]))
        edge = graph.following[edge]
    assert found == [1, 3, 2, 0, 4]
    assert graph.scores[node] == 3.0


@pytest.mark.parametrize(("most", "threshold", "chosen"), [(9, np.inf, 6), (4, np.inf, 4), (9, 2.5, 3)])
def test_stacks_have_the_best_nodes_in_groups(most, threshold, chosen):
    graph, slots = new_graph(N, 9, 9), np.full(32, -1, np.int64)
    for state, (place, score) in enumerate([(1, 1.0), (2, 5.0), (1, 4.0), (3, 0.0), (2, 3.0), (1, 2.0)]):
        node = enter(graph, slots, place, 4, state)
        add_edge(graph, node, 0, 0, score)
        graph.futures[node] = 0.0
    stacks = Stacks(np.zeros(9, np.int64), np.zeros(9, np.int64), np.zeros(3, np.int64))
    close_stack(graph, 0, most, threshold, 0, stacks)
    groups = [
        stacks.ranked[begin:end].tolist()
        for begin, end in zip(
            stacks.starts[: stacks.groups[1]], stacks.starts[1 : stacks.groups[1] + 1], strict=True
        )
    ]
    assert groups == {6: [[1, 4], [2, 5, 0], [3]], 4: [[1, 4], [2, 5]], 3: [[1, 4], [2]]}[chosen]
