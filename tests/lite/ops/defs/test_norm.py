"""Shapes of normalisations, and the arguments that they refuse."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from lite.ir.program import AttrValue
from tests.lite.ops.inferred import inferred


@pytest.mark.parametrize("op", ["softmax", "log_softmax"])
@pytest.mark.parametrize("shape", ["float16[n,3,?]", "float32[*]", "float32[]"])
def test_softmax_keeps_shape_and_dtype(op: str, shape: str) -> None:
    assert inferred(op, {"X": shape}) == shape


@pytest.mark.parametrize("axis", [3, -4])
def test_softmax_refuses_an_axis_that_x_lacks(axis: int) -> None:
    with pytest.raises(GraphError, match=r"softmax: attribute axis: expected an axis of float32\[n,3,h\]"):
        inferred("softmax", {"X": "float32[n,3,h]"}, {"axis": axis})


@pytest.mark.parametrize(
    ("op", "attrs"),
    [("layer_norm", {"begin_norm_axis": 1}), ("instance_norm", {}), ("group_norm", {"groups": 2})],
)
@pytest.mark.parametrize("slot", ["Scale", "Bias"])
def test_scale_and_bias_have_a_number_for_each_channel(
    op: str, attrs: dict[str, AttrValue], slot: str
) -> None:
    for fitting in ("float32[6]", "float32[1,6]", "float32[c]", "float32[*]"):
        assert inferred(op, {"X": "float32[n,6]", slot: fitting}, attrs) is not None
    assert inferred(op, {"X": "float32[n,c]", slot: "float32[3]"}, attrs) is not None
    with pytest.raises(GraphError, match=rf"{op}: {slot}: expected 6 elements, got 5"):
        inferred(op, {"X": "float32[n,6]", slot: "float32[5]"}, attrs)
