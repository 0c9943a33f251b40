"""Models that are compiled once for all sizes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.bridges.arrays import floats
from tests.bridges.devices import ONNXRUNTIME
from tests.bridges.region import on_host, region

POOL = """\
graph main(%x: float32[n,2,h,w]) {
  %a = pool2d(X=%x) {pooling_type="avg", ksize=[3, 3], strides=[2, 2], paddings=[1, 1]}
  %y = bilinear_interp_v2(X=%a) {scale=[2.0], align_corners=false, align_mode=0}
  return %y
}
"""

SHUFFLE = """\
graph main(%x: float32[n,6,h,w]) {
  %a = shuffle_channel(X=%x) {group=3}
  %y = flatten_contiguous_range(X=%a) {start_axis=1, stop_axis=2}
  return %y
}
"""

HEADS = """\
graph main(%x: float32[n,t,8]) {
  %a = reshape2(X=%x) {shape=[0, 0, 2, 4]}
  %b = transpose2(X=%a) {axis=[0, 2, 1, 3]}
  %c = matmul_v2(X=%b, Y=%b) {trans_y=true}
  %y = softmax(X=%c)
  return %y
}
"""

SLICES = """\
graph main(%x: float32[n,t]) {
  %a = slice(Input=%x) {axes=[1], starts=[-2], ends=[2147483647]}
  %b = flip(X=%x) {axis=[1]}
  %y = concat(X=[%a, %b]) {axis=1}
  return %y
}
"""


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        (POOL, [(1, 2, 8, 6), (3, 2, 5, 7)]),
        (SHUFFLE, [(1, 6, 2, 3), (2, 6, 4, 1)]),
        (HEADS, [(1, 3, 8), (2, 5, 8)]),
        (SLICES, [(1, 3), (4, 6)]),
    ],
)
def test_one_model_equals_the_host_for_several_sizes(text: str, shapes: Sequence[tuple[int, ...]]) -> None:
    assert ONNXRUNTIME.reasons(text) == [None] * len(region(text))
    model = ONNXRUNTIME.compile(text)
    for shape in shapes:
        x = floats(*shape)
        (result,) = model.run([x], [None])
        (expected,) = on_host(text, [x])
        assert result.shape == expected.shape
        np.testing.assert_allclose(result, expected, atol=1e-5)


def test_a_run_writes_into_output_arrays_of_its_size() -> None:
    text = "graph main(%x: float32[n,3]) {\n  %y = relu(X=%x)\n  return %y\n}\n"
    model = ONNXRUNTIME.compile(text)
    for rows in (2, 5):
        x, y = floats(rows, 3), np.empty((rows, 3), np.float32)

        assert model.run([x], [y])[0] is y
        np.testing.assert_array_equal(y, np.maximum(x, 0))


@pytest.mark.parametrize(("rows", "keys"), [(1, 4), (3, 3), (2, 5)])
@pytest.mark.parametrize("corner", ["false", "true"])
def test_causal_attention(rows: int, keys: int, corner: str) -> None:
    text = f"""
    graph main(%q: float32[n,4,r,8], %k: float32[n,2,t,8]) {{
      %y = attention(Q=%q, K=%k, V=%k) {{is_causal=true, causal_lower_right={corner}}}
      return %y
    }}
    """
    assert ONNXRUNTIME.reasons(text) == [None]
    inputs = [floats(2, 4, rows, 8), floats(2, 2, keys, 8)]

    (result,), (expected,) = ONNXRUNTIME.compile(text).run(inputs, [None]), on_host(text, inputs)

    np.testing.assert_allclose(result, expected, atol=1e-5)
