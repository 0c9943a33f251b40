"""Ops of optimised programs, against what they stand for by numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

import lite
from lite.errors import ModelParseError
from lite.ir.program import Attribute, AttrType, Op
from lite.model_parser.paddlelite_nb.parser import NaiveBufferParser
from lite.plugin.format import ModelSource
from tests.model_parser.paddlelite_nb.programs import noise, op, program
from tests.model_parser.paddlelite_nb.writer import naive_buffer
from tests.support.interrupts import count_lines

X = noise(0, 2, 4, 6)
IMAGE = noise(5, 2, 3, 6, 6)
INT8 = "def/4/2/1"


def run(
    x: np.ndarray,
    ops: Sequence[Op],
    weights: Mapping[str, np.ndarray] | None = None,
    blocks: Sequence[Sequence[Op]] = (),
) -> np.ndarray:
    """The result of a program, the same on the host and by compiled kernels."""
    data = naive_buffer(program(x.shape, ops, weights or {}, blocks=blocks))
    host, cpu = (
        lite.create_predictor(lite.Config(model_buffer=data, valid_places=[place])).run({"x": x})["y"]
        for place in ("host", "cpu")
    )
    np.testing.assert_allclose(cpu, host, rtol=1e-5, atol=1e-5)
    return host


def refusal(ops: Sequence[Op], weights: Mapping[str, np.ndarray] | None = None) -> str:
    data = naive_buffer(program(X.shape, ops, weights or {}))
    with pytest.raises(ModelParseError) as caught:
        NaiveBufferParser().parse(ModelSource(model=data))
    return str(caught.value)


def conv(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """A convolution 1 x 1."""
    return np.asarray(np.einsum("nchw,oc->nohw", x, w[:, :, 0, 0]))


def rounded(x: np.ndarray, scale: float) -> np.ndarray:
    """The integers from -127 to 127 nearest to x / scale, halves away from zero."""
    return np.asarray(np.clip(np.copysign(np.floor(np.abs(x / scale) + 0.5), x), -127, 127))


@pytest.mark.parametrize("name", ["io_copy", "io_copy_once", "layout", "layout_once", "calib"])
def test_a_move_copies(name: str) -> None:
    kernel = {"calib": "fp32_to_fp16/4/5/1"}.get(name, "def/4/1/1")
    ops = [op(name, {"Input": "x"}, {"Out": "a"}, kernel), op("relu", {"X": "a"}, {"Out": "y"})]
    np.testing.assert_array_equal(run(X, ops), np.maximum(X, 0))


def test_a_cast_of_integers() -> None:
    ops = [
        op("cast", {"X": "x"}, {"Out": "a"}, in_dtype=5, out_dtype=3),
        op("calib", {"Input": "a"}, {"Out": "y"}, "int64_to_int32/4/4/1"),
    ]
    result = run(X, ops)
    assert result.dtype == np.int32
    np.testing.assert_array_equal(result, X.astype(np.int32))


def test_numbers_are_rounded_to_int8_and_back() -> None:
    scale = 0.01
    x = np.array([[0.005, -0.005, 0.0149, 0.0151, 9.0, -9.0]], np.float32)
    ops = [
        op("calib", {"Input": "x"}, {"Out": "a"}, "fp32_to_int8/4/2/1", scale=scale),
        op("reshape2", {"X": "a"}, {"Out": "b", "XShape": "c"}, "def/1/4/2", shape=[3, 2]),
        op("calib", {"Input": "b"}, {"Out": "y"}, "int8_to_fp32/4/2/1", scale=scale),
    ]
    expected = np.array([[1, -1], [1, 2], [127, -127]]) * scale
    np.testing.assert_allclose(run(x, ops), expected, rtol=1e-6)


def test_an_unknown_cast_is_refused() -> None:
    text = refusal([op("calib", {"Input": "x"}, {"Out": "y"}, "fp32_to_bf16/4/2/1")])
    assert "block 0, op 1 (calib): the kernel 'fp32_to_bf16' is unknown" in text


@pytest.mark.parametrize("out", ["fp32_out", "int8_out"])
def test_a_convolution_of_int8(out: str) -> None:
    real = noise(6, 4, 3, 1, 1)
    steps = (np.abs(real).max((1, 2, 3)) / 127).astype(np.float32)
    stored = np.rint(real / steps[:, None, None, None]).astype(np.int8)
    bias = noise(7, 4)
    ops = [
        op("calib", {"Input": "x"}, {"Out": "a"}, "fp32_to_int8/4/2/1", scale=0.02),
        op(
            "conv2d",
            {"Input": "a", "Filter": "w", "Bias": "b"},
            {"Output": "y"},
            f"{out}/4/2/1",
            attrs={
                "Input0_scale": [0.02],
                "Filter0_scale": [float(step) for step in steps],
                "Output0_scale": [0.03],
                "strides": [1, 1],
                "paddings": [0, 0],
                "dilations": [1, 1],
                "with_act": True,
                "act_type": "relu",
                "enable_int8": True,
                "groups": 1,
            },
        ),
    ]
    if out == "int8_out":
        ops[1].outputs["Output"] = ["c"]
        ops.append(op("calib", {"Input": "c"}, {"Out": "y"}, "int8_to_fp32/4/2/1", scale=0.03))
    weight = stored * steps[:, None, None, None]
    expected = np.maximum(conv(rounded(IMAGE, 0.02) * 0.02, weight) + bias[:, None, None], 0)
    if out == "int8_out":
        expected = rounded(expected, 0.03) * 0.03
    np.testing.assert_allclose(run(IMAGE, ops, {"w": stored, "b": bias}), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("bits", [8, 16])
def test_stored_weights_become_real_numbers(bits: int) -> None:
    dtype = np.int8 if bits == 8 else np.int16
    steps = np.array([0.5, 0.25, 0.125, 2.0], np.float32)
    stored: np.ndarray = np.random.default_rng(3).integers(-100, 100, (4, 3, 1, 1)).astype(dtype)
    product = op(
        "conv2d",
        {"Input": "x", "Filter": "w"},
        {"Output": "y"},
        attrs={
            "quantization_type": "post_weight_channel_wise_abs_max",
            "quantize_weight_bits": bits,
            "w_quant_scale": [float(step) for step in steps],
            "groups": 1,
            "strides": [1, 1],
            "paddings": [0, 0],
            "dilations": [1, 1],
        },
    )
    expected = conv(IMAGE, stored * steps[:, None, None, None])
    np.testing.assert_allclose(run(IMAGE, [product], {"w": stored}), expected, rtol=1e-5, atol=1e-4)


def test_as_many_scales_as_channels_are_expected() -> None:
    product = op("mul", {"X": "x", "Y": "w"}, {"Out": "y"}, quantize_weight_bits=8, w_quant_scale=[1.0, 2.0])
    text = refusal([product], {"w": np.ones((6, 3), np.int8)})
    assert "weight 'w': expected one scale or one for each slice of axis 1 of [6, 3], got 2" in text


@pytest.mark.parametrize("activation", ["", "relu"])
@pytest.mark.parametrize("has_bias", [False, True])
def test_an_fc_of_a_matmul_multiplies_the_last_axis(has_bias: bool, activation: str) -> None:
    w, b = noise(1, 6, 3), noise(2, 3)
    inputs = {"Input": "x", "W": "w"} | ({"Bias": "b"} if has_bias else {})
    product = op(
        "fc", inputs, {"Out": "y"}, op_type="matmul_v2", in_num_col_dims=1, activation_type=activation
    )
    expected = X @ w + (b if has_bias else 0)
    expected = np.maximum(expected, 0) if activation else expected
    np.testing.assert_allclose(run(X, [product], {"w": w, "b": b}), expected, rtol=1e-5, atol=1e-5)


def test_an_fc_of_a_mul_multiplies_the_flattened_rows() -> None:
    w = noise(1, 24, 3)
    product = op("fc", {"Input": "x", "W": "w"}, {"Out": "y"}, op_type="mul", in_num_col_dims=1)
    np.testing.assert_allclose(run(X, [product], {"w": w}), X.reshape(2, 24) @ w, rtol=1e-5, atol=1e-5)


def test_a_prelu_after_a_convolution_takes_its_slopes() -> None:
    w, slopes = noise(1, 4, 3, 1, 1), noise(2, 4)
    product = op(
        "conv2d",
        {"Input": "x", "Filter": "w", "Prelu_alpha": "s"},
        {"Output": "y"},
        attrs={
            "with_act": True,
            "act_type": "prelu",
            "prelu_mode": "channel",
            "groups": 1,
            "strides": [1, 1],
            "paddings": [0, 0],
            "dilations": [1, 1],
        },
    )
    real = conv(IMAGE, w)
    expected = np.where(real > 0, real, real * slopes[:, None, None])
    np.testing.assert_allclose(run(IMAGE, [product], {"w": w, "s": slopes}), expected, rtol=1e-5, atol=1e-5)


def test_a_sum_after_a_convolution() -> None:
    w = noise(1, 3, 3, 1, 1)
    product = op(
        "conv2d",
        {"Input": "x", "Filter": "w", "SecondInput": "x"},
        {"Output": "y"},
        "image2d/5/5/4",
        attrs={
            "fuse_elementwise_op_type": "elementwise_add",
            "groups": 1,
            "strides": [1, 1],
            "paddings": [0, 0],
            "dilations": [1, 1],
        },
    )
    np.testing.assert_allclose(run(IMAGE, [product], {"w": w}), conv(IMAGE, w) + IMAGE, rtol=1e-5, atol=1e-5)


def test_a_scale_with_an_activation() -> None:
    scaled = op(
        "scale", {"X": "x"}, {"Out": "y"}, scale=2.0, bias=0.5, activation_type="leaky_relu", alpha=0.25
    )
    expected = 2 * X + np.float32(0.5)
    np.testing.assert_allclose(run(X, [scaled]), np.where(expected > 0, expected, expected / 4), rtol=1e-6)


def test_a_name_may_hold_several_values() -> None:
    ops = [
        op("relu", {"X": "x"}, {"Out": "a"}),
        op("reshape2", {"X": "a"}, {"Out": "y", "XShape": "b"}, "def/1/4/2", shape=[8, 6]),
        op("scale", {"X": "y"}, {"Out": "a"}, scale=3.0),
        op("transpose2", {"X": "a"}, {"Out": "y"}, axis=[1, 0]),
    ]
    np.testing.assert_allclose(run(X, ops), 3 * np.maximum(X, 0).reshape(8, 6).T, rtol=1e-6)


def test_a_region_of_a_device_is_its_ops() -> None:
    region = op("subgraph", {"Inputs": "x"}, {"Outputs": "y"}, "def/18/4/1")
    region.attrs["sub_block"] = Attribute(AttrType.BLOCK, 1)
    inner = [op("relu", {"X": "x"}, {"Out": "y"})]
    np.testing.assert_array_equal(run(X, [region], blocks=[inner]), np.maximum(X, 0))


@pytest.mark.parametrize("names", [[], ["y", "z"]])
def test_a_fused_op_with_another_number_of_outputs_is_refused(names: list[str]) -> None:
    product = op("fc", {"Input": "x", "W": "w"}, {"Out": names}, op_type="matmul_v2")
    text = refusal([product, op("relu", {"X": "x"}, {"Out": "y"})], {"w": noise(1, 6, 3)})
    assert f"output slot Out: expected one variable, got {names}" in text


def test_an_op_for_kunlun_chips_is_refused() -> None:
    text = refusal([op("__xpu__conv2d", {"Input": "x"}, {"Output": "y"})])
    assert "block 0, op 1 (__xpu__conv2d): this op runs on Kunlun chips (XPU) only" in text


def test_many_ops_of_one_result_are_translated_in_linear_time() -> None:
    """Each needs a new variable whose name is derived from that of the result."""

    def lines(count: int) -> int:
        ops = [
            op("scale", {"X": ["x"]}, {"Out": ["y"]}, scale=1.0, activation_type="relu") for _ in range(count)
        ]
        data = naive_buffer(program(X.shape, ops, {}))
        parsed = NaiveBufferParser().parse(ModelSource(model=data))
        assert len(parsed.blocks[0].ops) == 2 * count + 2
        return count_lines(lambda: NaiveBufferParser().parse(ModelSource(model=data)))

    # Linear is 8 times, quadratic 64.
    assert lines(1600) < 12 * lines(200)
