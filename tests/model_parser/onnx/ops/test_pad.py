"""Pad in all modes against numpy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import model_of, run, same

IMAGE = np.arange(24, dtype=np.float32).reshape(1, 2, 3, 4)


def padded(x: Array, pads: list[int], mode: str, value: float, axes: list[int]) -> Array:
    widths = [(0, 0)] * x.ndim
    for n, axis in enumerate(axes):
        widths[axis] = (pads[n], pads[n + len(axes)])
    more: dict[str, Any] = {"constant_values": value} if mode == "constant" else {}
    return np.pad(x, widths, mode, **more)  # type: ignore[no-any-return, call-overload]


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge", "wrap"])
@pytest.mark.parametrize(
    ("pads", "axes"),
    [
        ([0, 0, 1, 2, 0, 0, 2, 1], None),
        ([0, 1, 1, 0, 0, 1, 0, 2], None),
        ([1, 2], [-1]),
        ([1, 0, 2, 1], [3, 2]),
    ],
)
def test_modes(pads: list[int], axes: list[int] | None, mode: str) -> None:
    inputs = [IMAGE, np.array(pads), np.array(2.5, np.float32), None if axes is None else np.array(axes)]
    wanted = padded(IMAGE, pads, mode, 2.5, axes or [0, 1, 2, 3])
    fed = {f"x{n}": array for n, array in enumerate(inputs) if array is not None}

    for constants, symbolic in itertools.product([(), (1, 2, 3), (1,)], [False, True]):
        model = model_of("Pad", inputs, {"mode": mode}, constants=constants, symbolic=symbolic)
        same([run(model, fed)["y0"]], [wanted])


def test_negative_pads_cut() -> None:
    x = np.arange(5, dtype=np.int64)
    model = model_of("Pad", [x, np.array([-1, 2]), np.array(7)], constants=[1, 2])

    same([run(model, {"x0": x})["y0"]], [np.array([1, 2, 3, 4, 7, 7])])


@pytest.mark.parametrize("x", [IMAGE, IMAGE[0, 0]])
def test_attributes_of_opset_2(x: Array) -> None:
    pads = [0, 0, 1, 1, 0, 0, 0, 2] if x.ndim == 4 else [1, 1, 0, 2]
    model = model_of("Pad", [x], {"pads": pads, "value": 3.0}, opset=10)

    same([run(model, {"x0": x})["y0"]], [padded(x, pads, "constant", 3.0, list(range(x.ndim)))])


def test_unknown_mode() -> None:
    model = model_of("Pad", [IMAGE, np.array([0] * 8)], {"mode": "mirror"}, constants=[1])

    with pytest.raises(ModelParseError, match="mode: expected constant, reflect, edge or wrap, got 'mirror'"):
        run(model, {"x0": IMAGE})
