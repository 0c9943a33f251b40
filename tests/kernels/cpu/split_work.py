"""Runs jobs in work items of uneven sizes, whatever their cost, as several threads would."""

from __future__ import annotations

import itertools

import pytest

from lite.kernels.cpu.native import checked_job, job
from lite.kernels.cpu.native.packed_arguments import NativeFunction


class _UnevenPool:
    """One thread that runs the last work item first, with the scratch memory of two workers."""

    threads = 2

    def run(self, address: int, arguments: int, count: int, grain: int) -> None:
        grains = count // grain
        edges = [grain * part for part in (0, grains // 7, grains // 3, grains - grains // 5)] + [count]
        for n, (begin, end) in enumerate(reversed(list(itertools.pairwise(edges)))):
            NativeFunction(address)(arguments, n % 2, begin, end)


def split_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Split all jobs so; kernels must be prepared for two threads."""
    for module in (job, checked_job):
        monkeypatch.setattr(module, "current_pool", lambda _: _UnevenPool())
