"""The nodes that the HTP takes, asked without its SDK: supported ops, and the sentences of refusals."""

from __future__ import annotations

import pytest

from lite.bridges.qnn.device import Qnn, QnnOptions
from lite.emission.onnx.bridging import OPSET
from lite.emission.onnx.builder import Builder
from lite.plugin.device import Settings, convert
from tests.bridges.region import reasons, region

DEVICE = Qnn(QnnOptions(), Settings())
CONV = "conv2d(Input=%x, Filter=%w) {strides=[1, 1], paddings=[1, 1], dilations=[1, 1], groups=1}"
IMAGE = "%x: float32[1,8,4,4]"


def one(op: str, arguments: str = IMAGE) -> str:
    slot = {"conv2d": "Output=", "layer_norm": "Y="}.get(op.partition("(")[0], "")
    return f"graph main({arguments}) {{\n  {slot}%y = {op}\n  return %y\n}}\n"


def why_not(op: str, arguments: str = IMAGE) -> str | None:
    (reason,) = reasons(DEVICE, one(op, arguments))
    return reason


def nodes(op: str, arguments: str = IMAGE) -> list[str]:
    """The types of the ONNX nodes that an op becomes."""
    builder = Builder(OPSET)
    convert(region(one(op, arguments)), DEVICE, builder)
    return [node.op_type for node in builder.nodes]


@pytest.mark.parametrize(
    ("op", "arguments", "types"),
    [
        ("relu(X=%x)", IMAGE, ["Relu"]),
        (CONV, f"{IMAGE}, %w: float32[8,8,3,3]", ["Conv"]),
        ("hard_swish(X=%x)", IMAGE, ["HardSwish"]),
        ("hard_swish(X=%x) {threshold=4.0, scale=8.0, offset=2.0}", IMAGE, ["Mul", "Add", "Clip", "Mul"]),
        ("softmax(X=%x) {axis=1}", IMAGE, ["Softmax"]),
        ("matmul_v2(X=%x, Y=%w)", "%x: float32[2,3], %w: float32[3,4]", ["MatMul"]),
        ("elementwise_floordiv(X=%x, Y=%w)", "%x: int64[2], %w: int64[2]", []),
    ],
)
def test_ops_become_these_nodes(op: str, arguments: str, types: list[str]) -> None:
    if not types:
        assert why_not(op, arguments) is not None
        return
    assert why_not(op, arguments) is None
    assert nodes(op, arguments) == types


@pytest.mark.parametrize(
    ("op", "arguments", "reason"),
    [
        ("erf(X=%x)", IMAGE, "the HTP has no Erf in float16 that is exact enough"),
        ("softplus(X=%x)", IMAGE, "the HTP has no Softplus in float16 that is exact enough"),
        (
            "relu(X=%x)",
            "%x: float64[2]",
            "X is float64[2]; expected bool or float32 or int32 or int64",
        ),
        (
            "relu(X=%x)",
            "%x: float32[0,2]",
            "X is float32[0,2], which is empty; expected at least one element",
        ),
        (
            "relu(X=%x)",
            "%x: float32[1,1,1,1,1,1]",
            "X is float32[1,1,1,1,1,1]; expected at most 5 dimensions",
        ),
        (
            "elementwise_floordiv(X=%x, Y=%w)",
            "%x: float32[2], %w: float32[2]",
            "X is float32[2]; a quotient rounded to float16 may have another floor",
        ),
        (
            "log_softmax(X=%x) {axis=1}",
            "%x: float32[2,1]",
            "the axis of X, float32[2,1], has size 1; the HTP takes 2 or more",
        ),
        (
            "take(X=%x, Index=%w) {axis=0}",
            "%x: float32[4], %w: int64[2]",
            "Index is not constant and may have numbers below 0, which the HTP does not take",
        ),
        (
            "elementwise_max(X=%x, Y=%w)",
            "%x: float32[1,1,1,1,2], %w: float32[1,1,1,1,2]",
            "Out is float32[1,1,1,1,2]; the HTP compares tensors of at most 4 dimensions",
        ),
        (
            "layer_norm(X=%x) {begin_norm_axis=1}",
            "%x: float32[2,3,4]",
            "it normalises over 2 axes; the HTP normalises over the last one",
        ),
        (
            "conv2d(Input=%x, Filter=%w) {strides=[2, 2], paddings=[1, 1], dilations=[2, 2], groups=8}",
            f"{IMAGE}, %w: float32[8,1,3,3]",
            "groups with strides [2, 2] and dilations [2, 2]; the HTP takes one of both above 1",
        ),
        (
            "cast(X=%x) {in_dtype=5, out_dtype=3}",
            "%x: float32[2]",
            "the HTP does not cast float32 to int64; it takes int32",
        ),
    ],
)
def test_a_refusal_names_the_limit(op: str, arguments: str, reason: str) -> None:
    assert why_not(op, arguments) == reason


def test_strict_precision_leaves_all_to_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: object())
    device = Qnn(QnnOptions(), Settings(precision="strict"))
    assert device.available() == "the HTP computes in float16, and the precision is strict"


def test_a_missing_package_is_a_sentence_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert DEVICE.available() == (
        "package onnxruntime-qnn is not installed; pip install 'litebridge[qnn]' "
        "(64-bit Linux or Windows, Python 3.11 or newer)"
    )
