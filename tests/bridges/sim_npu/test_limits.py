"""The limits of the device's tensors."""

from __future__ import annotations

import pytest

from lite.bridges.sim_npu import limits
from lite.bridges.sim_npu.sdk import limits as manual
from lite.ir.graph import Graph
from lite.ir.types import DType
from lite.plugin.device import BridgeOp
from tests.bridges.region import region

NAMES = (
    "RANK",
    "KERNEL",
    "STRIDE",
    "DILATION",
    "PADDING",
    "JOINED",
    "NODES",
    "INPUTS",
    "OUTPUTS",
    "WEIGHT_BYTES",
)


def test_the_limits_equal_those_of_the_sdk() -> None:
    assert {name: getattr(limits, name) for name in NAMES} == {name: getattr(manual, name) for name in NAMES}
    assert [*(str(dtype) for dtype in limits.FLOAT_OR_INT), "int8"] == list(manual.DTYPES)


def first_op(graph: Graph) -> BridgeOp:
    return BridgeOp(next(iter(graph)))


def why_not_relu(type_: str, dtypes: tuple[DType, ...] = limits.FLOAT) -> str | None:
    graph = region(f"graph main(%x: {type_}) {{ %y = relu(X=%x) return %y }}")
    return limits.why_not_tensors(first_op(graph), "X", dtypes=dtypes)


@pytest.mark.parametrize("type_", ["float32[2,3]", "float32[n,?]", "float32[*]", "float32[1,1,1,1,1]"])
def test_tensors_that_may_fit_are_accepted(type_: str) -> None:
    assert why_not_relu(type_) is None


@pytest.mark.parametrize(
    ("type_", "sentence"),
    [
        ("float64[2]", "X is float64[2]; the device computes in float32"),
        ("int32[2]", "X is int32[2]; the device computes in float32"),
        ("float32[]", "X is float32[], of rank 0; the device's tensors have 1 to 5 axes"),
        (
            "float32[1,1,1,1,1,n]",
            "X is float32[1,1,1,1,1,n], of rank 6; the device's tensors have 1 to 5 axes",
        ),
        ("float32[n,0]", "X is float32[n,0]; the device has no tensors without elements"),
    ],
)
def test_tensors_that_do_not_fit_are_declined(type_: str, sentence: str) -> None:
    assert why_not_relu(type_) == sentence


def test_int32_is_accepted_where_the_bridge_takes_it() -> None:
    assert why_not_relu("int32[2]", limits.FLOAT_OR_INT) is None
    assert why_not_relu("int64[2]", limits.FLOAT_OR_INT) == (
        "X is int64[2]; the device computes in float32 or int32"
    )


def test_an_input_in_another_slot_is_declined() -> None:
    op = first_op(
        region("graph main(%x: float32[2], %y: float32[2]) { %z = elementwise_add(X=%x, Y=%y) return %z }")
    )

    assert limits.why_not_tensors(op, "X", "Y") is None
    assert limits.why_not_tensors(op, "X") == "input Y is given; the device's operator has no such input"


def test_a_second_output_that_is_read_is_declined() -> None:
    read = "graph main(%x: float32[2]) { %y, XShape=%s = reshape2(X=%x) {shape=[1, 2]} return %y, %s }"

    assert limits.why_not_tensors(first_op(region(read)), "X") == (
        "output XShape is read; the device computes Out alone"
    )
    assert limits.why_not_tensors(first_op(region(read.replace(", %s }", " }"))), "X") is None


def test_an_output_whose_shape_depends_on_data_is_declined() -> None:
    op = first_op(
        region("graph main(%x: float32[6], %s: int32[2]) { %y = reshape2(X=%x, Shape=%s) return %y }")
    )

    assert limits.why_not_tensors(op, "X", "Shape", dtypes=limits.FLOAT_OR_INT) == (
        "the shape of Out, float32[?,?], depends on data; the device's are static"
    )


def test_a_constant_of_rank_0_is_accepted() -> None:
    graph = region(
        "graph main(%x: float32[2]) { %c = const float32[] [1.0] %y = elementwise_add(X=%x, Y=%c) return %y }"
    )
    op = first_op(graph)

    assert limits.why_not_tensors(op, "X", "Y") is None
    assert op["Y"].shape == ()


def test_a_computed_input_is_declined_where_a_constant_is_required() -> None:
    graph = region(
        """graph main(%x: float32[2,3], %b: float32[3]) { %s = const float32[3] random(1)
        Y=%y = layer_norm(X=%x, Scale=%s, Bias=%b) return %y }"""
    )

    assert limits.why_not_computed(first_op(graph), "Scale") is None
    assert limits.why_not_computed(first_op(graph), "Scale", "Bias") == (
        "Bias is computed at run time; the device keeps it in its weight memory, as a constant"
    )
    without = region("graph main(%x: float32[2,3]) { Y=%y = layer_norm(X=%x) return %y }")
    assert limits.why_not_computed(first_op(without), "Scale", "Bias") is None
