"""Matrix products on the simulated NPU."""

from __future__ import annotations

import pytest

from tests.bridges.arrays import floats
from tests.bridges.devices import SIM_NPU
from tests.bridges.sim_npu.nodes import nodes_of


def text(op: str, x: str, y: str, attributes: str = "") -> str:
    return f"""graph main(%x: float32[{x}], %y: float32[{y}]) {{
        %z = {op}(X=%x, Y=%y) {{{attributes}}} return %z }}"""


def with_constant(op: str, x: str, y: str, attributes: str = "") -> str:
    return f"""graph main(%x: float32[{x}]) {{ %y = const float32[{y}] random(1)
        %z = {op}(X=%x, Y=%y) {{{attributes}}} return %z }}"""


@pytest.mark.parametrize(
    ("op", "x", "y", "attributes", "nodes"),
    [
        ("matmul_v2", (2, 3), (3, 4), "", {"MATMUL": 1}),
        ("matmul_v2", (3, 2), (4, 3), "trans_x=true, trans_y=true", {"MATMUL": 1}),
        ("matmul_v2", (5, 2, 3), (3, 4), "", {"MATMUL": 1, "RESHAPE": 1}),
        ("matmul_v2", (3, 4), (2, 1, 4, 5), "", {"MATMUL": 1, "RESHAPE": 1}),
        ("matmul", (2, 3), (3, 4), "alpha=0.5", {"MATMUL": 1, "MUL": 1}),
        ("matmul", (2, 5, 3), (2, 4, 3), "transpose_Y=true", {"MATMUL": 1}),
        ("bmm", (2, 3, 4), (2, 4, 5), "", {"MATMUL": 1}),
        ("mul", (2, 3), (3, 4), "", {"MATMUL": 1}),
        ("mul", (2, 3, 4), (12, 5), "", {"MATMUL": 1, "RESHAPE": 1}),
        (
            "mul",
            (2, 3, 4, 5),
            (4, 5, 6, 7),
            "x_num_col_dims=2, y_num_col_dims=2",
            {"MATMUL": 1, "RESHAPE": 3},
        ),
    ],
)
def test_products_equal_the_host(
    op: str, x: tuple[int, ...], y: tuple[int, ...], attributes: str, nodes: dict[str, int]
) -> None:
    source = text(op, str(list(x))[1:-1], str(list(y))[1:-1], attributes)

    SIM_NPU.check(source, floats(*x), floats(*y, seed=1))
    assert nodes_of(source) == nodes


def test_mul_with_a_constant_becomes_fully_connected() -> None:
    source = with_constant("mul", "2,3,4", "4,5", "x_num_col_dims=2")

    SIM_NPU.check(source, floats(2, 3, 4))
    assert nodes_of(source) == {"RESHAPE": 2, "FULLY_CONNECTED": 1}


def fc(attributes: str = "", bias: str = "", weights: str = "12,5") -> str:
    constant = f"%b = const float32[{bias}] random(2)" if bias else ""
    return f"""graph main(%x: float32[2,3,4]) {{ %w = const float32[{weights}] random(1) {constant}
        %y = fc(Input=%x, W=%w{", Bias=%b" if bias else ""}) {{{attributes}}} return %y }}"""


@pytest.mark.parametrize("activation", ["", 'activation="relu"', 'activation="relu6"'])
@pytest.mark.parametrize("bias", ["", "5", "1,5"])
def test_fc_equals_the_host(activation: str, bias: str) -> None:
    SIM_NPU.check(fc(activation, bias), 2 * floats(2, 3, 4))
    assert nodes_of(fc(activation, bias)) == {"RESHAPE": 1, "FULLY_CONNECTED": 1}


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (text("matmul_v2", "3", "3,4"), "X is float32[3]; the device multiplies matrices, not vectors"),
        (text("matmul", "2,3", "3"), "Y is float32[3]; the device multiplies matrices, not vectors"),
        (fc('activation="gelu"'), "gelu is fused into it; the device fuses relu and relu6"),
        (
            fc("padding_weights=true", weights="16,9"),
            "W is padded by four rows and columns; the device takes weights without padding",
        ),
        (
            "graph main(%x: float32[2,3], %w: float32[3,4]) { %y = fc(Input=%x, W=%w) return %y }",
            "W is computed at run time; the device keeps it in its weight memory, as a constant",
        ),
    ],
)
def test_vectors_and_other_weights_are_declined(source: str, sentence: str) -> None:
    assert SIM_NPU.why_not(source) == sentence


@pytest.mark.parametrize("op", ["matmul", "matmul_v2"])
def test_unknown_ranks_are_accepted(op: str) -> None:
    assert SIM_NPU.why_not(text(op, "n,3", "3,4").replace("float32[n,3]", "float32[*]")) is None
