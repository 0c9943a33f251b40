"""A squeeze after a convolution moves after elementwise ops and slices of other axes."""

from __future__ import annotations

import math

import numpy as np
import onnx
import pytest

import lite
from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_changed

PASS = "squeeze_sink_pass"

HEAD = """
graph main(%x: float32[?,3,1,8], %w: float32[4,3,1,3], %s: float32[?,4,6]) {
  Output=%i = conv2d(Input=%x, Filter=%w) : float32[?,4,1,6]
"""


def text(*lines: str) -> str:
    return HEAD + "\n".join(lines) + "\nreturn %y\n}"


def test_a_squeeze_moves_after_an_activation() -> None:
    check(
        PASS,
        text("%a = squeeze2(X=%i) {axes=[-2]} : float32[?,4,6]", "%y = relu(X=%a) : float32[?,4,6]"),
        text(
            "%y.image = relu(X=%i) : float32[?,4,1,6]",
            "%y = squeeze2(X=%y.image) {axes=[2]} : float32[?,4,6]",
        ),
    )


def test_a_squeeze_moves_after_slices_and_arithmetic_of_equally_squeezed_values() -> None:
    check(
        PASS,
        text(
            "%a = squeeze2(X=%i) {axes=[2]} : float32[?,4,6]",
            "%b = slice(Input=%a) {axes=[-1, 1], starts=[0, 1], ends=[5, 2]} : float32[?,1,5]",
            "%c = slice(Input=%a) {axes=[1, 2], starts=[0, 1], ends=[1, 6]} : float32[?,1,5]",
            "%y = elementwise_add(X=%b, Y=%c) {axis=-1} : float32[?,1,5]",
        ),
        text(
            "%b.image = slice(Input=%i) {axes=[3, 1], starts=[0, 1], ends=[5, 2]} : float32[?,1,1,5]",
            "%c.image = slice(Input=%i) {axes=[1, 3], starts=[0, 1], ends=[1, 6]} : float32[?,1,1,5]",
            "%y.image = elementwise_add(X=%b.image, Y=%c.image) {axis=-1} : float32[?,1,1,5]",
            "%y = squeeze2(X=%y.image) {axes=[2]} : float32[?,1,5]",
        ),
    )


@pytest.mark.parametrize(
    "constant", ["float32[4,1]", "float32[1,4,1]", "float32[6]", "float32[]", "float32[1]"]
)
def test_constants_get_the_squeezed_axis(constant: str) -> None:
    count = {"float32[]": 1, "float32[1]": 1, "float32[6]": 6}.get(constant, 4)
    numbers = [1.5 + n for n in range(count)]
    graph = check_changed(
        PASS,
        f"""
        graph main(%x: float32[2,3,1,8], %w: float32[4,3,1,3]) {{
          %c = const {constant} {numbers} : {constant}
          Output=%i = conv2d(Input=%x, Filter=%w) : float32[2,4,1,6]
          %a = squeeze2(X=%i) {{axes=[2]}} : float32[2,4,6]
          %b = elementwise_mul(X=%a, Y=%c) {{axis=-1}} : float32[2,4,6]
          %y = elementwise_sub(X=%c, Y=%b) {{axis=-1}} : float32[2,4,6]
          return %y
        }}
        """,
    )
    assert [node.op for node in graph] == ["conv2d", "elementwise_mul", "elementwise_sub", "squeeze2"]


def test_other_users_still_read_the_squeezed_image() -> None:
    graph = check_changed(
        PASS,
        """
        graph main(%x: float32[2,3,1,8], %w: float32[4,3,1,3]) {
          Output=%i = conv2d(Input=%x, Filter=%w) : float32[2,4,1,6]
          %a = squeeze2(X=%i) {axes=[2]} : float32[2,4,6]
          %b = sigmoid(X=%a) : float32[2,4,6]
          %y = softmax(X=%a) {axis=1} : float32[2,4,6]
          return %b, %y
        }
        """,
    )
    assert [node.op for node in graph] == ["conv2d", "squeeze2", "sigmoid", "squeeze2", "softmax"]


