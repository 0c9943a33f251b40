"""Powers with a constant exponent become ops of their own."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged

PASS = "elementwise_pow_to_square_pass"


def text(
    line: str, constant: str = "float32[1] [2.0]", x: str = "float32[2,3]", y: str = "float32[2,3]"
) -> str:
    kind = constant.split(" ")[0]
    const = f"%c = const {constant} : {kind}\n" if "%c" in line else ""
    return f"graph main(%x: {x}) {{\n{const}%y = {line} : {y}\nreturn %y\n}}"


POWER = "elementwise_pow(X=%x, Y=%c) {axis=-1}"


@pytest.mark.parametrize(("exponent", "op"), [("2.0", "square"), ("0.5", "sqrt"), ("-1.0", "reciprocal")])
@pytest.mark.parametrize("shape", ["[]", "[1]", "[1,1]"])
def test_powers_become_other_ops(exponent: str, op: str, shape: str) -> None:
    constant = f"float32{shape} [{exponent}]"
    check(PASS, text(POWER, constant), text(f"{op}(X=%x)"))


@pytest.mark.parametrize(
    ("constant", "x", "y"),
    [
        ("float32[1] [4.0]", "float32[2,3]", "float32[2,3]"),
        ("float32[3] [2.0, 2.0, 2.0]", "float32[2,3]", "float32[2,3]"),
        ("float32[1,1,1] [2.0]", "float32[2,3]", "float32[1,2,3]"),
        ("float32[1] [2.0]", "float32[*]", "float32[*]"),
        ("int64[1] [2]", "int64[2,3]", "int64[2,3]"),
    ],
)
def test_other_powers_are_unchanged(constant: str, x: str, y: str) -> None:
    check_unchanged(PASS, text(POWER, constant, x, y))


def test_a_computed_exponent_is_unchanged() -> None:
    check_unchanged(
        PASS,
        "graph main(%x: float32[2], %e: float32[1]) {\n"
        "%y = elementwise_pow(X=%x, Y=%e) {axis=-1} : float32[2]\nreturn %y\n}",
    )
