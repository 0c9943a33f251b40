"""Ops that move numbers pass the quantisation on; others do not."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged

PASS = "quantization_parameters_propagation_pass"
Q, OTHER, CHANNELS = (
    "quant([0.5], [3], -1, uint8)",
    "quant([0.25], [3], -1, uint8)",
    "quant([0.5, 0.5, 0.5], [0, 0, 0], 1, int8)",
)


def test_the_numbers_are_followed_through_several_ops() -> None:
    text = """
graph main(%x: float32[2,3], %z: float32[3,2] Q) {
  %a = relu(X=%x) : float32[2,3] Q
  %b = transpose2(X=%a) {axis=[1, 0]} : float32[3,2]P
  %c = concat(X=[%b, %z]) {axis=1} : float32[3,4]P
  %d = reshape2(X=%c) {shape=[12]} : float32[12]P
  %e = sigmoid(X=%d) : float32[12]
  return %e
}
"""
    check(PASS, text.replace("P\n", "\n").replace("Q", Q), text.replace("P\n", f" {Q}\n").replace("Q", Q))


@pytest.mark.parametrize(
    "node",
    [
        f"relu(X=%x) : float32[2,3] {Q} %y = concat(X=[%a, %x]) {{axis=0}} : float32[4,3]",
        f"relu(X=%x) : float32[2,3] {Q} %y = elementwise_add(X=%a, Y=%a) {{axis=-1}} : float32[2,3]",
        f"relu(X=%x) : float32[2,3] {CHANNELS} %y = transpose2(X=%a) {{axis=[1, 0]}} : float32[3,2]",
        f"relu(X=%x) : float32[2,3] {Q} %y = reshape2(X=%a) {{shape=[6]}} : float32[6] {OTHER}",
    ],
    ids=["a real input", "arithmetic", "channels", "quantised"],
)
def test_other_values_stay(node: str) -> None:
    check_unchanged(PASS, f"graph main(%x: float32[2,3]) {{ %a = {node} return %y }}")


@pytest.mark.parametrize(("kind", "moves"), [("max", True), ("avg", False)])
def test_maxima_of_windows_move_numbers(kind: str, moves: bool) -> None:
    text = f"""graph main(%x: float32[1,1,4,4] {Q}) {{
      %y = pool2d(X=%x) {{pooling_type="{kind}", ksize=[2, 2], strides=[2, 2]}} : float32[1,1,2,2]NEW
      return %y }}"""
    check(PASS, text.replace("NEW", ""), text.replace("NEW", f" {Q}" if moves else ""))
