"""Plans with inlined branches: instructions, values, and choices that cannot be used."""

from __future__ import annotations

import numpy as np

from lite.plan import Plan
from lite.plan.inline import OUTER, Inlined, inlined
from tests.lite.plan.test_part import described, plan_of

BRANCHES = """
graph main(%p: bool[1], %x: float32[2]) {
  %not = logical_not(X=%p) : bool[1]
  %r = relu(X=%x) : float32[2]
  %a = conditional_block(Cond=%p, Input=%r) {carried=0, is_scalar_condition=true} : float32[2]
    graph block1(%r: float32[2]) {
      %w = const float32[2] [1.0, 2.0] : float32[2]
      %b = elementwise_add(X=%r, Y=%w) : float32[2]
      %v = reshape2(X=%b) {shape=[2]} : float32[2]
      return a=%v
    }
  %c = conditional_block(Cond=%not, Input=%r) {carried=0, is_scalar_condition=true} : float32[2]
    graph block2(%r: float32[2]) {
      return c=%r
    }
  %mask = cast(X=%p) {in_dtype=0, out_dtype=2} : int32[1]
  %y = select_input(X=[%c, %a], Mask=%mask) : float32[2]
  %z = sqrt(X=%y) : float32[2]
  return %z
}
"""
TAKEN, OTHER, SELECT = 2, 3, 5


def of(plan: Plan, choices: dict[int, int]) -> Inlined:
    result = inlined(plan, choices)
    assert result is not None
    return result


def ops(plan: Plan) -> list[str]:
    return [item.op for item in plan.instructions]


def test_a_taken_branch_is_inlined_and_its_condition_is_removed() -> None:
    plan = plan_of(BRANCHES)
    result = of(plan, {TAKEN: 1, OTHER: 0, SELECT: 1})
    assert ops(result.plan) == ["relu", "elementwise_add", "reshape2", "sqrt"]
    assert described(result.plan) == [
        "p -1..-1", "x -1..0", "w -1..1", "r 0..1", "b 1..3", "v 2..3 in b", "z 3..4",
    ]  # fmt: skip
    assert result.instructions == ((OUTER, 1), (TAKEN, 0), (TAKEN, 1), (OUTER, 6))
    [weight] = result.plan.constants.values()
    np.testing.assert_array_equal(weight, [1, 2])
    assert result.values[2] == (TAKEN, next(iter(plan.instructions[TAKEN].blocks[0].constants)))
    assert (result.plan.args, result.plan.results, result.plan.result_names) == ((0, 1), (6,), ("z",))


def test_a_branch_that_returns_its_argument_leaves_no_instruction() -> None:
    result = of(plan_of(BRANCHES), {TAKEN: 0, OTHER: 1, SELECT: 0})
    assert ops(result.plan) == ["relu", "sqrt"]
    assert described(result.plan) == ["p -1..-1", "x -1..0", "r 0..1", "z 1..2"]
    assert result.plan.constants == {}
    # A value that was read twice is now read once; the plan is older, so no op overwrites the value.
    assert result.plan.instructions[1].inputs == {"X": (2,)}


def test_lod_sources_pass_through_inlined_branches() -> None:
    result = of(plan_of(BRANCHES), {TAKEN: 0, OTHER: 1, SELECT: 0})
    assert not result.plan.reads_lod
    assert result.plan.lod_sources == (1,)


def test_a_branch_is_not_skipped_if_its_output_is_read() -> None:
    plan = plan_of(BRANCHES)
    result = of(plan, {TAKEN: 0, OTHER: 1})
    assert ops(result.plan) == ["relu", "conditional_block", "cast", "select_input", "sqrt"]
    assert inlined(plan, {TAKEN: 0}) is None
    assert ops(of(plan, {TAKEN: 0, OTHER: 1, SELECT: 1}).plan).count("conditional_block") == 1


def test_without_choices_there_is_no_inlined_plan() -> None:
    assert inlined(plan_of(BRANCHES), {}) is None


CARRIED = """
graph main(%p: bool[1], %x: float32[2]) {
  %r = relu(X=%x) : float32[2]
  %r#1 = conditional_block(Cond=%p, Input=%r) {carried=1, is_scalar_condition=true} : float32[2]
    graph block1(%r: float32[2]) {
      %r#1 = scale(X=%r) {scale=2.0} : float32[2]
      return r=%r#1
    }
  %y = elementwise_add(X=%r, Y=%r#1) : float32[2]
  return %y
}
"""


def test_a_carried_value_replaces_the_output_of_a_skipped_branch() -> None:
    result = of(plan_of(CARRIED), {1: 0})
    assert ops(result.plan) == ["relu", "elementwise_add"]
    assert result.plan.instructions[1].inputs == {"X": (2,), "Y": (2,)}
    assert result.plan.instructions[1].inplace == ((3, 2),)


def test_an_op_does_not_run_in_place_if_its_input_is_read_later() -> None:
    """Only the block reads its argument, but after inlining, the sum reads it, too."""
    result = of(plan_of(CARRIED), {1: 1})
    assert ops(result.plan) == ["relu", "scale", "elementwise_add"]
    assert result.plan.instructions[1].inplace == ()
    assert described(result.plan) == ["p -1..-1", "x -1..0", "r 0..2", "r#1 1..2", "y 2..3"]


def test_a_branch_with_tensor_arrays_is_not_inlined() -> None:
    plan = plan_of(
        """
        graph main(%p: bool[1], %x: float32[2], %i: int64[1]) {
          %l = conditional_block(Cond=%p, Input=[%x, %i]) {carried=0, is_scalar_condition=true}
              : tensor_array float32[2]
            graph block1(%x: float32[2], %i: int64[1]) {
              %l = write_to_array(X=%x, I=%i) : tensor_array float32[2]
              return %l
            }
          %y = read_from_array(X=%l, I=%i) : float32[2]
          return %y
        }
        """
    )
    assert inlined(plan, {0: 1}) is None
