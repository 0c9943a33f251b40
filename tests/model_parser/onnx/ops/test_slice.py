"""Slice, Concat, Split, Pad and CenterCropPad."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import onnx
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import check_against_reference, check_equal, model_of, run

X = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
LIMITS = np.iinfo(np.int64)
ROWS = np.arange(14, dtype=np.float32).reshape(7, 2)
IMAGE = np.arange(24, dtype=np.float32).reshape(1, 2, 3, 4)


def integers(numbers: list[int] | None) -> np.ndarray | None:
    return None if numbers is None else np.array(numbers, np.int64)


@pytest.mark.parametrize(
    ("starts", "ends", "axes", "steps"),
    [
        ([1], [3], None, None),
        ([1, 0], [3, LIMITS.max], [1, 2], None),
        ([-3], [-1], [-1], None),
        ([0, 4], [3, 0], [0, 2], [2, -2]),
        ([4], [-1], [2], [-1]),
        ([-1], [LIMITS.min], [2], [-1]),
        ([20], [-20], [1], [-3]),
        ([2], [1], [0], None),
    ],
)
def test_slice_with_constant_and_computed_bounds(
    starts: list[int], ends: list[int], axes: list[int] | None, steps: list[int] | None
) -> None:
    inputs = [X, integers(starts), integers(ends), integers(axes), integers(steps)]

    check_against_reference("Slice", inputs, constants=[1, 2, 3, 4])
    check_against_reference("Slice", inputs, constants=[3, 4])
    check_against_reference("Slice", inputs, constants=[1, 3])


def test_slice_of_opset_9() -> None:
    attrs = {"starts": [0, 1], "ends": [2, 1000], "axes": [0, 2]}

    check_equal([run(model_of("Slice", [X], attrs, opset=9), {"x0": X})["y0"]], [X[:2, :, 1:]])


def test_more_bounds_than_an_array_has_axes_are_refused() -> None:
    """The file declares their number: nothing of that size may be made."""
    model = onnx.helper.make_model(
        onnx.helper.make_graph(
            [onnx.helper.make_node("Slice", ["x", "starts", "ends"], ["y"])],
            "g",
            [
                onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2]),
                *(
                    onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT64, [1 << 40])
                    for name in ("starts", "ends")
                ),
            ],
            [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)],
        )
    )
    with pytest.raises(ModelParseError, match=r"starts: expected at most 64 numbers, .* got 1099511627776"):
        run(model, {})


def test_slice_without_ends_is_refused() -> None:
    with pytest.raises(ModelParseError, match=r"node \(Slice\): starts and ends are required"):
        run(model_of("Slice", [X, integers([0])], constants=[1]), {"x0": X})


@pytest.mark.parametrize("axis", [0, -1])
def test_concat_equals_the_reference(axis: int) -> None:
    check_against_reference("Concat", [ROWS, ROWS + 1, ROWS + 2], {"axis": axis})


def test_concat_without_an_axis_is_refused() -> None:
    with pytest.raises(ModelParseError, match=r"node \(Concat\): attribute axis is missing"):
        run(model_of("Concat", [ROWS, ROWS]), {"x0": ROWS, "x1": ROWS})


def test_split_with_sizes_as_input() -> None:
    check_against_reference("Split", [ROWS, np.array([2, 0, 5])], {"axis": 0}, outputs=3, constants=[1])


@pytest.mark.parametrize(
    ("attrs", "opset", "sizes"),
    [
        ({"split": [3, 4]}, 11, [3, 4]),
        ({"num_outputs": 2}, 18, [4, 3]),
        ({"num_outputs": 3}, 18, [3, 3, 1]),
        ({"num_outputs": 7}, 18, [1] * 7),
        ({"num_outputs": 3, "axis": -2}, 18, [3, 3, 1]),
    ],
)
@pytest.mark.parametrize("symbolic", [False, True])
def test_split_into_equal_and_unequal_parts(
    attrs: dict[str, Any], opset: int, sizes: list[int], symbolic: bool
) -> None:
    model = model_of("Split", [ROWS], attrs, opset=opset, outputs=len(sizes), symbolic=symbolic)

    check_equal(list(run(model, {"x0": ROWS}).values()), np.split(ROWS, np.cumsum(sizes)[:-1]))


def test_split_of_opset_13() -> None:
    model = model_of("Split", [ROWS], {"axis": 1}, opset=13, outputs=2)

    check_equal(list(run(model, {"x0": ROWS}).values()), [ROWS[:, :1], ROWS[:, 1:]])


def test_split_with_a_wrong_number_of_sizes_is_refused() -> None:
    model = model_of("Split", [ROWS, np.array([3, 4])], outputs=3, constants=[1])

    with pytest.raises(ModelParseError, match=r"split: expected 3 sizes, one for each output, got \[3, 4\]"):
        run(model, {"x0": ROWS})


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
def test_pad_in_every_mode(pads: list[int], axes: list[int] | None, mode: str) -> None:
    inputs = [IMAGE, np.array(pads), np.array(2.5, np.float32), None if axes is None else np.array(axes)]
    expected = padded(IMAGE, pads, mode, 2.5, axes or [0, 1, 2, 3])
    feeds = {f"x{n}": array for n, array in enumerate(inputs) if array is not None}

    for constants, symbolic in itertools.product([(), (1, 2, 3), (1,)], [False, True]):
        model = model_of("Pad", inputs, {"mode": mode}, constants=constants, symbolic=symbolic)
        check_equal([run(model, feeds)["y0"]], [expected])


def test_negative_pads_crop() -> None:
    x = np.arange(5, dtype=np.int64)
    model = model_of("Pad", [x, np.array([-1, 2]), np.array(7)], constants=[1, 2])

    check_equal([run(model, {"x0": x})["y0"]], [np.array([1, 2, 3, 4, 7, 7])])


@pytest.mark.parametrize("x", [IMAGE, IMAGE[0, 0]])
def test_pad_of_opset_10(x: Array) -> None:
    pads = [0, 0, 1, 1, 0, 0, 0, 2] if x.ndim == 4 else [1, 1, 0, 2]
    model = model_of("Pad", [x], {"pads": pads, "value": 3.0}, opset=10)

    check_equal([run(model, {"x0": x})["y0"]], [padded(x, pads, "constant", 3.0, list(range(x.ndim)))])


def test_an_unknown_mode_of_pad_is_refused() -> None:
    model = model_of("Pad", [IMAGE, np.array([0] * 8)], {"mode": "mirror"}, constants=[1])

    with pytest.raises(ModelParseError, match="mode: expected constant, reflect, edge or wrap, got 'mirror'"):
        run(model, {"x0": IMAGE})


@pytest.mark.parametrize(
    ("shape", "attrs"), [([3, 7], {}), ([2], {"axes": [-1]})], ids=["all axes", "last axis"]
)
def test_center_crop_pad_equals_the_reference(shape: list[int], attrs: dict[str, Any]) -> None:
    x = np.random.default_rng(0).standard_normal((5, 4)).astype(np.float32)

    check_against_reference("CenterCropPad", [x, np.array(shape)], attrs)
