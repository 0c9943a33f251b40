"""ONNX Runtime's fused ops of float tensors, against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import run
from tests.model_parser.onnx.onnxruntime_models import check_against_onnxruntime, contrib_model, feeds_of

RNG = np.random.default_rng(7)


def _normal(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize(
    ("op", "bias", "attrs"),
    [
        ("Gelu", False, {}),
        ("BiasGelu", True, {}),
        ("FastGelu", True, {}),
        ("FastGelu", False, {}),
        ("QuickGelu", False, {}),
        ("QuickGelu", False, {"alpha": 0.7}),
    ],
)
def test_gelus(op: str, bias: bool, attrs: dict[str, Any]) -> None:
    inputs = [3 * _normal(2, 5, 8), *([_normal(8)] if bias else [])]

    check_against_onnxruntime(op, inputs, attrs, tolerance=2e-6)


@pytest.mark.parametrize(
    ("activation", "parameters"),
    [("Relu", []), ("Tanh", []), ("Sigmoid", []), ("LeakyRelu", [0.2]), ("Clip", [-0.5, 0.7])],
)
@pytest.mark.parametrize("addend", [False, True])
def test_fused_conv(activation: str, parameters: list[float], addend: bool) -> None:
    x, weight, bias = _normal(2, 3, 8, 9), _normal(5, 3, 3, 3), _normal(5)
    attrs = {"activation": activation, "pads": [1, 1, 1, 1], "strides": [1, 2]}
    if parameters:
        attrs["activation_params"] = parameters
    inputs = [x, weight, bias, _normal(2, 5, 8, 5) if addend else None]

    check_against_onnxruntime("FusedConv", inputs, attrs, constants=[1, 2], tolerance=2e-5)


@pytest.mark.parametrize("addend", [False, True])
@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize("group", [1, 2])
def test_convolutions_with_channels_last(addend: bool, has_bias: bool, group: int) -> None:
    """ONNX Runtime has no kernels for them on the CPU: they equal FusedConv between transposes."""
    x, weight, bias, other = (
        _normal(2, 4, 8, 9),
        _normal(6, 4 // group, 3, 3),
        _normal(6),
        _normal(2, 6, 8, 5),
    )
    attrs: dict[str, Any] = {"pads": [1, 1, 1, 1], "strides": [1, 2], "group": group}
    b, z = bias if has_bias else None, other if addend else None

    def computed(op: str, inputs: list[Array | None], more: dict[str, Any]) -> Array:
        model = contrib_model(op, inputs, {**attrs, **more})
        return next(iter(run(model, feeds_of(model, inputs)).values()))

    last = [None if each is None else each.transpose(0, 2, 3, 1).copy() for each in (x, z)]
    activation = {"activation": "Relu"}
    fused = computed("NhwcFusedConv", [last[0], weight, b, last[1]], activation)
    np.testing.assert_array_equal(
        fused, computed("FusedConv", [x, weight, b, z], activation).transpose(0, 2, 3, 1)
    )
    plain = computed("NhwcConv", [last[0], weight.transpose(0, 2, 3, 1).copy(), b], {})
    np.testing.assert_array_equal(plain, computed("FusedConv", [x, weight, b], {}).transpose(0, 2, 3, 1))


def test_an_unknown_activation_is_refused() -> None:
    model = contrib_model("FusedConv", [_normal(1, 2, 4, 4), _normal(3, 2, 1, 1)], {"activation": "Rellu"})

    with pytest.raises(
        ModelParseError, match=r"activation: expected one of .*got 'Rellu'; did you mean 'Relu'"
    ):
        run(model, {})


@pytest.mark.parametrize(
    "attrs",
    [
        {"activation": "Relu"},
        {"activation": "LeakyRelu", "activation_alpha": 0.1, "alpha": 0.5, "beta": 2.0},
        {"activation": "Tanh", "transA": 1, "transB": 1},
    ],
)
def test_fused_gemm(attrs: dict[str, Any]) -> None:
    x, y = _normal(4, 6), _normal(6, 5)
    if "transA" in attrs:
        x, y = x.T.copy(), y.T.copy()

    check_against_onnxruntime("FusedGemm", [x, y, _normal(5)], attrs, tolerance=1e-5)


@pytest.mark.parametrize(
    ("first", "second", "attrs"),
    [
        ((2, 4, 6), (2, 6, 5), {"alpha": 0.5}),
        ((2, 6, 4), (2, 5, 6), {"transA": 1, "transB": 1}),
        ((4, 2, 6), (2, 6, 5), {"transBatchA": 1}),
        ((2, 4, 6), (6, 2, 5), {"transBatchB": 1}),
        ((6, 2, 3, 4), (5, 2, 3, 6), {"transA": 1, "transBatchA": 1, "transB": 1, "transBatchB": 1}),
    ],
)
def test_fused_matmul(first: tuple[int, ...], second: tuple[int, ...], attrs: dict[str, Any]) -> None:
    check_against_onnxruntime("FusedMatMul", [_normal(*first), _normal(*second)], attrs, tolerance=1e-5)


@pytest.mark.parametrize("attrs", [{}, {"epsilon": 0.1}, {"axis": 1}])
def test_simplified_layer_norm(attrs: dict[str, Any]) -> None:
    x = _normal(2, 5, 8)
    scale = _normal(5, 8) if attrs.get("axis") == 1 else _normal(8)

    check_against_onnxruntime(
        "SimplifiedLayerNormalization", [x, scale], attrs, domain="", outputs=1, tolerance=1e-5
    )


@pytest.mark.parametrize("skip", [(2, 5, 8), (1, 5, 8), (5, 8)])
@pytest.mark.parametrize("bias", [False, True])
def test_skip_layer_norm(skip: tuple[int, ...], bias: bool) -> None:
    inputs = [_normal(2, 5, 8), _normal(*skip), _normal(8), _normal(8), _normal(8) if bias else None]

    check_against_onnxruntime("SkipLayerNormalization", inputs, {"epsilon": 1e-3}, tolerance=1e-5)


def test_skip_layer_norm_without_beta() -> None:
    check_against_onnxruntime(
        "SkipLayerNormalization", [_normal(2, 5, 8), _normal(2, 5, 8), _normal(8)], tolerance=1e-5
    )


@pytest.mark.parametrize("op", ["SkipLayerNormalization", "SkipSimplifiedLayerNormalization"])
def test_sum_as_an_output(op: str) -> None:
    inputs = [_normal(2, 5, 8), _normal(2, 5, 8), _normal(8)]
    model = contrib_model(op, inputs, outputs=4)
    model.graph.node[0].output[1:3] = ["", ""]
    del model.graph.output[1:3]

    _, total = run(model, feeds_of(model, inputs)).values()

    np.testing.assert_array_equal(total, inputs[0] + inputs[1])


@pytest.mark.parametrize("bias", [False, True])
def test_skip_simplified_layer_norm(bias: bool) -> None:
    inputs = [_normal(2, 5, 8), _normal(2, 5, 8), _normal(8), _normal(8) if bias else None]

    check_against_onnxruntime("SkipSimplifiedLayerNormalization", inputs, {"epsilon": 1e-3}, tolerance=1e-5)


def test_statistics_of_skip_layer_norm_are_refused() -> None:
    inputs = [_normal(2, 5, 8), _normal(2, 5, 8), _normal(8)]

    with pytest.raises(ModelParseError, match=r"output 1 \('y1'\) is only computed in training; remove it"):
        run(contrib_model("SkipLayerNormalization", inputs, outputs=2), {})


@pytest.mark.parametrize("segments", [False, True])
@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("positions", [False, True])
def test_embed_layer_norm(segments: bool, mask: bool, positions: bool) -> None:
    def ids(limit: int) -> Array:
        return RNG.integers(0, limit, (2, 5), np.int32)

    inputs = [
        ids(9),
        ids(2) if segments else None,
        _normal(9, 8),
        _normal(6, 8),
        _normal(2, 8) if segments else None,
        _normal(8),
        _normal(8),
        np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], np.int32) if mask else None,
        ids(6) if positions else None,
    ]

    for symbolic in (False, True):
        check_against_onnxruntime(
            "EmbedLayerNormalization",
            inputs,
            {"epsilon": 1e-5},
            outputs=2,
            constants=[2, 3, 4, 5, 6],
            symbolic=symbolic,
            tolerance=1e-5,
        )
