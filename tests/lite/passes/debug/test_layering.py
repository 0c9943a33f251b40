"""Layers of vertices."""

from __future__ import annotations

from lite.passes.debug.layering import Link, assign_layers, break_cycles


def layers(count: int, links: list[Link], roots: tuple[int, ...] = ()) -> list[int]:
    return assign_layers(break_cycles(count, links), links, roots)


def test_longest_paths_count() -> None:
    links = [Link(0, 1), Link(1, 2, length=2), Link(0, 2), Link(2, 3)]
    assert layers(4, links, (0,)) == [0, 1, 3, 4]
    assert not any(link.back for link in links)


def test_constants_go_to_what_reads_them() -> None:
    # 0 → 1 → 2 → 3, and constants 4 (for 3), and 5 with the op 6 on it (for 3).
    links = [Link(0, 1), Link(1, 2), Link(2, 3), Link(4, 3), Link(5, 6), Link(6, 3)]
    assert layers(7, links, (0,)) == [0, 1, 2, 3, 2, 1, 2]


def test_what_nobody_reads_stays_with_what_makes_it() -> None:
    # The constant op 1 is read by 3 and has the unread output 4; the root 0 goes down to its reader.
    links = [Link(0, 3), Link(5, 6), Link(6, 3), Link(1, 3), Link(1, 4)]
    found = layers(7, links, (0, 5))
    assert found[0] == found[1] == found[3] - 1
    assert found[4] == found[1] + 1


def test_cycles_are_broken_at_the_smallest_vertex() -> None:
    links = [Link(0, 1), Link(1, 2), Link(2, 0), Link(2, 3)]
    assert break_cycles(4, links) == [0, 1, 2, 3]
    assert links == [Link(0, 1), Link(1, 2), Link(0, 2, back=True), Link(2, 3)]


def test_nothing() -> None:
    assert layers(0, []) == []
    assert layers(2, []) == [0, 0]
