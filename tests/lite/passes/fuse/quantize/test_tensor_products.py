"""Products of two quantised tensors are computed in integers, within a step of the real product."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.text import parse_graph
from lite.ir.types import Array, DType, Layout, Place
from lite.passes.base import PassContext
from lite.plugin.kernel import evaluate
from tests.lite.passes.check import check_unchanged, run_pass

PASS = "quant_dequant_fuse_pass"
CPU = PassContext(valid_places=(Place("cpu", DType.FLOAT32, Layout.NHWC), Place("host")))

PRODUCT = """
    graph main(%x: uint8[2,3,4], %y: {kind}{shape}) {{
      {constant}
      %s = const float32[] [0.5]
      %t = const float32[{count}] {scales}
      %z = const uint8[] [7]
      %u = const {kind}[{count}] {zeros}
      %a = affine_dequantize(X=%x, Scale=%s, ZeroPoint=%z) : float32[2,3,4]
      %b = affine_dequantize(X=%{second}, Scale=%t, ZeroPoint=%u) {{axis={axis}}} : float32{shape}
      %p = {op}(X=%a, Y=%b) {{{attrs}}} : float32[2,3,{columns}]
      return out=%p
    }}
"""


@pytest.mark.parametrize(
    ("op", "shape", "attrs", "kind", "axis", "is_constant"),
    [
        ("matmul_v2", [2, 4, 5], "", "uint8", -1, False),
        ("matmul_v2", [2, 5, 4], "trans_y=true", "uint8", -1, False),
        ("bmm", [2, 4, 5], "", "uint8", -1, False),
        ("matmul_v2", [4, 5], "", "uint8", -1, True),
        ("matmul_v2", [4, 5], "", "int8", 1, True),
        ("matmul_v2", [5, 4], "trans_y=true", "int8", 0, True),
        ("matmul_v2", [2, 4, 5], "", "int8", 2, True),
    ],
)
def test_both_operands_keep_their_zero_points(
    op: str, shape: list[int], attrs: str, kind: str, axis: int, is_constant: bool
) -> None:
    rng, count = np.random.default_rng(0), 1 if axis == -1 else 5
    x = rng.integers(0, 256, (2, 3, 4), np.uint8)
    y = rng.integers(0, 256, shape, np.uint8).view(kind)
    scales = (0.01 * np.arange(1, count + 1)).astype(np.float32)
    zeros = np.arange(3, 3 + count)
    text = PRODUCT.format(
        op=op, shape=shape, attrs=attrs, kind=kind, axis=axis, count=count, columns=5,
        second="w" if is_constant else "y", scales=scales.tolist(), zeros=zeros.tolist(),
        constant=f"%w = const {kind}{shape} {y.reshape(-1).tolist()}" if is_constant else "",
    )  # fmt: skip
    graph = parse_graph(text)
    assert run_pass(PASS, graph, CPU)
    ops = [node.op for node in graph]
    moved = ["transpose2"] if attrs and not is_constant else []
    assert ops == [*moved, "integer_matmul"]

    spread = [1] * len(shape)
    spread[axis] = count
    real: Array = (y.astype(np.float64) - zeros.reshape(spread)) * scales.astype(np.float64).reshape(spread)
    if attrs:
        real = real.swapaxes(-1, -2)
    product = next(node for node in graph if node.op == "integer_matmul")
    arrays = {
        slot: [value.data for value in values if value.data is not None]
        for slot, values in product.inputs.items()
    }
    arrays["X"] = [x]
    if not is_constant:
        arrays["Y"] = [np.ascontiguousarray(y.swapaxes(-1, -2)) if attrs else y]
    [found] = evaluate("integer_matmul", arrays, {}, {"Out": 1})["Out"]
    np.testing.assert_allclose(found.array, (x - 7.0) * 0.5 @ real, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("attrs", ["trans_x=true", ""])
def test_other_products_stay(attrs: str) -> None:
    """A transposed first operand, and scales for each row of the second one."""
    kind, axis = ("uint8", -1) if attrs else ("int8", 0)
    count = 1 if attrs else 4
    shape = [2, 3, 5] if attrs else [4, 5]
    text = PRODUCT.format(
        op="matmul_v2", shape=shape, attrs=attrs, kind=kind, axis=axis, count=count, columns=5, second="y",
        scales=[0.5] * count, zeros=[3] * count, constant="",
    ).replace("float32[2,3,5]\n      return", f"float32[2,{4 if attrs else 3},5]\n      return")  # fmt: skip
    check_unchanged(PASS, text, CPU)
