"""Plans of small graphs in full: indices, lifetimes, views, in-place pairs, LoD sources."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from lite.ir.text import parse_graph
from lite.ir.types import DType, Place
from lite.plan import Instruction, Plan, ValueInfo, build_plan

F = DType.FLOAT32


def test_a_plan_has_all_fields() -> None:
    plan = build_plan(
        parse_graph(
            """
            graph main(%x: float32[?,4]) {
              %w = const float32[4] [1.0, 2.0, 3.0, 4.0]
              %a = elementwise_add(X=%x, Y=%w) {axis=-1} @host/any/any : float32[?,4]
              %b = relu(X=%a) @host/any/any : float32[?,4]
              %c = reshape2(X=%b) {shape=[-1]} @host/any/any : float32[?]
              return out=%c
            }
            """
        )
    )
    constants = dict(plan.constants)
    assert list(constants) == [1]
    assert constants.pop(1).tolist() == [1, 2, 3, 4]
    host = Place("host")
    assert plan == Plan(
        "main",
        (
            ValueInfo("x", F, ("?", 4), -1, 0, 0),
            ValueInfo("w", F, (4,), -1, 0, 1),
            ValueInfo("a", F, ("?", 4), 0, 1, 2),
            ValueInfo("b", F, ("?", 4), 1, 3, 3),
            ValueInfo("c", F, ("?",), 2, 3, 3),
        ),
        (0,),
        (4,),
        ("out",),
        (
            Instruction("elementwise_add", {"X": (0,), "Y": (1,)}, {"Out": (2,)}, {"axis": -1}, host),
            Instruction("relu", {"X": (2,)}, {"Out": (3,)}, {}, host, ((3, 2),)),
            Instruction("reshape2", {"X": (3,)}, {"Out": (4,)}, {"shape": [-1]}, host),
        ),
        plan.constants,
        True,
    )


@pytest.mark.parametrize(
    ("body", "pairs"),
    [
        ("%b = relu(X=%a) @host/any/any  return %b", True),
        ("%b = relu(X=%a) @host/any/any  return %b, %a", False),
        ("%b = relu(X=%a) @host/any/any  %c = elementwise_add(X=%b, Y=%a) @host/any/any  return %c", False),
        ("%b = relu(X=%x) @host/any/any  return %b, %a", False),
    ],
    ids=["last read", "a result", "read later", "an argument"],
)
def test_an_op_runs_in_place_only_at_the_last_read_of_its_input(body: str, pairs: bool) -> None:
    plan = build_plan(parse_graph(f"graph main(%x: float32[4]) {{ %a = tanh(X=%x) @host/any/any  {body} }}"))
    relu = next(item for item in plan.instructions if item.op == "relu")
    assert bool(relu.inplace) is pairs


def test_an_op_does_not_run_in_place_if_another_input_shares_the_buffer() -> None:
    plan = build_plan(
        parse_graph(
            """
            graph main(%x: float32[2,2]) {
              %a = tanh(X=%x) @host/any/any : float32[2,2]
              %v = reshape2(X=%a) {shape=[4,1]} @host/any/any : float32[4,1]
              %y = elementwise_add(X=%a, Y=%v) @host/any/any : float32[4,2]
              return %y
            }
            """
        )
    )
    assert plan.instructions[2].inplace == ()


@pytest.mark.parametrize(
    ("body", "pairs"),
    [
        ("%y = fused_attention(Q=%a, K=%x, V=%x) @host/any/any", ((2, 1),)),
        ("%y = fused_attention(Q=%a, K=%a, V=%x) @host/any/any", ()),
        ("%y = elementwise_mul(X=%a, Y=%a) @host/any/any", ((2, 1),)),
    ],
)
def test_only_an_elementwise_op_overwrites_what_it_reads_twice(
    body: str, pairs: tuple[tuple[int, int], ...]
) -> None:
    text = (
        f"graph main(%x: float32[2,2]) {{ %a = tanh(X=%x) @host/any/any : float32[2,2]  {body}  return %y }}"
    )
    assert build_plan(parse_graph(text)).instructions[1].inplace == pairs


def test_lod_is_traced_to_the_argument_it_comes_from() -> None:
    plan = build_plan(
        parse_graph(
            """
            graph main(%a: float32[4], %b: float32[4]) {
              %c = relu(X=%b) @host/any/any
              %s = shape(Input=%b) @host/any/any
              return %c, %s, %a
            }
            """
        )
    )
    assert not plan.reads_lod
    assert plan.lod_sources == (1, None, 0)


def test_a_node_without_a_kernel_is_an_error() -> None:
    with pytest.raises(
        GraphError, match=r"relu %y has no picked kernel; static_kernel_pick_pass must run before"
    ):
        build_plan(parse_graph("graph main(%x: float32[4]) { %y = relu(X=%x)  return %y }"))
