"""Parts of plans: instructions and values with their own lifetimes and in-place pairs."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import InputError
from lite.plan import Part, Plan, part_of
from tests.lite.runtime.run_text import runtime_of

TEXT = """
graph main(%x: float32[2,3], %z: float32[2,3]) {
  %a = relu(X=%x)
  %b = scale(X=%a) {scale=2.0}
  %v = reshape2(X=%b) {shape=[3, 2]}
  %c = relu(X=%v)
  %d = elementwise_add(X=%b, Y=%z)
  return %c, %d
}
"""


def plan_of(text: str) -> Plan:
    return runtime_of(text).plan


def cut(plan: Plan, inputs: str, outputs: str) -> Part:
    number = {info.name: n for n, info in enumerate(plan.values)}
    return part_of(
        plan, [number[name] for name in inputs.split()], [number[name] for name in outputs.split()]
    )


def described(plan: Plan) -> list[str]:
    """Each value as ``name first..last``, with the root where that is another value."""
    return [
        f"{info.name} {info.first}..{info.last}"
        + ("" if info.root == n else f" in {plan.values[info.root].name}")
        for n, info in enumerate(plan.values)
    ]


def test_the_part_from_arguments_to_results_is_the_whole_plan() -> None:
    plan = plan_of(TEXT)
    part = part_of(plan, plan.args, plan.results)
    assert part.positions == (0, 1, 2, 3, 4)
    assert described(part.plan) == described(plan)
    assert [item.inplace for item in part.plan.instructions] == [item.inplace for item in plan.instructions]
    assert (part.plan.args, part.plan.results) == (plan.args, plan.results)


def test_a_part_has_only_the_needed_instructions() -> None:
    part = cut(plan_of(TEXT), "x", "c")
    assert [item.op for item in part.plan.instructions] == ["relu", "scale", "reshape2", "relu"]
    assert described(part.plan) == ["x -1..0", "a 0..1", "b 1..3", "v 2..3 in b", "c 3..4"]


def test_an_input_of_a_part_is_not_computed_and_is_its_own_root() -> None:
    plan = plan_of(TEXT)
    assert described(cut(plan, "v", "c").plan) == ["v -1..0", "c 0..1"]
    assert cut(plan, "v", "c").plan.instructions[0].inplace == ()
    part = cut(plan, "z b", "d c")
    assert part.positions == (2, 3, 4)
    assert described(part.plan) == ["z -1..2", "b -1..2", "v 0..1 in b", "c 1..3", "d 2..3"]
    assert part.plan.result_names == ("d", "c")


def test_an_output_of_a_part_is_not_overwritten() -> None:
    plan = plan_of("graph main(%x: float32[2]) { %a = relu(X=%x) %b = scale(X=%a) {scale=2.0} return %b }")
    assert plan.instructions[1].inplace == ((2, 1),)
    assert cut(plan, "x", "b").plan.instructions[1].inplace == ((2, 1),)
    assert cut(plan, "x", "a b").plan.instructions[1].inplace == ()


def test_a_part_may_have_no_instructions() -> None:
    part = cut(plan_of(TEXT), "b x", "b")
    assert (part.positions, part.plan.args, part.plan.results) == ((), (0, 1), (0,))


def test_an_input_is_read_as_given_even_if_its_instruction_runs() -> None:
    plan = plan_of(
        "graph main(%x: float32[4]) { %a, %b = split(X=%x) {num=2} %c = relu(X=%a) return %b, %c }"
    )
    part = cut(plan, "x a", "b c a")
    assert described(part.plan) == ["x -1..0", "a -1..2", "a 0..0", "b 0..2", "c 1..2"]
    assert part.plan.instructions[1].inputs == {"X": (1,)}
    assert part.plan.results == (3, 4, 1)


def test_a_part_has_the_constants_that_are_not_inputs() -> None:
    text = """
    graph main(%x: float32[2]) {
      %w = const float32[2] [1.0, 2.0]
      %y = elementwise_add(X=%x, Y=%w)
      return %y
    }
    """
    plan = plan_of(text)
    assert [array.tolist() for array in cut(plan, "x", "y").plan.constants.values()] == [[1.0, 2.0]]
    assert cut(plan, "x w", "y").plan.constants == {}
    assert np.array_equal(next(iter(cut(plan, "", "w").plan.constants.values())), [1.0, 2.0])


def test_a_missing_input_is_named() -> None:
    plan = plan_of(TEXT)
    with pytest.raises(
        InputError, match=r"'c', 'd' cannot be computed from what is given: 'z' is needed too"
    ):
        cut(plan, "x", "c d")
    with pytest.raises(
        InputError, match=r"'d' cannot be computed from what is given: 'x', 'z' is needed too"
    ):
        cut(plan, "", "d")
