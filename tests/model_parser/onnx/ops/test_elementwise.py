"""Elementwise ops against the reference implementation of ONNX."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import (
    check_against_onnxruntime,
    check_against_reference,
    check_equal,
    model_of,
    run,
)

X = np.array([[-3.5, 2.0, 7.25], [1.0, -1.0, 4.0]], np.float32)
ROW = np.array([2.0, -1.5, 4.0], np.float32)
INTS = np.array([[-7, 5, 9], [8, -3, 6]], np.int32)
TRUE = np.array([[True, False, True], [False, False, True]])
ARRAYS = [
    np.array([[1.0, np.nan, 3.0], [4.0, -5.0, 6.0]], np.float32),
    np.array([2.0, 2.0, 2.0], np.float32),
    np.array([[0.0], [9.0]], np.float32),
]
LOW, HIGH = np.array(-1, np.float32), np.array(2.5, np.float32)
LINE = np.array([-3.0, -1.0, 0.5, 7.0], np.float32)
SPECIAL = np.array([1.0, np.nan, np.inf, -np.inf, 0.0], np.float32)
NUMBERS = np.array([[-2.5, 0.0, 1.75], [300.0, 0.1, 100.0]], np.float32)
PAIR = np.array([[1.0, -2.0]], np.float32)


@pytest.mark.parametrize(
    "op",
    [
        "Abs",
        "Asinh",
        "Atan",
        "Ceil",
        "Cos",
        "Erf",
        "Exp",
        "Floor",
        "Neg",
        "Reciprocal",
        "Round",
        "Sign",
        "Tan",
    ],
)
def test_unary_ops_equal_the_reference(op: str) -> None:
    check_against_reference(op, [X])


def test_bitwise_not_equals_the_reference() -> None:
    check_against_reference("BitwiseNot", [np.array([1, -3, 0], np.int16)])


@pytest.mark.parametrize("op", ["Add", "Sub", "Mul", "Div", "Equal", "Greater", "Less"])
@pytest.mark.parametrize(("x", "y"), [(X, ROW), (ROW, X), (INTS, INTS[:1])], ids=["row", "column", "ints"])
def test_arithmetic_broadcasts(op: str, x: np.ndarray, y: np.ndarray) -> None:
    check_against_reference(op, [x, y], constants=[1])


@pytest.mark.parametrize("op", ["GreaterOrEqual", "LessOrEqual"])
def test_comparisons_of_large_integers(op: str) -> None:
    check_against_reference(op, [INTS.astype(np.uint64), np.array([5, 8, 6], np.uint64)])


@pytest.mark.parametrize("op", ["And", "Or", "Xor"])
def test_logic_broadcasts(op: str) -> None:
    check_against_reference(op, [TRUE, TRUE[1]])


@pytest.mark.parametrize("op", ["BitwiseAnd", "BitwiseOr", "BitwiseXor"])
def test_bitwise_ops_broadcast(op: str) -> None:
    check_against_reference(op, [INTS, INTS[0]])


@pytest.mark.parametrize("fmod", [0, 1])
def test_mod_of_integers(fmod: int) -> None:
    check_against_reference("Mod", [INTS, np.array([4, -4, 5], np.int32)], {"fmod": fmod})


def test_mod_of_real_numbers() -> None:
    check_against_reference("Mod", [X, ROW], {"fmod": 1})


@pytest.mark.parametrize("exponent", [ROW, np.array([2, 0, 3])], ids=["real", "whole"])
def test_power_of_real_numbers(exponent: np.ndarray) -> None:
    check_against_reference("Pow", [np.abs(X), exponent], constants=[1])


def test_power_of_integers_by_real_numbers() -> None:
    base = np.array([4, 9, 10], np.int64)

    check_against_reference("Pow", [base, np.array([0.5, 1.5, 2.0], np.float32)])


@pytest.mark.parametrize("direction", ["LEFT", "RIGHT"])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint64])
def test_shifts_of_unsigned_integers(dtype: type[np.generic], direction: str) -> None:
    x = np.array([200, 4, 1], dtype)

    check_against_reference("BitShift", [x, np.array([1, 2, 3], dtype)], {"direction": direction})


def test_an_unknown_direction_of_a_shift_is_refused() -> None:
    x = np.array([1], np.uint8)
    model = model_of("BitShift", [x, x], {"direction": "UP"})

    with pytest.raises(
        ModelParseError, match=r"node \(BitShift\): direction: expected LEFT or RIGHT, got 'UP'"
    ):
        run(model, {"x0": x, "x1": x})


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("op", ["Max", "Min", "Sum", "Mean"])
def test_variadic_ops_broadcast(op: str, count: int) -> None:
    check_against_reference(op, ARRAYS[:count])


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float16])
@pytest.mark.parametrize("op", ["Max", "Min"])
def test_max_and_min_of_other_types(op: str, dtype: type[np.generic]) -> None:
    check_against_reference(op, [np.array([3, 4], dtype), np.array([4, 3], dtype)])


def test_a_variadic_op_without_inputs_is_refused() -> None:
    with pytest.raises(ModelParseError, match=r"node \(Sum\): expected one or more inputs"):
        run(model_of("Sum", []), {})


@pytest.mark.parametrize("low", [None, LOW])
@pytest.mark.parametrize("high", [None, HIGH])
def test_clip_with_optional_bounds(low: Array | None, high: Array | None) -> None:
    check_against_reference("Clip", [LINE, low, high], constants=[1, 2])


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float16])
def test_clip_of_other_types(dtype: type[np.generic]) -> None:
    x = np.array([-100, 3, 100], dtype)

    check_against_reference("Clip", [x, np.array(-5, dtype), np.array(50, dtype)], constants=[1])


def test_clip_of_large_integers_is_exact() -> None:
    x = np.array([2**62 + 1, 2**62 + 3])
    bound = np.array(2**62 + 2)

    outputs = run(model_of("Clip", [x, None, bound], constants=[2]), {"x0": x})

    check_equal([outputs["y0"]], [np.array([2**62 + 1, 2**62 + 2])])


@pytest.mark.parametrize(
    ("attrs", "expected"), [({"min": -1.0}, [-1.0, -1.0, 0.5, 7.0]), ({}, [-3.0, -1.0, 0.5, 7.0])]
)
def test_clip_with_the_attributes_of_opset_6(attrs: dict[str, float], expected: list[float]) -> None:
    outputs = run(model_of("Clip", [LINE], attrs, opset=9), {"x0": LINE})

    check_equal([outputs["y0"]], [np.array(expected, np.float32)])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_is_nan_equals_the_reference(dtype: type[np.generic]) -> None:
    check_against_reference("IsNaN", [SPECIAL.astype(dtype)])


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("negative", [0, 1])
def test_is_inf_equals_the_reference(positive: int, negative: int) -> None:
    check_against_reference("IsInf", [SPECIAL], {"detect_positive": positive, "detect_negative": negative})


@pytest.mark.parametrize(
    "to",
    [TensorProto.INT64, TensorProto.FLOAT16, TensorProto.DOUBLE, TensorProto.BOOL, TensorProto.BFLOAT16],
)
def test_cast_equals_the_reference(to: int) -> None:
    check_against_reference("Cast", [NUMBERS], {"to": to})


def test_cast_like_equals_the_reference() -> None:
    check_against_reference("CastLike", [NUMBERS, np.zeros(1, np.int32)])


@pytest.mark.parametrize(
    ("dtype", "to", "greatest"),
    [
        (ml_dtypes.float8_e4m3fn, TensorProto.FLOAT8E4M3FN, 448.0),
        (ml_dtypes.float8_e5m2, TensorProto.FLOAT8E5M2, 57344.0),
    ],
)
def test_cast_to_float8_saturates(dtype: type[np.generic], to: int, greatest: float) -> None:
    x = np.array([1.0, -1e6, np.inf, np.nan], np.float32)

    outputs = run(model_of("Cast", [x], {"to": to}), {"x0": x})

    check_equal([outputs["y0"]], [np.array([1.0, -greatest, greatest, np.nan], np.float32).astype(dtype)])


def test_cast_to_float8_without_saturation() -> None:
    x = np.array([1e6], np.float32)

    outputs = run(model_of("Cast", [x], {"to": TensorProto.FLOAT8E5M2, "saturate": 0}), {"x0": x})

    check_equal([outputs["y0"]], [np.array([np.inf], np.float32).astype(ml_dtypes.float8_e5m2)])


def test_bit_cast_keeps_the_bytes() -> None:
    outputs = run(model_of("BitCast", [NUMBERS], {"to": TensorProto.UINT32}, opset=26), {"x0": NUMBERS})

    check_equal([outputs["y0"]], [NUMBERS.view(np.uint32)])


def test_cast_to_an_unsupported_type_is_refused() -> None:
    with pytest.raises(
        ModelParseError, match=r"node \(Cast\): attribute to: element type 99 is not supported"
    ):
        run(model_of("Cast", [NUMBERS], {"to": 99}), {"x0": NUMBERS})


@pytest.mark.parametrize("mode", ["up", "down", "nearest"])
@pytest.mark.parametrize("saturate", [0, 1])
def test_cast_to_float8_e8m0_equals_onnx(mode: str, saturate: int) -> None:
    bits = np.random.default_rng(3).integers(0, 2**32, 500, np.uint32)
    ends = [0, 1, 2**22, 2**22 + 1, 2**23 - 1, 2**23, 0x7F7FFFFF, 0x7F000000, 0x7F800000, 0x7FC00000]
    x = np.concatenate([bits, np.array(ends, np.uint32)]).view(np.float32)
    attrs = {"to": 24, "saturate": saturate, "round_mode": mode}

    result = run(model_of("Cast", [x], attrs, opset=25), {"x0": x})["y0"]

    expected = numpy_helper.to_float8e8m0(x, bool(saturate), mode)
    np.testing.assert_array_equal(result.view(np.uint8), expected.view(np.uint8))


def test_an_unknown_rounding_is_refused() -> None:
    with pytest.raises(ModelParseError, match=r"round_mode: expected up, down, nearest, got 'odd'"):
        run(model_of("Cast", [NUMBERS], {"to": 24, "round_mode": "odd"}, opset=25), {"x0": NUMBERS})


def test_cast_without_a_type_is_refused() -> None:
    with pytest.raises(ModelParseError, match=r"node \(Cast\): attribute to is missing"):
        run(model_of("Cast", [NUMBERS]), {"x0": NUMBERS})


def test_where_equals_the_reference() -> None:
    condition = np.array([[True], [False]])

    check_against_reference("Where", [condition, np.array([1, 2], np.int16), np.array(9, np.int16)])


def test_non_zero_equals_the_reference() -> None:
    check_against_reference("NonZero", [np.array([[1.0, 0.0], [-1.0, 2.0]], np.float32)])


def test_identity_equals_the_reference() -> None:
    check_against_reference("Identity", [PAIR])


def test_identity_of_a_constant_is_a_constant() -> None:
    """noop_with_empty_axes needs constant axes, which these are after an Identity."""
    model = model_of(
        "ReduceSum", [PAIR, np.array([1])], {"noop_with_empty_axes": 1}, constants=[1], symbolic=True
    )
    model.graph.initializer[0].name = "axes"
    model.graph.node.insert(0, helper.make_node("Identity", ["axes"], ["x1"]))

    check_equal([run(model, {"x0": PAIR})["y0"]], [np.array([[-1.0]], np.float32)])


@pytest.mark.parametrize(("opset", "mask"), [(7, np.float32), (10, np.bool_), (21, np.bool_)])
def test_dropout_gives_its_input_and_a_mask_of_ones(opset: int, mask: type[np.generic]) -> None:
    model = model_of("Dropout", [PAIR], opset=opset, outputs=2)

    check_equal(list(run(model, {"x0": PAIR}).values()), [PAIR, np.ones((1, 2), mask)])


def test_dropout_with_training_mode_false() -> None:
    inputs = [PAIR, np.array(0.5, np.float32), np.array(False)]

    check_equal([run(model_of("Dropout", inputs, constants=[1, 2]), {"x0": PAIR})["y0"]], [PAIR])


@pytest.mark.parametrize("ratio", [None, np.array(0.25, np.float32)])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64])
@pytest.mark.parametrize("constants", [[], [2]])
def test_dropout_in_training_mode(ratio: Array | None, dtype: type[np.float32], constants: list[int]) -> None:
    x, share = np.arange(1, 4001).reshape(20, 200).astype(dtype), 0.5 if ratio is None else 0.25
    model = model_of("Dropout", [x, ratio, np.array(True)], outputs=2, opset=17, constants=constants)
    feeds = {"x0": x, "x1": ratio, "x2": np.array(True)}

    y, mask = run(model, {value.name: feeds[value.name] for value in model.graph.input}).values()

    assert abs(mask.mean() - (1 - share)) < 0.05
    check_equal([y], [np.where(mask, x / dtype(1 - share), dtype(0))])


def test_dropout_whose_training_mode_is_false_in_a_run() -> None:
    x, flag = np.arange(12, dtype=np.float32), np.array(False)
    model = model_of("Dropout", [x, np.array(0.5, np.float32), flag], outputs=2, constants=[1])

    check_equal(list(run(model, {"x0": x, "x2": flag}).values()), [x, np.ones(12, np.bool_)])


@pytest.mark.parametrize("comparison", ["Less", "Equal", "Greater"])
def test_where_after_a_comparison_of_an_unknown_rank(comparison: str) -> None:
    text = f"""<ir_version: 9, opset_import: ["" : 17]>
    agraph (float[n] x, float[2, 1] z, int64[m] shape) => (float[] y) {{
      r = Reshape (x, shape)
      c = {comparison} (r, z)
      y = Where (c, r, z)
    }}"""
    x, z = np.array([1, -2, 3, 4], np.float32), np.array([[1], [3]], np.float32)

    check_against_onnxruntime(
        text, {"x": x, "z": z, "shape": np.array([2, 2])}, {"x": x, "z": z, "shape": np.array([2, 1, 2])}
    )
