from __future__ import annotations

from collections.abc import Callable

import pytest

from lite.ir.types import Array
from tests.bridges.region import check
from tests.bridges.sim_npu.opened import nodes_of, opened, reason
from tests.bridges.sim_npu.sdk.program_run import floats, integers


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
def test_views(make: Callable[..., Array], dtype: str, op: str, attributes: str, kind: str) -> None:
    given = text(op, attributes, dtype=dtype)

    check(opened(), given, make(2, 1, 3, 4))
    assert nodes_of(given) == {kind: 1}


def test_the_same_shape_is_no_node() -> None:
    given = text("reshape2", "shape=[0, 0, 0, 0]")

    check(opened(), given, floats(2, 1, 3, 4))
    assert nodes_of(given) == {}


def joined(op: str, axis: int, second: str = "float32[2,3]") -> str:
    return f"""graph main(%x: float32[2,3], %y: {second}) {{
        %z = {op}(X=[%x, %y, %x]) {{axis={axis}}} return %z }}"""


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_concat(axis: int) -> None:
    check(opened(), joined("concat", axis).replace("%z =", "%z ="), floats(2, 3), floats(2, 3, seed=1))
    assert nodes_of(joined("concat", axis)) == {"CONCAT": 1}


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_stack(axis: int) -> None:
    given = joined("stack", axis).replace("%z = stack", "Y=%z = stack")

    check(opened(), given, floats(2, 3), floats(2, 3, seed=1))
    assert nodes_of(given) == {"RESHAPE": 3, "CONCAT": 1}


@pytest.mark.parametrize(
    "attributes", ["axis=1, num=3", "axis=1, sections=[1, 3, 2]", "axis=-1, sections=[1, -1, 2]"]
)
def test_split(attributes: str) -> None:
    given = (
        f"graph main(%x: int32[2,6]) {{ Out=[%a, %b, %c] = split(X=%x) {{{attributes}}} return %a, %c, %b }}"
    )

    check(opened(), given, integers(2, 6))
    assert nodes_of(given) == {"SPLIT": 1}


def test_many_parts() -> None:
    names = ", ".join(f"%p{n}" for n in range(65))
    cut = f"graph main(%x: float32[65]) {{ Out=[{names}] = split(X=%x) {{num=65}} return %p0 }}"
    together = f"graph main(%x: float32[1]) {{ %y = concat(X=[{', '.join(['%x'] * 65)}]) return %y }}"

    assert reason(cut) == "it makes 65 tensors; the device makes up to 64"
    assert reason(together) == "it joins 65 tensors; the device joins up to 64"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (joined("concat", 0, "int32[2,3]"), "its inputs have different element types; the device's have one"),
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
def test_declined(given: str, sentence: str) -> None:
    assert reason(given) == sentence


def test_a_shape_that_is_a_tensor_is_declined() -> None:
    given = "graph main(%x: float32[6], %s: int32[2]) { %y = reshape2(X=%x, Shape=%s) return %y }"
    assert reason(given) == "input Shape is given; the device's operator has no such input"
