"""ONNX Runtime's attention ops, against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest

import lite
from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import run
from tests.model_parser.onnx.onnxruntime_models import (
    check_against_onnxruntime,
    codes,
    contrib_model,
    feeds_of,
    run_configurations,
    run_onnxruntime,
    scale_and_zero,
    weights,
)

RNG = np.random.default_rng(11)
TOLERANCE = 2e-5

MASKS: dict[str, Array | None] = {
    "none": None,
    "keys": np.array([[1, 1, 1, 0, 0], [1, 0, 1, 1, 1]], np.int32),
    "rows": (RNG.random((2, 5, 5)) > 0.3).astype(np.int32) | np.eye(5, dtype=np.int32),
    "lengths": np.array([3, 5], np.int32),
    "ends-and-starts": np.array([3, 5, 0, 2], np.int32),
    "lengths and more": np.array([3, 5, 1, 9, 1, 1, 9, 1], np.int32),
    "one number for each item": np.ones((2, 1), np.int32),
    "one number": np.ones((1, 1), np.int32),
}


def _normal(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("attrs", [{}, {"unidirectional": 1}, {"scale": 0.7, "mask_filter_value": -20.0}])
def test_attention(mask: Array | None, attrs: dict[str, Any]) -> None:
    inputs = [_normal(2, 5, 6), _normal(6, 24), _normal(24), mask]

    check_against_onnxruntime("Attention", inputs, {"num_heads": 2, **attrs}, tolerance=TOLERANCE)


@pytest.mark.parametrize("mask", [MASKS["keys"], MASKS["one number for each item"], MASKS["one number"]])
def test_attention_with_symbolic_sizes(mask: Array) -> None:
    inputs = [_normal(2, 5, 6), _normal(6, 24), _normal(24), mask]

    check_against_onnxruntime(
        "Attention", inputs, {"num_heads": 2}, constants=[1, 2], symbolic=True, tolerance=TOLERANCE
    )


@pytest.mark.parametrize("mask", [MASKS["keys"], MASKS["one number for each item"], MASKS["one number"]])
@pytest.mark.parametrize("sizes", ["float[b, s, 6] x, int32[b, s] m", "float[b, s, 6] x, int32[b, t] m"])
def test_a_mask_may_be_one_number_whatever_its_sizes_are_called(sizes: str, mask: Array) -> None:
    ort = pytest.importorskip("onnxruntime")
    x, w, b = _normal(2, 5, 6), _normal(6, 24), _normal(24)
    names = {"w": w, "b": b}
    model = onnx.parser.parse_model(
        f"""<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
        masked ({sizes}) => (float[] y) {{
            y = com.microsoft.Attention <num_heads = 2> (x, w, b, m)
        }}"""
    )
    model.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in names.items())
    data, feeds = model.SerializeToString(), {"x": x, "m": mask}
    [expected] = ort.InferenceSession(data).run(None, feeds)

    y = lite.create_predictor(lite.Config(model_buffer=data)).run(feeds)["y"]

    np.testing.assert_allclose(y, expected, atol=TOLERANCE)


@pytest.mark.parametrize("mask", [MASKS[name] for name in ("lengths", "ends-and-starts", "lengths and more")])
def test_attention_with_a_symbolic_number_of_lengths(mask: Array) -> None:
    inputs = [_normal(2, 5, 6), _normal(6, 24), _normal(24), mask]

    check_against_onnxruntime(
        "Attention", inputs, {"num_heads": 2}, constants=[1, 2], symbolic=True, tolerance=TOLERANCE
    )


@pytest.mark.parametrize("constants", [[], [3], [2, 3]])
@pytest.mark.parametrize("bias", [None, _normal(22)])
def test_multi_head_attention_with_symbolic_sizes(bias: Array | None, constants: list[int]) -> None:
    inputs = [_normal(2, 3, 8), _normal(2, 5, 8), _normal(2, 5, 6), bias]
    known = [position for position in constants if inputs[position] is not None]

    check_against_onnxruntime(
        "MultiHeadAttention", inputs, {"num_heads": 2}, constants=known, symbolic=True, tolerance=TOLERANCE
    )


@pytest.mark.parametrize("op", ["MultiHeadAttention", "RotaryEmbedding"])
def test_the_rank_of_an_input_may_be_unknown(op: str) -> None:
    if op == "MultiHeadAttention":
        inputs = [_normal(2, 3, 8), _normal(2, 5, 8), _normal(2, 5, 6), _normal(22)]
    else:
        inputs = [_normal(2, 3, 3, 4), np.zeros(1, np.int64), _normal(5, 2), _normal(5, 2)]
    model = contrib_model(op, inputs, {"num_heads": 2} if op == "MultiHeadAttention" else {})
    for value in list(model.graph.input)[: 3 if op == "MultiHeadAttention" else 1]:
        value.type.tensor_type.ClearField("shape")
    feeds = feeds_of(model, inputs)
    expected = run_onnxruntime(model, feeds)

    for results in run_configurations(model, feeds):
        np.testing.assert_allclose(results[0], expected[0], rtol=TOLERANCE, atol=TOLERANCE)


def test_group_query_attention_with_symbolic_sizes() -> None:
    inputs = [_normal(2, 1, 64), _normal(2, 1, 32), _normal(2, 1, 32), *_cache(6), *_lengths(4, 7)]
    caches = [_normal(20, 8), _normal(20, 8)]

    check_against_onnxruntime(
        "GroupQueryAttention",
        [*inputs, *caches],
        {"num_heads": 4, "kv_num_heads": 2, "do_rotary": 1},
        outputs=3,
        constants=[7, 8],
        symbolic=True,
        tolerance=TOLERANCE,
    )


def test_attention_with_a_past() -> None:
    mask = np.array([[1] * 8, [0] + [1] * 7], np.int32)
    inputs = [_normal(2, 5, 6), _normal(6, 24), _normal(24), mask, _normal(2, 2, 2, 3, 4)]

    check_against_onnxruntime(
        "Attention", inputs, {"num_heads": 2, "unidirectional": 1}, outputs=2, tolerance=TOLERANCE
    )


@pytest.mark.parametrize("op", ["Attention", "QAttention"])
def test_the_first_size_of_a_past_may_be_symbolic(op: str) -> None:
    """The rank of the output must be known to the next op all the same."""
    past, bias = _normal(2, 1, 2, 3, 4), _normal(24)
    if op == "Attention":
        inputs = [_normal(1, 2, 6), _normal(6, 24), bias, None, past]
    else:
        first, second = scale_and_zero(0.05, 3, np.uint8), scale_and_zero(0.02, 0, np.int8)
        x, w = codes((1, 2, 6), np.uint8), codes((6, 24), np.int8)
        inputs = [x, w, bias, first[0], second[0], None, first[1], second[1], past]
    constants = [n for n, array in enumerate(inputs) if n and array is not None and array is not past]
    model = contrib_model(op, inputs, {"num_heads": 2}, outputs=2, constants=constants, symbolic=True)
    model.graph.node.append(
        onnx.helper.make_node("MultiHeadAttention", ["y0"] * 3, ["z"], domain="com.microsoft", num_heads=2)
    )
    model.graph.output[0].name = "z"
    feeds = feeds_of(model, inputs)
    expected = run_onnxruntime(model, feeds)

    for results in run_configurations(model, feeds):
        for result, array in zip(results, expected, strict=True):
            np.testing.assert_allclose(result, array, rtol=TOLERANCE, atol=TOLERANCE)


def test_attention_with_a_bias_of_the_scores_and_other_sizes() -> None:
    inputs = [_normal(2, 5, 6), _normal(6, 22), _normal(22), None, None, _normal(2, 2, 5, 5)]

    check_against_onnxruntime(
        "Attention", inputs, {"num_heads": 2, "qkv_hidden_sizes": [8, 8, 6]}, tolerance=TOLERANCE
    )


def _quantised(dtype: type[np.generic], mask: Array | None) -> list[Array | None]:
    """The inputs of a QAttention."""
    scale, zero = scale_and_zero(0.02, 9, dtype)
    numbers = [np.array(0.01, np.float32), mask, zero, np.array(3, np.int8)]
    return [codes((2, 5, 6), dtype), weights((6, 24)), _normal(24), scale, *numbers]


@pytest.mark.parametrize("mask", [MASKS["none"], MASKS["lengths"]])
def test_quantised_attention(mask: Array | None) -> None:
    inputs = _quantised(np.uint8, mask)

    check_against_onnxruntime(
        "QAttention", inputs, {"num_heads": 2}, constants=[1, 4, 7], tolerance=TOLERANCE
    )


def test_quantised_attention_of_int8_equals_that_of_its_numbers() -> None:
    """ONNX Runtime has no kernel of QAttention for int8."""
    x, weights, bias, *rest = inputs = _quantised(np.int8, MASKS["lengths"])
    assert x is not None
    assert weights is not None
    real = [(x.astype(np.float32) - 9) * 0.02, (weights.astype(np.float32) - 3) * 0.01, bias, rest[2]]
    numbers = [
        None if array is None else array.astype(np.int32 if n == 3 else np.float32)
        for n, array in enumerate(real)
    ]
    float_model = contrib_model("Attention", numbers, {"num_heads": 2})
    model = contrib_model("QAttention", inputs, {"num_heads": 2})

    (expected,) = run_onnxruntime(float_model, feeds_of(float_model, numbers))
    for (result,) in run_configurations(model, feeds_of(model, inputs)):
        np.testing.assert_allclose(result, expected, rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("mask", [None, MASKS["keys"], MASKS["lengths"]])
def test_multi_head_attention(bias: bool, mask: Array | None) -> None:
    inputs = [_normal(2, 3, 8), _normal(2, 5, 8), _normal(2, 5, 6), _normal(22) if bias else None, mask]

    check_against_onnxruntime("MultiHeadAttention", inputs, {"num_heads": 2}, tolerance=TOLERANCE)


def test_multi_head_attention_with_a_past_and_a_bias_of_the_scores() -> None:
    inputs = [*(_normal(2, 3, 8) for _ in range(3)), None, None, _normal(1, 2, 3, 7)]
    inputs += [_normal(2, 2, 4, 4), _normal(2, 2, 4, 4)]

    check_against_onnxruntime(
        "MultiHeadAttention", inputs, {"num_heads": 2, "unidirectional": 1}, outputs=3, tolerance=TOLERANCE
    )


def test_multi_head_attention_of_keys_by_head() -> None:
    inputs = [_normal(2, 3, 8), _normal(2, 2, 5, 4), _normal(2, 2, 5, 4)]

    check_against_onnxruntime("MultiHeadAttention", inputs, {"num_heads": 2}, tolerance=TOLERANCE)


@pytest.mark.parametrize("rank", [3, 4])
@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("one_position", [False, True])
def test_rotary_embedding(rank: int, interleaved: int, one_position: bool) -> None:
    x = _normal(2, 5, 16) if rank == 3 else _normal(2, 2, 5, 8)
    positions = np.array([3]) if one_position else RNG.integers(0, 10, (2, 5))
    inputs = [x, positions.astype(np.int64), _normal(10, 4), _normal(10, 4)]

    check_against_onnxruntime("RotaryEmbedding", inputs, {"interleaved": interleaved}, tolerance=TOLERANCE)


def _cache(rows: int) -> list[Array]:
    """Past keys and values of 2 heads of size 16, with `rows` rows."""
    return [_normal(2, 2, rows, 16), _normal(2, 2, rows, 16)]


def _lengths(first: int, second: int) -> list[Array]:
    """The lengths of two items less 1, and the greatest length."""
    return [np.array([first - 1, second - 1], np.int32), np.array(max(first, second), np.int32)]


@pytest.mark.parametrize(
    "attrs",
    [
        {},
        {"local_window_size": 2},
        {"scale": 0.3, "softcap": 2.0},
        {"do_rotary": 1},
        {"do_rotary": 1, "rotary_interleaved": 1},
    ],
)
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("state", ["prompt", "next", "uneven"])
def test_group_query_attention(attrs: dict[str, Any], packed: bool, state: str) -> None:
    rows = 5 if state == "prompt" else 1
    past: list[Array | None] = [None, None]
    lengths = _lengths(5, 5)
    if state == "next":
        past, lengths = [*_cache(6)], _lengths(7, 7)
    elif state == "uneven":
        past, lengths = [*_cache(6)], _lengths(4, 7)
    inputs: list[Array | None] = [_normal(2, rows, 64), _normal(2, rows, 32), _normal(2, rows, 32)]
    if packed:
        inputs = [_normal(2, rows, 128), None, None]
    inputs += [*past, *lengths]
    if "do_rotary" in attrs:
        inputs += [_normal(20, 8), _normal(20, 8)]

    check_against_onnxruntime(
        "GroupQueryAttention",
        inputs,
        {"num_heads": 4, "kv_num_heads": 2, **attrs},
        outputs=3,
        tolerance=TOLERANCE,
    )


def test_group_query_attention_with_an_empty_past() -> None:
    inputs = [_normal(2, 3, 64), _normal(2, 3, 32), _normal(2, 3, 32), *_cache(0), *_lengths(3, 3)]

    check_against_onnxruntime(
        "GroupQueryAttention", inputs, {"num_heads": 4, "kv_num_heads": 2}, outputs=3, tolerance=TOLERANCE
    )


def test_group_query_attention_with_a_bias_of_the_scores() -> None:
    inputs = [_normal(2, 1, 64), _normal(2, 1, 32), _normal(2, 1, 32), *_cache(6), *_lengths(7, 7)]
    inputs_with_bias: list[Array | None] = [*inputs, None, None, None, _normal(2, 1, 1, 7)]

    check_against_onnxruntime(
        "GroupQueryAttention",
        inputs_with_bias,
        {"num_heads": 4, "kv_num_heads": 2},
        outputs=3,
        tolerance=TOLERANCE,
    )


@pytest.mark.parametrize("has_sinks", [False, True])
def test_group_query_attention_with_sinks(has_sinks: bool) -> None:
    inputs = [_normal(2, 1, 64), _normal(2, 1, 32), _normal(2, 1, 32), *_cache(6), *_lengths(4, 7)]
    sinks: list[Array | None] = [None, None, None, None, _normal(4)] if has_sinks else []

    check_against_onnxruntime(
        "GroupQueryAttention",
        [*inputs, *sinks],
        {"num_heads": 4, "kv_num_heads": 2} | ({} if has_sinks else {"smooth_softmax": 1}),
        outputs=3,
        tolerance=TOLERANCE,
    )


@pytest.mark.parametrize(
    ("op", "inputs", "attrs", "reason"),
    [
        ("Attention", [_normal(2, 5, 6), _normal(6, 24)], {}, "num_heads: expected 1 or more, got 0"),
        (
            "Attention",
            [_normal(2, 5, 6), _normal(6, 24)],
            {"num_heads": 2, "do_rotary": 1},
            "attribute do_rotary: expected 0, got 1",
        ),
        (
            "Attention",
            [_normal(2, 5, 6), _normal(6, 24), None, np.zeros((2, 1, 5, 5), np.int32)],
            {"num_heads": 2},
            r"input 3 \('x3'\), a mask: expected 1 to 3 axes, got 4",
        ),
        (
            "Attention",
            [_normal(2, 5, 6), _normal(6, 24), None, np.zeros(3, np.int32)],
            {"num_heads": 2},
            "expected 2 lengths, as many ends and starts, or 8 numbers that begin with the lengths, got 3",
        ),
        (
            "GroupQueryAttention",
            [_normal(2, 1, 64), None, None, None, None, *_lengths(1, 1)],
            {"num_heads": 4, "kv_num_heads": 2, "qk_output": 1},
            "attribute qk_output: expected 0, got 1",
        ),
    ],
)
def test_unsupported_attention_is_refused(
    op: str, inputs: list[Array | None], attrs: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ModelParseError, match=reason):
        run(contrib_model(op, inputs, attrs), {})
