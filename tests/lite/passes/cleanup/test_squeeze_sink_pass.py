"""A squeeze after a convolution moves after elementwise ops and slices of other axes."""

from __future__ import annotations

import pytest

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
        # Not behind an op on images.
        ("%r = relu(X=%x) : float32[?,3,1,8]", "%a = squeeze2(X=%r) {axes=[2]} : float32[?,3,8]",
         "%y = relu(X=%a) : float32[?,3,8]"),
        ("%y = relu(X=%i) : float32[?,4,1,6]",),
    ],
)  # fmt: skip
def test_squeezes_before_other_ops_are_kept(lines: tuple[str, ...]) -> None:
    check_unchanged(PASS, text(*lines))
