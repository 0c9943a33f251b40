"""ONNX Runtime's QLinear ops without windows or products, against ONNX Runtime."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import run
from tests.model_parser.onnx.onnxruntime_models import (
    QUANTISED,
    check_against_onnxruntime,
    codes,
    contrib_model,
    feeds_of,
    run_configurations,
    run_onnxruntime,
    scale_and_zero,
)

Dtype = type[np.generic]


def _all_pairs(dtype: Dtype) -> tuple[Array, Array]:
    """Every pair of numbers of the type."""
    limits = np.iinfo(dtype)  # type: ignore[type-var]
    numbers = np.arange(limits.min, limits.max + 1).astype(dtype)
    return numbers.repeat(256).reshape(256, 256), np.tile(numbers, 256).reshape(256, 256)


SCALES = [
    ((0.0173, 3), (0.0291, 7), (0.0331, 5)),
    ((0.1, 11), (0.1, 100), (0.2, 127)),
    ((0.25, 2), (0.5, 3), (0.5, 7)),
    ((0.25, 0), (0.5, 0), (0.5, 0)),
]
"""Scales and zero points of both operands and the result: without halves, then with many halves."""


@pytest.mark.parametrize("dtype", QUANTISED)
@pytest.mark.parametrize("numbers", SCALES)
def test_add_of_all_pairs_of_numbers(dtype: Dtype, numbers: list[tuple[float, int]]) -> None:
    x, y = _all_pairs(dtype)
    a, b, c = (scale_and_zero(*pair, dtype) for pair in numbers)

    check_against_onnxruntime("QLinearAdd", [x, *a, y, *b, *c], constants=[1, 2, 4, 5, 6, 7])
    check_against_onnxruntime("QLinearAdd", [x, *a, y[0], *b, *c])


@pytest.mark.parametrize("dtype", QUANTISED)
@pytest.mark.parametrize("numbers", [SCALES[0], *SCALES[2:]])
def test_mul_of_all_pairs_of_numbers(dtype: Dtype, numbers: list[tuple[float, int]]) -> None:
    x, y = _all_pairs(dtype)
    a, b, c = (scale_and_zero(*pair, dtype) for pair in numbers)

    check_against_onnxruntime("QLinearMul", [x, *a, y, *b, *c], constants=[1, 2, 4, 5, 6, 7])


def test_absent_zero_points_are_0() -> None:
    """ONNX Runtime's type inference refuses them; it gets zeros."""
    x, y = _all_pairs(np.int8)
    a, b, c = (np.array(scale, np.float32) for scale in (0.0173, 0.0291, 0.0331))
    zero = np.array(0, np.int8)
    model = contrib_model("QLinearAdd", [x, a, None, y, b, None, c])
    with_zeros = contrib_model("QLinearAdd", [x, a, zero, y, b, zero, c, zero], constants=[2, 5, 7])
    feeds = feeds_of(model, [x, a, None, y, b, None, c])

    (expected,) = run_onnxruntime(with_zeros, feeds)
    for (result,) in run_configurations(model, feeds):
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("op", ["QLinearAdd", "QLinearMul"])
def test_sums_and_products_near_a_half_may_differ_from_float32(op: str) -> None:
    """ONNX Runtime adds the rounded products of ratios of scales in float32; litebridge rounds once.

    With scales 0.05, 0.02 and 0.06, sums such as 2.5 are exact halves in decimals, but not in float32.  The
    two differ by one, and only where the value before rounding is within 1e-4 of a half.
    """
    x, y = _all_pairs(np.uint8)
    a, b, c = (scale_and_zero(*pair, np.uint8) for pair in ((0.05, 3), (0.02, 7), (0.06, 5)))
    model = contrib_model(op, [x, *a, y, *b, *c])
    feeds = feeds_of(model, [x, *a, y, *b, *c])
    first, second = (array.astype(np.float64) - zero for array, zero in ((x, 3), (y, 7)))
    exact = {
        "QLinearAdd": (first * float(a[0]) + second * float(b[0])) / float(c[0]) + 5,
        "QLinearMul": first * second * float(a[0]) * float(b[0]) / float(c[0]) + 5,
    }[op]

    (expected,) = run_onnxruntime(model, feeds)
    for (result,) in run_configurations(model, feeds):
        differs = result != expected
        assert 0 < differs.sum() < 5000
        assert np.abs(result.astype(int) - expected.astype(int)).max() == 1
        assert np.abs(exact[differs] - np.floor(exact[differs]) - 0.5).max() < 1e-4


@pytest.mark.parametrize("dtype", QUANTISED)
@pytest.mark.parametrize(
    ("op", "attrs"), [("QLinearSigmoid", {}), ("QLinearLeakyRelu", {"alpha": 0.1}), ("QLinearLeakyRelu", {})]
)
@pytest.mark.parametrize("numbers", [((0.05, 3), (0.0039, 5)), ((0.1, 7), (0.2, 8)), ((0.25, 4), (0.5, 7))])
def test_unary_of_all_numbers(
    dtype: Dtype, op: str, attrs: dict[str, float], numbers: list[tuple[float, int]]
) -> None:
    x = _all_pairs(dtype)[1][0]
    source, target = (scale_and_zero(*pair, dtype) for pair in numbers)

    check_against_onnxruntime(op, [x, *source, *target], attrs, constants=[1, 2, 3, 4])


