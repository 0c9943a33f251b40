"""conv_integer of the target cpu against the host's exact sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.kernels.cpu.bound import bind, bind_unprepared

pytest.importorskip("numba", reason="compiled kernels need the extra jit")

BYTES = (np.uint8, np.int8)


@pytest.mark.parametrize("seed", range(60))
def test_lines_and_images_of_random_windows(seed: int) -> None:
    rng = np.random.default_rng(seed)

    def numbers(low: int, high: int, count: int) -> list[int]:
        return [int(n) for n in rng.integers(low, high, count)]

    axes, groups = int(rng.integers(1, 3)), int(rng.integers(1, 4))
    inputs, outputs = (groups * int(rng.integers(1, most)) for most in (7, 20))
    if rng.random() < 0.2:
        groups, outputs = inputs, inputs * int(rng.integers(1, 3))
    attrs: dict[str, Any] = {
        "group": groups,
        "strides": numbers(1, 4, axes),
        "dilations": numbers(1, 3, axes),
        "auto_pad": ["NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"][rng.integers(0, 5)],
    }
    if attrs["auto_pad"] == "NOTSET":
        attrs["pads"] = numbers(0, 3, 2 * axes)
    kinds = [BYTES[n] for n in rng.integers(0, 2, 2)]
    shapes = {
        "X": (int(rng.integers(1, 3)), inputs, *numbers(6, 20, axes)),
        "Filter": (outputs, inputs // groups, *numbers(1, 4, axes)),
    }
    if rng.random() < 0.7:
        shapes["XZeroPoint"] = ()
    if rng.random() < 0.7:
        shapes["FilterZeroPoint"] = (outputs,) if rng.random() < 0.5 else ()
    given = {
        slot: rng.integers(0, 256, shape, np.uint8).view(kinds[slot.startswith("Filter")])
        for slot, shape in shapes.items()
    }
    bound = bind("conv_integer", given, attrs, [slot for slot in given if rng.random() < 0.5])
    assert bound.is_compiled
    np.testing.assert_array_equal(bound(), bind_unprepared("conv_integer", given, attrs)())


@pytest.mark.parametrize("shape", [(1, 2, 4, 4, 4), (0, 2, 4)])
def test_volumes_and_empty_batches_run_on_the_host(shape: tuple[int, ...]) -> None:
    x, weight = np.ones(shape, np.uint8), np.ones((3, 2, *[1] * (len(shape) - 2)), np.int8)
    bound = bind("conv_integer", {"X": x, "Filter": weight}, {})
    assert not bound.is_compiled
    np.testing.assert_array_equal(bound(), np.full((shape[0], 3, *shape[2:]), 2, np.int32))
