"""How long values of a plan are needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from lite.plan.plan import Instruction, ValueInfo


def with_lifetimes(
    items: Sequence[Instruction], infos: Sequence[ValueInfo], roots: Sequence[int], results: Sequence[int]
) -> list[ValueInfo]:
    """The values as the instructions write and read them; one that others lie in lives as long as they.

    `roots` says for each value in which one it lies, `results` stay to the end.
    """
    first = [-1] * len(infos)
    for position, item in enumerate(items):
        for index in every_index(item.outputs):
            first[index] = position
    last = list(first)
    for position, item in enumerate(items):
        for index in every_index(item.inputs):
            last[index] = position
    for index in results:
        last[index] = len(items)
    for index, root in enumerate(roots):
        last[root] = max(last[root], last[index])
    return [replace(info, first=first[n], last=last[n], root=roots[n]) for n, info in enumerate(infos)]


def every_index(slots: Mapping[str, Sequence[int]]) -> Iterator[int]:
    """The values of all slots."""
    return (index for indices in slots.values() for index in indices)