@pytest.mark.parametrize("dtype", QUANTISED)
@pytest.mark.parametrize(("opset", "axis"), [(12, 1), (12, 2), (12, -1), (13, -1), (13, 1)])
@pytest.mark.parametrize("steps", [(1 / 256, 0), (0.0041, 3)])
def test_softmax(dtype: Dtype, opset: int, axis: int, steps: tuple[float, int]) -> None:
    x = codes((2, 3, 11), dtype)
    scale, zero = steps
    low = int(np.iinfo(dtype).min)  # type: ignore[type-var]
    numbers = [*scale_and_zero(0.05, 9, dtype), *scale_and_zero(scale, zero + low, dtype)]

    check_against_onnxruntime(
        "QLinearSoftmax", [x, *numbers], {"opset": opset, "axis": axis}, constants=[1, 2, 3, 4]
    )


def test_softmax_needs_an_opset() -> None:
    inputs = [codes((2, 3), np.uint8), *scale_and_zero(0.05, 9, np.uint8), *scale_and_zero(0.1, 0, np.uint8)]

    with pytest.raises(ModelParseError, match="attribute opset is missing: the meaning of axis depends"):
        run(contrib_model("QLinearSoftmax", inputs), {})


@pytest.mark.parametrize("dtype", QUANTISED)
@pytest.mark.parametrize("axis", [0, -1])
def test_concat_of_tensors_with_different_scales(dtype: Dtype, axis: int) -> None:
    x, y = codes((2, 30), dtype), codes((2, 30), dtype, 1)
    target, first, second = (scale_and_zero(*pair, dtype) for pair in ((0.2, 9), (0.1, 7), (0.07, 2)))

    check_against_onnxruntime("QLinearConcat", [*target, x, *first, y, *second], {"axis": axis})


def test_concat_with_an_incomplete_tensor_is_refused() -> None:
    x = codes((2, 3), np.uint8)
    inputs = [*scale_and_zero(0.1, 0, np.uint8), x, np.array(0.1, np.float32)]

    with pytest.raises(ModelParseError, match="three inputs for each tensor, got 4 inputs"):
        run(contrib_model("QLinearConcat", inputs, {"axis": 0}), {})


@pytest.mark.parametrize("dtype", QUANTISED)
def test_where_broadcasts(dtype: Dtype) -> None:
    x, y = codes((3, 40), dtype), codes((40,), dtype, 1)
    first, second, target = (scale_and_zero(*pair, dtype) for pair in ((0.1, 7), (0.07, 2), (0.2, 8)))

    check_against_onnxruntime("QLinearWhere", [x > 5, x, *first, y, *second, *target])


@pytest.mark.parametrize("dtype", QUANTISED)
@pytest.mark.parametrize("keepdims", [0, 1])
def test_reduce_mean_by_its_formula(dtype: Dtype, keepdims: int) -> None:
    """ONNX Runtime declares the op and has no kernel for it."""
    x = codes((2, 3, 8), dtype)
    source, target = scale_and_zero(0.25, 4, dtype), scale_and_zero(0.5, 7, dtype)
    model = contrib_model(
        "QLinearReduceMean",
        [x, *source, *target],
        {"axes": [2], "keepdims": keepdims},
        constants=[1, 2, 3, 4],
    )
    mean = ((x.astype(np.float64) - 4) * 0.25).mean(2, keepdims=bool(keepdims))
    limits = np.iinfo(dtype)  # type: ignore[type-var]

    for (result,) in run_configurations(model, {"x0": x}):
        np.testing.assert_array_equal(
            result, np.clip(np.rint(mean / 0.5) + 7, limits.min, limits.max).astype(dtype)
        )


def _operands(**changes: Array) -> list[Array]:
    """The inputs of a QLinearSigmoid, some of them replaced by name."""
    names = {"x": codes((4,), np.uint8), "xs": 0.1, "xz": 3, "ys": 0.1, "yz": 5}
    numbers: dict[str, Array] = {
        name: np.array(value, np.float32 if name.endswith("s") else np.uint8) for name, value in names.items()
    }
    return list({**numbers, **changes}.values())


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"xs": np.array(-0.1, np.float32)},
            r"input 1 \('x1'\), a scale: expected finite numbers greater than 0, got -0.1",
        ),
        ({"xs": np.array(np.nan, np.float32)}, "got nan at element 0 of 1; quantise the model again"),
        ({"ys": np.array([0.0], np.float32)}, r"input 3 \('x3'\), a scale: .* got 0 at element 0"),
        ({"ys": np.array(np.inf, np.float32)}, "greater than 0, got inf"),
        ({"xs": np.array([0.1, 0.2], np.float32)}, r"a scale: expected 1 element, got 2"),
        ({"xz": np.array([1, 2], np.uint8)}, r"a zero point: expected 1 element, got 2"),
        (
            {"yz": np.array(1, np.int8)},
            r"input 4 \('x4'\), a zero point: expected uint8, as its data has, got int8; store",
        ),
    ],
)
def test_invalid_scales_and_zero_points_are_refused(changes: dict[str, Array], reason: str) -> None:
    model = contrib_model("QLinearSigmoid", _operands(**changes), constants=[1, 2, 3, 4])

    with pytest.raises(ModelParseError, match=r"node node \(com.microsoft.QLinearSigmoid\): .*" + reason):
        run(model, {})


def test_a_missing_scale_is_refused() -> None:
    inputs = [codes((4,), np.uint8), None, None, np.array(0.1, np.float32)]

    with pytest.raises(ModelParseError, match=r"\(com.microsoft.QLinearSigmoid\): input 1 is missing"):
        run(contrib_model("QLinearSigmoid", inputs), {})
