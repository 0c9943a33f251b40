"""Ops that move numbers pass the quantisation on; others do not."""

from __future__ import annotations

import pytest

from lite.errors import PassError
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


LEVELS = """
graph main(%x: float32[1,2,4,4] Q) {
  %a = exp(X=%x) : float32[1,2,4,4]
  %b = transpose2(X=%a) {axis=[0, 1, 3, 2]} : float32[1,2,4,4] Q
  %c = relu(X=%b) : float32[1,2,4,4]
  %d = sigmoid(X=%c) : float32[1,2,4,4]
  return %d
}
"""


@pytest.mark.parametrize(("level", "quantised"), [(0, ""), (1, "a"), (2, "ac"), (3, "acd")])
def test_levels_quantise_more(level: int, quantised: str) -> None:
    known = "quant([0.003921568627450980], [0], -1, uint8)"
    after = LEVELS
    for name in quantised:
        line = next(line for line in after.splitlines() if line.startswith(f"  %{name} = "))
        after = after.replace(line, f"{line} {known if name == 'd' else 'Q'}")
    check(f"{PASS}{{level={level}}}", LEVELS.replace("Q", Q), after.replace("Q", Q))


def test_a_level_that_does_not_exist_is_refused() -> None:
    with pytest.raises(PassError, match="expected a level from 0 to 3, got 4"):
        check_unchanged(f"{PASS}{{level=4}}", LEVELS.replace("Q", Q))
