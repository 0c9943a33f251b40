"""Shape ops on the simulated NPU."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lite.ir.types import Array
from tests.bridges.arrays import floats, integers
from tests.bridges.devices import SIM_NPU
from tests.bridges.sim_npu.nodes import nodes_of


def text(op: str, attributes: str, shape: str = "2,1,3,4", dtype: str = "float32") -> str:
    return f"graph main(%x: {dtype}[{shape}]) {{ %y = {op}(X=%x) {{{attributes}}} return %y }}"


@pytest.mark.parametrize(("make", "dtype"), [(floats, "float32"), (integers, "int32")])
@pytest.mark.parametrize(
    ("op", "attributes", "kind"),
    [
        ("reshape2", "shape=[0, -1, 6]", "RESHAPE"),
        ("squeeze2", "axes=[1]", "RESHAPE"),
        ("squeeze2", "axes=[]", "RESHAPE"),
        ("unsqueeze2", "axes=[0]", "RESHAPE"),
        ("flatten2", "axis=2", "RESHAPE"),
        ("flatten_contiguous_range", "start_axis=1, stop_axis=-1", "RESHAPE"),
        ("transpose2", "axis=[0, 2, 3, 1]", "TRANSPOSE"),
        ("transpose2", "axis=[-1, 0, 1, 2]", "TRANSPOSE"),
    ],
)
def test_a_view_becomes_one_node(
    make: Callable[..., Array], dtype: str, op: str, attributes: str, kind: str
) -> None:
    source = text(op, attributes, dtype=dtype)

    SIM_NPU.check(source, make(2, 1, 3, 4))
    assert nodes_of(source) == {kind: 1}


def test_a_view_of_the_same_shape_needs_no_node() -> None:
    source = text("reshape2", "shape=[0, 0, 0, 0]")

    SIM_NPU.check(source, floats(2, 1, 3, 4))
    assert nodes_of(source) == {}


def joined(op: str, axis: int, second: str = "float32[2,3]") -> str:
    return f"""graph main(%x: float32[2,3], %y: {second}) {{
        %z = {op}(X=[%x, %y, %x]) {{axis={axis}}} return %z }}"""


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_concat_equals_the_host(axis: int) -> None:
    SIM_NPU.check(joined("concat", axis), floats(2, 3), floats(2, 3, seed=1))
    assert nodes_of(joined("concat", axis)) == {"CONCAT": 1}


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_stack_equals_the_host(axis: int) -> None:
    source = joined("stack", axis).replace("%z = stack", "Y=%z = stack")

    SIM_NPU.check(source, floats(2, 3), floats(2, 3, seed=1))
    assert nodes_of(source) == {"RESHAPE": 3, "CONCAT": 1}


@pytest.mark.parametrize(
    "attributes", ["axis=1, num=3", "axis=1, sections=[1, 3, 2]", "axis=-1, sections=[1, -1, 2]"]
)
def test_split_equals_the_host(attributes: str) -> None:
    source = (
        f"graph main(%x: int32[2,6]) {{ Out=[%a, %b, %c] = split(X=%x) {{{attributes}}} return %a, %c, %b }}"
    )

    SIM_NPU.check(source, integers(2, 6))
    assert nodes_of(source) == {"SPLIT": 1}


def test_too_many_parts_are_declined() -> None:
    names = ", ".join(f"%p{n}" for n in range(65))
    split = f"graph main(%x: float32[65]) {{ Out=[{names}] = split(X=%x) {{num=65}} return %p0 }}"
    concat = f"graph main(%x: float32[1]) {{ %y = concat(X=[{', '.join(['%x'] * 65)}]) return %y }}"

    assert SIM_NPU.why_not(split) == "it makes 65 tensors; the device makes up to 64"
    assert SIM_NPU.why_not(concat) == "it joins 65 tensors; the device joins up to 64"


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (
            joined("concat", 0, "int32[2,3]"),
            "its inputs have different element types; the device joins tensors of one",
        ),
        (
            text("unsqueeze2", "axes=[0]", "1,2,3,4,5"),
            "Out is float32[1,1,2,3,4,5], of rank 6; the device's tensors have 1 to 5 axes",
        ),
        (
            text("flatten2", "axis=1", dtype="int64"),
            "X is int64[2,1,3,4]; the device computes in float32 or int32",
        ),
    ],
)
def test_other_types_and_ranks_are_declined(source: str, sentence: str) -> None:
    assert SIM_NPU.why_not(source) == sentence


def test_a_shape_that_is_a_tensor_is_declined() -> None:
    source = "graph main(%x: float32[6], %s: int32[2]) { %y = reshape2(X=%x, Shape=%s) return %y }"
    assert SIM_NPU.why_not(source) == "input Shape is given; the device's operator has no such input"
