"""Broadcasting at an axis, with sizes that are not known yet."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from lite.ops.defs.elementwise import aligned
from tests.lite.ops.inferred import inferred


@pytest.mark.parametrize(
    ("first", "second", "axis", "wanted"),
    [
        ((2, 3, 4), (2, 3, 4), -1, ((2, 3, 4), (2, 3, 4))),
        ((2, 3, 4), (4,), -1, ((2, 3, 4), (1, 1, 4))),
        ((2, 3, 4), (3,), 1, ((2, 3, 4), (1, 3, 1))),
        ((2, 3, 4), (2, 3), 0, ((2, 3, 4), (2, 3, 1))),
        ((2, 3, 4), (4, 1), 2, ((2, 3, 4), (1, 1, 4))),
        ((2, 3, 4), (3, 1), -1, ((2, 3, 4), (1, 3, 1))),
        ((3,), (2, 3, 4), 1, ((1, 3, 1), (2, 3, 4))),
        ((2, 3), (), 3, ((2, 3), (1, 1))),
        ((), (), -1, ((), ())),
        ((2, 3), (1, 1), 1, ((2, 3), (1, 1))),
    ],
)
def test_aligned(
    first: tuple[int, ...],
    second: tuple[int, ...],
    axis: int,
    wanted: tuple[tuple[int, ...], tuple[int, ...]],
) -> None:
    assert aligned(first, second, axis) == wanted


@pytest.mark.parametrize(("shape", "axis"), [((3, 4), 2), ((3,), 3), ((3,), -2)])
def test_does_not_fit(shape: tuple[int, ...], axis: int) -> None:
    with pytest.raises(GraphError, match="does not fit at axis"):
        aligned((2, 3, 4), shape, axis)


@pytest.mark.parametrize(
    ("x", "y", "axis", "wanted"),
    [
        ("float32[n,3,h,w]", "float32[n,3,h,w]", -1, "float32[n,3,h,w]"),
        ("float32[n,3,h,w]", "float32[3]", 1, "float32[n,3,h,w]"),
        ("float32[n,3,h,w]", "float32[n,3,1,1]", -1, "float32[n,3,h,w]"),
        ("float32[n,3,h,w]", "float32[h,w,?]", 2, "float32[n,3,h,w]"),
        ("float32[1,3]", "float32[n,1]", -1, "float32[n,3]"),
        ("float32[n,3]", "float32[m,3]", -1, "float32[?,3]"),
        ("float32[n,3]", "float32[5,3]", -1, "float32[5,3]"),
        ("float32[]", "float32[n]", -1, "float32[n]"),
        ("float32[*]", "float32[n]", -1, "float32[*]"),
        ("float32[n]", "float32[*]", -1, "float32[*]"),
    ],
)
@pytest.mark.parametrize("op", ["elementwise_add", "elementwise_mod", "fusion_elementwise_mul_activation"])
def test_rule(op: str, x: str, y: str, axis: int, wanted: str) -> None:
    assert inferred(op, {"X": x, "Y": y}, {"axis": axis}) == wanted


def test_rule_names_the_op() -> None:
    with pytest.raises(GraphError, match=r"elementwise_add: shape \[3\] does not fit at axis 2 of 2 axes"):
        inferred("elementwise_add", {"X": "float32[2,3]", "Y": "float32[3]"}, {"axis": 2})


@pytest.mark.parametrize(
    ("op", "inputs", "wanted"),
    [
        ("atan2", {"X1": "float32[n,1]", "X2": "float32[3]"}, "float32[n,3]"),
        ("atan2", {"X1": "int32[2]", "X2": "int32[2]"}, "float64[2]"),
        ("atan2", {"X1": "int32[*]", "X2": "int32[2]"}, "float64[*]"),
        (
            "axpy",
            {"Scale": "float32[n,3]", "X": "float32[n,3,h]", "Bias": "float32[n,3,h]"},
            "float32[n,3,h]",
        ),
        ("sum", {"X": ["float32[n,3]", "float32[2,3]", "float32[*]"]}, "float32[2,3]"),
        ("sum", {"X": ["int64[n]"]}, "int64[n]"),
    ],
)
def test_other_rules(op: str, inputs: dict[str, str | list[str]], wanted: str) -> None:
    assert inferred(op, dict(inputs)) == wanted
