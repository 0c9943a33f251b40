"""Jobs done in pieces of odd sizes, whatever their cost, as several threads would do them."""

from __future__ import annotations

import itertools

import pytest

from lite.kernels.cpu.native import function
from lite.kernels.cpu.native.words import NativeFunction


class _OddCrew:
    """One worker that does the last piece first, in the rooms of several."""

    threads = 2

    def run(self, address: int, words: int, count: int, grain: int) -> None:
        grains = count // grain
        edges = [grain * part for part in (0, grains // 7, grains // 3, grains - grains // 5)] + [count]
        for n, (begin, end) in enumerate(reversed(list(itertools.pairwise(edges)))):
            NativeFunction(address)(words, n % 2, begin, end)


def split_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all jobs be done so; kernels must be prepared for two threads."""
    monkeypatch.setattr(function, "current_crew", lambda _: _OddCrew())
