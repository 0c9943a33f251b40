"""Attention whose sizes make OpenVINO's own fusion wrong, against the host."""

from __future__ import annotations

import numpy as np
import pytest

from tests.bridges.arrays import floats
from tests.bridges.devices import OPENVINO
from tests.bridges.region import on_host, region

HEADS = """graph main(
    %x: float32[{batch},{rows},{columns}], %k: float32[{keys}], %v: float32[{keys}]
) {{
    Out=%r = reshape2(X=%x) {{shape=[0, -1, {heads}, {size}]}}
    Out=%q = transpose2(X=%r) {{axis=[0, 2, 1, 3]}}
    {scaled}
    %s = matmul_v2(X=%a, Y=%k) {{trans_y=true}}
    %w = softmax(X=%s)
    %y = matmul_v2(X=%w, Y=%v)
    return %y }}"""


@pytest.mark.parametrize(("batch", "rows", "heads", "size"), [(1, 4, 4, 8), (3, 3, 3, 1), (2, 12, 12, 16)])
@pytest.mark.parametrize("scaled", ["%a = scale(X=%q) {scale=0.5}", "%a = relu(X=%q)"])
def test_as_many_heads_as_positions(batch: int, rows: int, heads: int, size: int, scaled: str) -> None:
    keys = (batch, heads, rows, size)
    text = HEADS.format(
        batch=batch, rows=rows, heads=heads, size=size, scaled=scaled,
        columns=heads * size, keys=",".join(map(str, keys)),
    )  # fmt: skip
    _check(text, (batch, rows, heads * size), keys, keys)


MASK = """graph main(
    %q: float32[2,3,4,8], %k: float32[2,3,1,8], %v: float32[2,3,5,8], %m: float32[2,1,4,5]
) {{
    %s = matmul_v2(X=%q, Y=%k) {{trans_y=true}}
    {masked}
    %w = softmax(X=%b)
    %y = matmul_v2(X=%w, Y=%v)
    return %y }}"""


@pytest.mark.parametrize(
    "masked",
    [
        "%b = elementwise_add(X=%s, Y=%m)",
        "%b = elementwise_mul(X=%m, Y=%s)",
        "%z = const float32[] [0.0] %c = greater_than(X=%m, Y=%z) %b = where(Condition=%c, X=%s, Y=%z)",
    ],
)
def test_a_mask_with_more_columns_than_the_scores(masked: str) -> None:
    _check(MASK.format(masked=masked), (2, 3, 4, 8), (2, 3, 1, 8), (2, 3, 5, 8), (2, 1, 4, 5))


def _check(text: str, *shapes: tuple[int, ...]) -> None:
    assert OPENVINO.reasons(text) == [None] * len(region(text))
    inputs = [floats(*shape) + np.float32(n) / 8 for n, shape in enumerate(shapes)]
    (result,), (expected,) = OPENVINO.compile(text).run(inputs, [None]), on_host(text, inputs)
    np.testing.assert_allclose(result, expected, atol=1e-4)
