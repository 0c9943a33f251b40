"""Scratch memory: all kernels of a runtime share it, for all signatures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from lite.ir.types import Array, Place
from lite.plugin.kernel import KernelFunction, PrepareContext, Scratch, kernel, unregister
from lite.runtime.observe.memory_use import memory_use
from tests.lite.runtime.run_text import runtime_of

TARGET = "scratched"
TEXT = """
graph main(%x: float32[n]) {
  %a = relu(X=%x) : float32[n]
  %b = relu(X=%a) : float32[n]
  %c = exp(X=%b) : float32[n]
  return %c
}
"""


@contextmanager
def relu_through_scratch() -> Iterator[list[tuple[Scratch, Scratch]]]:
    """While entered, relu of a target uses two scratch arrays; yields those of each prepared kernel."""
    requested: list[tuple[Scratch, Scratch]] = []

    def prepare(ctx: PrepareContext) -> KernelFunction:
        shape = [int(dim) for dim in ctx.inputs["X"][0].dims]
        low, high = ctx.scratch(shape), ctx.scratch((2, *shape))
        requested.append((low, high))

        def run(X: Array, *, out: Array) -> Array:
            low.array.fill(0)
            high.array[:] = X
            np.maximum(low.array, high.array[1], out=out)
            return out

        return run

    @kernel("relu", TARGET, prepare=prepare)
    def relu(X: Array, *, out: Array | None = None) -> Array:
        return np.maximum(X, 0, out=out)

    try:
        yield requested
    finally:
        unregister("relu", Place(TARGET))


def test_kernels_and_signatures_share_one_scratch_memory() -> None:
    with relu_through_scratch() as requested:
        runtime = runtime_of(TEXT, target=TARGET)
        for size in (16, 1000, 20, 16):
            x = np.linspace(-1, 1, size, dtype=np.float32)
            [result] = runtime.run([x])[0]
            np.testing.assert_allclose(result, np.exp(np.maximum(x, 0)), rtol=1e-6)
    # Two kernels for each of three sizes; the fourth run reuses a bound segment.
    assert [low.shape for low, _ in requested] == [(16,)] * 2 + [(1000,)] * 2 + [(20,)] * 2
    addresses = {low.array.ctypes.data for low, _ in requested}
    assert len(addresses) == 1
    assert not any(np.may_share_memory(low.array, high.array) for low, high in requested)
    assert runtime.scratch_bytes == 4032 + 8000
    assert memory_use([runtime]).scratch == runtime.scratch_bytes


def test_no_scratch_memory_is_allocated_without_requests() -> None:
    runtime = runtime_of(TEXT)
    runtime.run([np.zeros(3, np.float32)])
    assert runtime.scratch_bytes == 0
    assert memory_use([runtime]).scratch == 0
