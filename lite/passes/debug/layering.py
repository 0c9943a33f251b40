"""Which layer each vertex of a layered drawing stands on, counted from the top."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass
class Link:
    """An edge between vertices (by number) that spans at least `length` layers.

    `back` marks one that was turned round because it closes a cycle.
    """

    source: int
    target: int
    length: int = 1
    back: bool = False


def break_cycles(count: int, links: Sequence[Link]) -> list[int]:
    """Turn links round until there is no cycle; the vertices in an order in which all links go forward.

    Where every vertex left has a link into it, the one with the smallest number goes first.
    """
    leaving: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for link in links:
        leaving[link.source].append(link.target)
        waiting[link.target] += 1
    ready = [vertex for vertex in range(count) if not waiting[vertex]]
    placed = [False] * count
    order: list[int] = []
    next_stuck = 0
    while len(order) < count:
        if ready:
            vertex = heapq.heappop(ready)
        else:
            next_stuck = next(each for each in range(next_stuck, count) if not placed[each])
            vertex = next_stuck
        if placed[vertex]:
            continue
        placed[vertex] = True
        order.append(vertex)
        for target in leaving[vertex]:
            waiting[target] -= 1
            if not waiting[target] and not placed[target]:
                heapq.heappush(ready, target)
    place = {vertex: number for number, vertex in enumerate(order)}
    for link in links:
        if place[link.source] > place[link.target]:
            link.source, link.target, link.back = link.target, link.source, True
    return order


def assign_layers(order: Sequence[int], links: Sequence[Link], roots: Collection[int]) -> list[int]:
    """The layer of each vertex: as high as its links allow if a root leads to it, else as low.

    `order` is what `break_cycles` gave.  What no root leads to are constants and what is made of
    them; they go near the vertices that need them, and so do roots.
    """
    leaving: list[list[Link]] = [[] for _ in order]
    entering: list[list[Link]] = [[] for _ in order]
    for link in links:
        leaving[link.source].append(link)
        entering[link.target].append(link)
    layers = [0] * len(order)
    rooted = set(roots)
    for vertex in order:
        for link in leaving[vertex]:
            layers[link.target] = max(layers[link.target], layers[vertex] + link.length)
            if vertex in rooted:
                rooted.add(link.target)
    for vertex in reversed(order):
        if vertex in rooted and entering[vertex]:
            continue
        onward = [link for link in leaving[vertex] if leaving[link.target] or link.target in rooted]
        lows = [layers[link.target] - link.length for link in onward or leaving[vertex]]
        layers[vertex] = min(lows, default=layers[vertex])
    for vertex in order:
        if not leaving[vertex] and vertex not in rooted:
            highs = [layers[link.source] + link.length for link in entering[vertex]]
            layers[vertex] = max(highs, default=layers[vertex])
    return layers
