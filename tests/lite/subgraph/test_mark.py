"""Marks: which devices take an op, and the reasons of the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lite.ir.text import parse_graph
from lite.plugin.device import BRIDGES, BridgeOp, Device
from lite.plugin.device.opening import open_device
from lite.subgraph.mark import Marks, mark
from lite.subgraph.partition_rules import PartitionRules
from tests.support.fake_device import HostOp, fake_device

TEXT = """
graph main(%x: float32[2], %n: ?[2]) {
  %a = relu(X=%x) : float32[2]
  %b = sigmoid(X=%a) : float32[2]
  %c = relu(X=%n)
  return %b, %c
}
"""


def answers(marks: Marks) -> Mapping[str, tuple[list[str], dict[str, str]]]:
    return {node.label: (entry.supported_by, entry.why_not) for node, entry in marks.ops.items()}


def test_ops_are_supported_or_have_a_reason() -> None:
    with fake_device("relu"):
        marks = mark(parse_graph(TEXT), [open_device("fake")])
    assert answers(marks) == {
        "a": (["fake"], {}),
        "b": ([], {"fake": "fake has no bridge for sigmoid"}),
        "c": ([], {"fake": "the element type of %n is not known"}),
    }


def test_an_unavailable_device_declines_every_op() -> None:
    with fake_device("relu") as faults:
        faults.missing = "no driver"
        marks = mark(parse_graph(TEXT), [open_device("fake")])
    assert {reasons["fake"] for _, reasons in answers(marks).values()} == {"no driver"}


def test_a_bridge_that_throws_declines(monkeypatch: Any) -> None:
    def throws(self: HostOp, op: BridgeOp, device: Device[Any]) -> str | None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(HostOp, "why_not", throws)
    with fake_device("relu"):
        marks = mark(parse_graph(TEXT), [open_device("fake")])
    assert answers(marks)["a"] == (
        [],
        {"fake": "fake: asking about relu 'a' failed: ZeroDivisionError: oops"},
    )


def test_rules_put_ops_on_one_device() -> None:
    rules = PartitionRules.parse("relu -> second")
    with fake_device("relu", name="first"), fake_device("relu", name="second"):
        marks = mark(parse_graph(TEXT), [open_device("first"), open_device("second")], rules)
    assert answers(marks)["a"] == (["second"], {"first": "a partition rule puts it on second"})


def test_ops_that_failed_before_stay_on_the_host() -> None:
    with fake_device("relu"):
        marks = mark(parse_graph(TEXT), [open_device("fake")], without=("a",))
    assert answers(marks)["a"] == ([], {"fake": "the region with it could not be compiled"})


def test_no_test_leaves_a_bridge_registered() -> None:
    assert not [key for key in BRIDGES if key[0] in ("fake", "first", "second")]
