"""Shapes of matrix products, inverses and similarities."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from lite.ir.program import AttrValue
from tests.lite.ops.inferred import inferred

BOTH = {"trans_x": True, "trans_y": True}
BOTH_V1 = {"transpose_X": True, "transpose_Y": True}


@pytest.mark.parametrize(
    ("op", "x", "y", "attrs", "wanted"),
    [
        ("integer_matmul", "uint8[b,n,4]", "int8[4,5]", {}, "int32[b,n,5]"),
        ("integer_matmul", "uint8[4]", "int8[b,4,m]", {}, "int32[b,m]"),
        ("integer_matmul", "int8[b,n,4]", "int8[4]", {}, "int32[b,n]"),
        ("integer_matmul", "uint8[4]", "uint8[4]", {}, "int32[]"),
        ("matmul_v2", "float32[n,4]", "float32[4,5]", {}, "float32[n,5]"),
        ("matmul_v2", "float32[b,n,4]", "float32[4,5]", {}, "float32[b,n,5]"),
        ("matmul_v2", "float32[b,8,n,d]", "float32[b,8,n,d]", {"trans_y": True}, "float32[b,8,n,n]"),
        ("matmul_v2", "float32[1,n,4]", "float32[b,4,5]", {}, "float32[b,n,5]"),
        ("matmul_v2", "float32[4,n]", "float32[5,4]", BOTH, "float32[n,5]"),
        ("matmul_v2", "float32[4]", "float32[4]", {}, "float32[]"),
        ("matmul_v2", "float32[4]", "float32[4,m]", {}, "float32[m]"),
        ("matmul_v2", "float32[4]", "float32[b,4,m]", {}, "float32[b,m]"),
        ("matmul_v2", "float32[b,n,4]", "float32[4]", {}, "float32[b,n]"),
        ("matmul_v2", "float32[*]", "float32[4,5]", {}, "float32[*]"),
        ("matmul", "float32[b,4,n]", "float32[b,m,4]", BOTH_V1, "float32[b,n,m]"),
        ("matmul", "float32[4]", "float32[4]", {}, "float32[1]"),
        ("matmul", "float32[n]", "float32[m]", BOTH_V1, "float32[n,m]"),
        ("matmul", "float32[n,4]", "float32[4]", {}, "float32[n]"),
        ("matmul", "float32[4]", "float32[4,m]", {}, "float32[m]"),
        ("bmm", "float32[b,n,4]", "float32[b,4,m]", {}, "float32[b,n,m]"),
        ("mul", "float32[n,3,4]", "float32[12,m]", {}, "float32[n,m]"),
        ("mul", "float32[n,t,4]", "float32[4,m,2]", {"x_num_col_dims": 2}, "float32[n,t,m,2]"),
        ("mul", "float32[n,t,4]", "float32[?,m]", {}, "float32[n,m]"),
    ],
)
def test_products_broadcast_leading_axes(
    op: str, x: str, y: str, attrs: dict[str, AttrValue], wanted: str
) -> None:
    assert inferred(op, {"X": x, "Y": y}, attrs) == wanted


@pytest.mark.parametrize(
    ("x", "w", "attrs", "wanted"),
    [
        ("float32[n,6]", "float32[6,4]", {}, "float32[n,4]"),
        ("float32[n,t,6]", "float32[6,4]", {"in_num_col_dims": 2}, "float32[n,t,4]"),
        ("float32[n,2,3]", "float32[10,8]", {"padding_weights": True}, "float32[n,4]"),
        ("float32[n,6]", "float32[6,m]", {}, "float32[n,m]"),
    ],
)
def test_fc_flattens_leading_axes(x: str, w: str, attrs: dict[str, AttrValue], wanted: str) -> None:
    assert inferred("fc", {"Input": x, "W": w}, attrs) == wanted


@pytest.mark.parametrize("shape", ["float32[b,3,3]", "float32[b,n,n]", "float32[3,?]"])
def test_an_inverse_has_the_shape_of_its_matrix(shape: str) -> None:
    assert inferred("inverse", {"Input": shape}, outputs={"Output": 1}) == shape


@pytest.mark.parametrize(
    ("op", "x", "y", "attrs", "message"),
    [
        ("matmul_v2", "float32[2,3]", "float32[4,5]", {}, "expected 3 rows"),
        ("matmul_v2", "float32[2,3,4]", "float32[5,4,3]", {}, "expected shapes that broadcast"),
        ("bmm", "float32[2,3]", "float32[3,2]", {}, "slot X: expected rank 3"),
        (
            "matmul",
            "float32[2,3]",
            "float32[3,2]",
            {"head_number": 2},
            "attribute head_number: expected 1, got 2",
        ),
        (
            "mul",
            "float32[2,3]",
            "float32[3,2]",
            {"x_num_col_dims": 2},
            "expected axes inside X and Y, got 2, 1",
        ),
    ],
)
def test_shapes_that_do_not_multiply_are_refused(
    op: str, x: str, y: str, attrs: dict[str, AttrValue], message: str
) -> None:
    with pytest.raises(GraphError, match=f"{op}: .*{message}"):
        inferred(op, {"X": x, "Y": y}, attrs)


ROWS_AND_NORMS = {"Out": 1, "XNorm": 1, "YNorm": 1}


@pytest.mark.parametrize(
    ("x", "y", "wanted"),
    [
        ("float32[n,8]", "float32[1,8]", "float32[n,1] float32[n,1] float32[1,1]"),
        ("float32[3,2,4]", "float32[3,2,4]", "float32[3,1] float32[3,1] float32[3,1]"),
        ("float32[*]", "float32[1,8]", "float32[*] float32[*] float32[*]"),
    ],
)
def test_cos_sim_has_a_number_per_row(x: str, y: str, wanted: str) -> None:
    assert inferred("cos_sim", {"X": x, "Y": y}, outputs=ROWS_AND_NORMS) == wanted


def test_cos_sim_refuses_other_numbers_of_rows() -> None:
    with pytest.raises(GraphError, match="cos_sim: Y: expected 1 row or as many as X, 3, got 2"):
        inferred("cos_sim", {"X": "float32[3,2]", "Y": "float32[2,2]"})
