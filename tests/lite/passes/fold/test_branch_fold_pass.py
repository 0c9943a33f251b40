"""Branches with a constant condition become the ops of the branch that is taken."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_run

PASS = "branch_fold_pass"

BRANCHES = """
graph main(%x: float32[2]) {
  %p = const bool[1] [HOLDS] : bool[1]
  %not = const bool[1] [FAILS] : bool[1]
  %mask = const int32[1] [CHOICE] : int32[1]
  %a = conditional_block(Cond=%p, Input=%x) {carried=0, is_scalar_condition=true} : float32[2]
    graph block1(%x: float32[2]) {
      %w = const float32[2] [2.0, 3.0] : float32[2]
      %a = elementwise_mul(X=%x, Y=%w) {axis=-1} : float32[2]
      return %a
    }
  %b = conditional_block(Cond=%not, Input=%x) {carried=0, is_scalar_condition=true} : float32[2]
    graph block2(%x: float32[2]) {
      return %x
    }
  %c = select_input(X=[%b, %a], Mask=%mask) : float32[2]
  %y = relu(X=%c) : float32[2]
  return %y
}
"""


def branches(*, holds: bool) -> str:
    text = BRANCHES.replace("HOLDS", str(holds).lower()).replace("FAILS", str(not holds).lower())
    return text.replace("CHOICE", str(int(holds)))


@pytest.mark.parametrize(("holds", "ops"), [(True, ["elementwise_mul", "relu"]), (False, ["relu"])])
def test_the_branch_that_is_taken(holds: bool, ops: list[str]) -> None:
    check_run(PASS, branches(holds=holds), ops)


def test_a_condition_of_the_run_stays() -> None:
    text = branches(holds=True)
    for line in text.splitlines()[2:5]:
        text = text.replace(line + "\n", "")
    args = "%x: float32[2], %p: bool[1], %not: bool[1], %mask: int32[1]"

    check_unchanged(PASS, text.replace("main(%x: float32[2])", f"main({args})"))


@pytest.mark.parametrize("scalar", ["false", "true"])
@pytest.mark.parametrize("holds", ["false", "true"])
def test_a_carried_value(holds: str, scalar: str) -> None:
    text = f"""
graph main(%x: float32[2]) {{
  %p = const bool[1] [{holds}] : bool[1]
  %y = conditional_block(Cond=%p, Input=%x) {{carried=1, is_scalar_condition={scalar}}} : float32[2]
    graph block1(%x: float32[2]) {{
      %y = relu(X=%x) : float32[2]
      return %y
    }}
  %z = sigmoid(X=%y) : float32[2]
  return %z
}}
"""
    if scalar == "false":
        check_unchanged(PASS, text)
    elif holds == "true":
        check_run(PASS, text, ["relu", "sigmoid"])
    else:
        check_run(PASS, text, ["sigmoid"])


def test_a_constant_result_of_a_branch() -> None:
    check(
        PASS,
        """
graph main(%x: float32[2]) {
  %p = const bool[1] [true] : bool[1]
  %y = conditional_block(Cond=%p) {carried=0, is_scalar_condition=true} : float32[2]
    graph block1() {
      %w = const float32[2] [2.0, 3.0] : float32[2]
      return %w
    }
  %z = elementwise_add(X=%x, Y=%y) {axis=-1} : float32[2]
  return %z
}
""",
        """
graph main(%x: float32[2]) {
  %w = const float32[2] [2.0, 3.0] : float32[2]
  %z = elementwise_add(X=%x, Y=%w) {axis=-1} : float32[2]
  return %z
}
""",
    )


def test_constants_with_the_names_of_others() -> None:
    text = branches(holds=True).replace("%y = relu(X=%c)", "%y = elementwise_add(X=%c, Y=%w) {axis=-1}")
    text = text.replace("{\n  %p =", "{\n  %w = const float32[2] [5.0, 7.0] : float32[2]\n  %p =", 1)

    check_run(PASS, text, ["elementwise_mul", "elementwise_add"])


def test_a_branch_that_is_not_taken_but_read_stays() -> None:
    """A run reports that no op computed the value."""
    text = branches(holds=False).replace("select_input(X=[%b, %a], Mask=%mask)", "sigmoid(X=%a)")
    text = text.replace("  %mask = const int32[1] [0] : int32[1]\n", "")
    lines = text.splitlines()
    begin = next(n for n, line in enumerate(lines) if line.startswith("  %b"))
    text = "\n".join(line for line in [*lines[:begin], *lines[begin + 4 :]] if "%not" not in line)

    check_unchanged(PASS, text)
