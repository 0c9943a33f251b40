from __future__ import annotations

import pytest

from tests.bridges.region import check
from tests.bridges.sim_npu.opened import nodes_of, opened, reason
from tests.bridges.sim_npu.sdk.program_run import integers


def text(op: str, attributes: str) -> str:
    return f"graph main(%x: int32[4,5,6]) {{ %y = {op}(Input=%x) {{{attributes}}} return %y }}"


@pytest.mark.parametrize(
    ("op", "attributes", "nodes"),
    [
        ("slice", "axes=[0, 2], starts=[1, -3], ends=[3, 100]", {"SLICE": 1}),
        ("slice", "axes=[1], starts=[2], ends=[3], decrease_axis=[1]", {"SLICE": 1, "RESHAPE": 1}),
        ("slice", "axes=[0], starts=[-1], ends=[0], decrease_axis=[0]", {"SLICE": 1, "RESHAPE": 1}),
        ("strided_slice", "axes=[0, 1], starts=[1, 0], ends=[4, 5], strides=[2, 3]", {"SLICE": 1}),
        ("strided_slice", "axes=[-1], starts=[-5], ends=[-1], strides=[2]", {"SLICE": 1}),
    ],
)
def test_ranges(op: str, attributes: str, nodes: dict[str, int]) -> None:
    check(opened(), text(op, attributes), integers(4, 5, 6))
    assert nodes_of(text(op, attributes)) == nodes


@pytest.mark.parametrize(
    ("op", "attributes", "sentence"),
    [
        (
            "strided_slice",
            "axes=[0, 1], starts=[0, 3], ends=[2, 0], strides=[1, -1]",
            "strides are [1, -1]; the device's go forward",
        ),
        (
            "slice",
            "axes=[0], starts=[2], ends=[2]",
            "Out is int32[0,5,6]; the device has no tensors without elements",
        ),
    ],
)
def test_declined(op: str, attributes: str, sentence: str) -> None:
    assert reason(text(op, attributes)) == sentence


def test_a_computed_start_is_declined() -> None:
    given = """graph main(%x: int32[4], %s: int32[1]) {
        %y = slice(Input=%x, StartsTensor=%s) {axes=[0], ends=[4]} return %y }"""
    assert reason(given) == "input StartsTensor is given; the device's operator has no such input"
