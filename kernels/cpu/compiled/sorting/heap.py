"""Heaps of box numbers, best score first: only as many boxes are sorted as are taken out."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit.decorators import inner


@inner
def _is_before(scores: Any, start: int, a: int, b: int) -> Any:
    """Whether box `a` comes before box `b`: by falling score, NaN last, and of equal ones the first."""
    first, second = scores[start + a], scores[start + b]
    if first == second or (first != first and second != second):
        return a < b
    return first > second or second != second


@inner
def _sift(scores: Any, heap: Any, start: int, size: int, place: int) -> None:
    """Move the element at `place` of a heap down, below those that come before it."""
    moved = heap[start + place]
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and _is_before(scores, start, heap[start + child + 1], heap[start + child]):
            child += 1
        if not _is_before(scores, start, heap[start + child], moved):
            break
        heap[start + place] = heap[start + child]
        place = child
    heap[start + place] = moved


@inner
def make_heap(scores: Any, heap: Any, start: int, size: int) -> None:
    """Order `size` box numbers at ``heap[start]`` as a heap; the score of box n is ``scores[start + n]``."""
    for place in range(size // 2 - 1, -1, -1):
        _sift(scores, heap, start, size, place)


@inner
def take_best(scores: Any, heap: Any, start: int, size: int) -> Any:
    """Take the best box out of a heap of `size` ones; ``size - 1`` are left."""
    best = heap[start]
    heap[start] = heap[start + size - 1]
    _sift(scores, heap, start, size - 1, 0)
    return best


@inner
def put_back(scores: Any, heap: Any, start: int, size: int) -> None:
    """Restore the order of a heap whose first box has got a lower score."""
    _sift(scores, heap, start, size, 0)