@pytest.mark.parametrize(
    "lines",
    [
        # Another axis than the op's own, or none that is known.
        ("%a = squeeze2(X=%i) {axes=[2]} : float32[?,4,6]", "%y = softmax(X=%a) {axis=1} : float32[?,4,6]"),
        ("%a = squeeze2(X=%i) {axes=[]} : float32[?,4,6]", "%y = relu(X=%a) : float32[?,4,6]"),
        # One of two was not squeezed.
        (
            "%a = squeeze2(X=%i) {axes=[2]} : float32[?,4,6]",
            "%y = elementwise_add(X=%a, Y=%s) {axis=-1} : float32[?,4,6]",
        ),
        # A slice that drops an axis.
        (
            "%a = squeeze2(X=%i) {axes=[2]} : float32[?,4,6]",
            "%y = slice(Input=%a) {axes=[1], starts=[0], ends=[1], decrease_axis=[1]} : float32[?,6]",
        ),
        # Not after an op on images.
        ("%r = relu(X=%x) : float32[?,3,1,8]", "%a = squeeze2(X=%r) {axes=[2]} : float32[?,3,8]",
         "%y = relu(X=%a) : float32[?,3,8]"),
        ("%y = relu(X=%i) : float32[?,4,1,6]",),
    ],
)  # fmt: skip
def test_squeezes_before_other_ops_are_kept(lines: tuple[str, ...]) -> None:
    check_unchanged(PASS, text(*lines))


@pytest.mark.parametrize(
    ("squeeze", "image", "constant", "out"),
    [
        # Broadcasting makes the result of higher rank than the squeezed value.
        ("[2, 3]", "float32[2,4,1,1]", "float32[1,1,4]", "float32[1,2,4]"),
        ("[0, 1, 2, 3]", "float32[1,1,1,1]", "float32[1]", "float32[1]"),
        # A size that is unknown, or known not to be 1: the squeeze may keep the axis.
        ("[2]", "float32[2,4,?,5]", "float32[5]", "float32[2,4,5]"),
        ("[0, 2]", "float32[2,4,1,5]", "float32[5]", "float32[2,4,5]"),
    ],
)
def test_a_squeeze_stays_where_its_axes_are_counted_differently_afterwards(
    squeeze: str, image: str, constant: str, out: str
) -> None:
    count = math.prod(int(size) for size in constant[8:-1].split(","))
    rank = {"[2, 3]": "[2,4]", "[0, 1, 2, 3]": "[]", "[2]": "[2,4,5]", "[0, 2]": "[2,4,5]"}[squeeze]
    check_unchanged(
        PASS,
        f"""
        graph main(%x: {image}) {{
          %c = const {constant} {[1.5] * count} : {constant}
          %i = pool2d(X=%x) {{ksize=[1, 1], pooling_type="max"}} : {image}
          %a = squeeze2(X=%i) {{axes={squeeze}}} : float32{rank}
          %y = elementwise_add(X=%a, Y=%c) {{axis=-1}} : {out}
          return %y
        }}
        """,
    )


@pytest.mark.parametrize(
    ("shape", "constant"),
    [((2, 4, 3, 3), (1, 1, 4)), ((1, 1, 2, 2), (3, 1, 1)), ((2, 3, 1, 1), (5, 2, 3)), ((1, 4, 2, 3), (1, 4))],
)
def test_a_constant_of_higher_rank_than_the_squeezed_value_adds_axes_in_front(
    shape: tuple[int, ...], constant: tuple[int, ...]
) -> None:
    helper = onnx.helper
    rng = np.random.default_rng(0)
    addend = rng.standard_normal(constant).astype(np.float32)
    model = helper.make_model(
        helper.make_graph(
            [
                helper.make_node("GlobalAveragePool", ["x"], ["p"]),
                helper.make_node("Squeeze", ["p", "axes"], ["s"]),
                helper.make_node("Add", ["s", "w"], ["y"]),
            ],
            "squeezed",
            [helper.make_tensor_value_info("x", 1, shape)],
            [helper.make_tensor_value_info("y", 1, None)],
            [
                onnx.numpy_helper.from_array(np.array([2, 3]), "axes"),
                onnx.numpy_helper.from_array(addend, "w"),
            ],
        ),
        opset_imports=[helper.make_opsetid("", 13)],
        ir_version=8,
    )
    x = rng.standard_normal(shape).astype(np.float32)
    predictor = lite.create_predictor(lite.Config(model_buffer=model.SerializeToString()))
    np.testing.assert_allclose(predictor.run({"x": x})["y"], x.mean((2, 3)) + addend, rtol=1e-5, atol=1e-6)
