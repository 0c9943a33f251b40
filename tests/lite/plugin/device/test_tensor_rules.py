"""The table of element types, ranks and sizes that a device takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.ir.graph import Graph
from lite.ir.lower import lower_graph
from lite.ir.types import DType, Shape
from lite.plugin.device import BridgeOp, TensorRule, TensorRules
from tests.lite.runtime.regions.on_fake import CONVNET, fake_predictor, image
from tests.support.fake_device import fake_device
from tests.support.small_convnet import convnet

RULES = TensorRules(
    TensorRule({DType.FLOAT32}, min_rank=1, max_rank=3, empty=False),
    {"gather.Index": TensorRule({DType.INT32}, max_rank=1), "cast": TensorRule()},
)


def op(kind: str, out: tuple[DType, Shape | None], **inputs: tuple[DType, Shape | None]) -> BridgeOp:
    graph = Graph()
    args = {}
    for slot, (dtype, shape) in inputs.items():
        value = graph.add_arg(slot)
        value.dtype, value.shape = dtype, shape
        args[slot] = [value]
    attrs: dict[str, Any] = {"in_dtype": 5, "out_dtype": 3} if kind == "cast" else {}
    result = graph.add_node(kind, args, {"Out": ["out"]}, attrs).output()
    result.dtype, result.shape = out
    graph.set_results([result], ["out"])
    return BridgeOp(next(iter(graph)))


F, INT = DType.FLOAT32, DType.INT64


@pytest.mark.parametrize(
    ("scalar_constants", "rank", "reason"),
    [
        (True, 0, None),
        (True, 1, "Y is float32[1]; expected at least 2 dimensions"),
        (False, 0, "Y is float32[]; expected at least 2 dimensions"),
    ],
)
def test_a_constant_may_have_rank_0(scalar_constants: bool, rank: int, reason: str | None) -> None:
    graph = Graph()
    x = graph.add_arg("x")
    x.dtype, x.shape = F, (2, 3)
    number = graph.add_constant("c", np.full((1,) * rank, 0.5, np.float32))
    result = graph.add_node("elementwise_add", {"X": [x], "Y": [number]}, {"Out": ["out"]}, {}).output()
    result.dtype, result.shape = F, (2, 3)
    graph.set_results([result], ["out"])
    rules = TensorRules(TensorRule({F}, min_rank=2, scalar_constants=scalar_constants))

    assert rules.why_not(BridgeOp(next(iter(graph)))) == reason


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (op("relu", (F, (2,)), X=(F, (2,))), None),
        (op("relu", (F, None), X=(F, None)), None),
        (op("relu", (F, ("n",)), X=(F, ("n",))), None),
        (op("relu", (INT, (2,)), X=(INT, (2,))), "X is int64[2]; expected float32"),
        (op("relu", (F, ()), X=(F, ())), "X is float32[]; expected at least 1 dimensions"),
        (op("relu", (F, (1,) * 4), X=(F, (1,))), "Out is float32[1,1,1,1]; expected at most 3 dimensions"),
        (
            op("relu", (F, (0, 2)), X=(F, (0, 2))),
            "X is float32[0,2], which is empty; expected at least one element",
        ),
        (op("gather", (F, (2,)), X=(F, (4,)), Index=(DType.INT32, (2,))), None),
        (
            op("gather", (F, (2,)), X=(F, (4,)), Index=(INT, (2,))),
            "Index is int64[2]; expected int32",
        ),
        (op("cast", (INT, ()), X=(DType.BOOL, (0,))), None),
    ],
)
def test_a_tensor_outside_the_table_is_a_reason(made: BridgeOp, reason: str | None) -> None:
    assert RULES.why_not(made) == reason


def test_an_output_that_nothing_reads_has_no_rule() -> None:
    graph = Graph()
    x = graph.add_arg("x")
    x.dtype, x.shape = F, (2,)
    graph.add_node("relu", {"X": [x]}, {"Out": ["out"]}).output().dtype = INT
    graph.set_results([x], ["x"])
    assert RULES.why_not(BridgeOp(next(iter(graph)))) is None


def test_marking_asks_the_table_before_the_bridge(tmp_path: Path) -> None:
    net = tmp_path / "net"
    lite.save_program(convnet(), net)
    rules = TensorRules(slots={"conv2d": TensorRule(max_rank=3)})
    with fake_device(*CONVNET, tensors=rules) as faults:
        predictor = fake_predictor(net, min_subgraph_ops=1)
        reasons = [each.why_not.get("fake") for each in predictor.report().ops if each.type == "conv2d"]
        predictor.run([image()])
    assert all(reason and reason.endswith("expected at most 3 dimensions") for reason in reasons)
    assert faults.compiled


def test_a_size_that_turns_out_empty_leaves_the_signature_to_the_host(tmp_path: Path) -> None:
    graph = Graph()
    x = graph.add_arg("x")
    x.dtype, x.shape = F, ("n", 2)
    y = graph.add_node("relu", {"X": [x]}, {"Out": ["y"]}).output()
    y.dtype, y.shape = F, ("n", 2)
    graph.set_results([y], ["y"])
    lite.save_program(lower_graph(graph), tmp_path / "model")
    rules = TensorRules(TensorRule(empty=False))
    with fake_device("relu", tensors=rules) as faults:
        predictor = lite.create_predictor(
            lite.Config(tmp_path / "model", devices=["fake"], min_subgraph_ops=1)
        )
        full = predictor.run([np.array([[1, -1]], np.float32)])["y"]
        empty = predictor.run([np.zeros((0, 2), np.float32)])["y"]
        reasons = [region.reason for region in predictor.report().regions]
    np.testing.assert_array_equal(full, [[1, 0]])
    assert empty.shape == (0, 2)
    assert faults.compiled == 2
    assert any("which is empty" in reason for reason in reasons)
