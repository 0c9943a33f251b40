"""Slices and padding on the simulated NPU."""

from __future__ import annotations

import pytest

from tests.bridges.arrays import floats, integers
from tests.bridges.devices import SIM_NPU
from tests.bridges.sim_npu.nodes import nodes_of


def sliced(op: str, attributes: str) -> str:
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
def test_slice_equals_the_host(op: str, attributes: str, nodes: dict[str, int]) -> None:
    SIM_NPU.check(sliced(op, attributes), integers(4, 5, 6))
    assert nodes_of(sliced(op, attributes)) == nodes


@pytest.mark.parametrize(
    ("op", "attributes", "sentence"),
    [
        (
            "strided_slice",
            "axes=[0, 1], starts=[0, 3], ends=[2, 0], strides=[1, -1]",
            "strides are [1, -1]; the device takes positive ones",
        ),
        (
            "slice",
            "axes=[0], starts=[2], ends=[2]",
            "Out is int32[0,5,6]; the device has no tensors without elements",
        ),
    ],
)
def test_negative_steps_and_empty_ranges_are_declined(op: str, attributes: str, sentence: str) -> None:
    assert SIM_NPU.why_not(sliced(op, attributes)) == sentence


def test_a_computed_start_is_declined() -> None:
    source = """graph main(%x: int32[4], %s: int32[1]) {
        %y = slice(Input=%x, StartsTensor=%s) {axes=[0], ends=[4]} return %y }"""
    assert SIM_NPU.why_not(source) == "input StartsTensor is given; the device's operator has no such input"


def padded(attributes: str, shape: tuple[int, ...]) -> str:
    return f"graph main(%x: float32{list(shape)}) {{ %y = pad_nd(X=%x) {{{attributes}}} return %y }}"


@pytest.mark.parametrize(
    ("attributes", "shape"),
    [
        ("paddings=[1, 0, 2, 3], value=7.0", (2, 3)),
        ("paddings=[1, 3, 2, 4], axes=[2, 3], value=-1.0", (2, 3, 4, 5)),
        ("paddings=[1, 3, 5, 2, 4, 6], axes=[3, 2, 1]", (1, 2, 3, 4, 2)),
        ("paddings=[1, 2], axes=[-1]", (2, 3)),
    ],
)
def test_pad_equals_the_host(attributes: str, shape: tuple[int, ...]) -> None:
    SIM_NPU.check(padded(attributes, shape), floats(*shape))
    assert nodes_of(padded(attributes, shape)) == {"PAD": 1}


@pytest.mark.parametrize(
    ("attributes", "sentence"),
    [
        ('paddings=[1, 1], mode="reflect"', "the mode is reflect; the device pads with a constant"),
        ("paddings=[-1, 2]", "paddings are [-1, 2]; the device takes none below 0"),
    ],
)
def test_other_modes_and_negative_paddings_are_declined(attributes: str, sentence: str) -> None:
    assert SIM_NPU.why_not(padded(attributes, (3,))) == sentence


def test_a_padding_value_computed_at_run_time_is_declined() -> None:
    source = """graph main(%x: float32[3], %v: float32[1]) {
        %y = pad_nd(X=%x, Value=%v) {paddings=[1, 2]} return %y }"""
    assert SIM_NPU.why_not(source) == "input Value is given; the device's operator has no such input"
