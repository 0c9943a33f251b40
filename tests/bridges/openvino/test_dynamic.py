"""Regions that are compiled once for all sizes."""

from __future__ import annotations

import numpy as np
import pytest

from lite.bridges.openvino.compiled import OpenvinoModel
from lite.ir.types import Array
from tests.bridges.arrays import floats
from tests.bridges.devices import OPENVINO
from tests.bridges.region import on_host, region

IMAGE = """graph main(%x: float32["n",3,"h","w"]) {
    %f = const float32[8,3,3,3] random(1) %b = const float32[8] random(2)
    Output=%c = conv2d(Input=%x, Filter=%f) {strides=[2, 2], paddings=[1, 1]}
    Out=%d = elementwise_add(X=%c, Y=%b) {axis=1}
    Out=%p = pool2d(X=%d) {pooling_type="avg", ksize=[1, 1], adaptive=true}
    Out=%s = sigmoid(X=%p) {}
    Out=%m = elementwise_mul(X=%d, Y=%s) {}
    Out=%r = nearest_interp_v2(X=%m) {scale=[2.0, 2.0], align_corners=false}
    Out=%t = transpose2(X=%r) {axis=[0, 2, 3, 1]}
    Out=%o = reshape2(X=%t) {shape=[0, -1, 8]}
    return %o, %p }"""

TOKENS = """graph main(%x: int64["n","t"]) {
    %w = const float32[20,16] random(1) %q = const float32[16,48] random(2)
    Out=%e = lookup_table_v2(W=%w, Ids=%x) {}
    Y=%n = layer_norm(X=%e) {begin_norm_axis=2}
    Out=%h = matmul_v2(X=%n, Y=%q) {}
    Out=%a, Out=%b, Out=%c = split(X=%h) {axis=2, num=3}
    Out=%s = matmul_v2(X=%a, Y=%b) {trans_y=true}
    Out=%p = softmax(X=%s) {}
    Out=%v = matmul_v2(X=%p, Y=%c) {}
    Out=%f = flatten_contiguous_range(X=%v) {start_axis=0, stop_axis=1}
    return %f, %p }"""


@pytest.mark.parametrize("shape", [(1, 3, 8, 8), (2, 3, 7, 10), (1, 3, 32, 5)])
def test_images_of_any_size_equal_the_host(shape: tuple[int, ...]) -> None:
    check_sizes(IMAGE, floats(*shape))


def check_sizes(text: str, x: Array) -> None:
    assert OPENVINO.reasons(text) == [None] * len(region(text))
    model = MODELS.setdefault(text, OPENVINO.compile(text))
    for _ in range(2):
        for result, expected in zip(model.run([x], [None, None]), on_host(text, [x]), strict=True):
            assert result.shape == expected.shape
            np.testing.assert_allclose(result, expected, atol=1e-4)


MODELS: dict[str, OpenvinoModel] = {}


@pytest.mark.parametrize("shape", [(1, 1), (2, 5), (1, 9)])
def test_sequences_of_any_length_equal_the_host(shape: tuple[int, ...]) -> None:
    check_sizes(TOKENS, np.random.default_rng(1).integers(0, 20, shape))


def test_a_loaded_model_takes_any_size() -> None:
    x = floats(1, 3, 12, 14)
    model = OPENVINO.open().load(OPENVINO.compile(IMAGE).serialize() or b"")

    for result, expected in zip(model.run([x], [None, None]), on_host(IMAGE, [x]), strict=True):
        np.testing.assert_allclose(result, expected, atol=1e-4)


SLICES = """graph main(%x: float32[8]) {{
    %z = const float32[] [0.0]
    %m = greater_than(X=%x, Y=%z)
    Out=%i = where_index(Condition=%m) {{}}
    {sliced}
    return %y, %i }}"""


@pytest.mark.parametrize("count", [0, 2, 6, 8])
@pytest.mark.parametrize(
    "sliced",
    [
        "Out=%y = slice(Input=%i) {axes=[0], starts=[-3], ends=[6]}",
        "Out=%y = slice(Input=%i) {axes=[0, 1], starts=[-5, 0], ends=[3, 1], decrease_axis=[1]}",
        "Out=%y = strided_slice(Input=%i) {axes=[0], starts=[-4], ends=[7], strides=[2]}",
        """%s = const int64[1] [-3] %e = const int64[1] [6]
        Out=%y = dynamic_slice(Input=%i, Starts=%s, Ends=%e) {}""",
    ],
)
def test_slices_from_the_end_to_a_fixed_element(count: int, sliced: str) -> None:
    x = np.array([1.0] * count + [-1.0] * (8 - count), np.float32)
    check_sizes(SLICES.format(sliced=sliced), x)


def test_slices_back_from_a_fixed_element_are_declined() -> None:
    sliced = "Out=%y = strided_slice(Input=%x) {axes=[0], starts=[5], ends=[-3], strides=[-1]}"
    why = OPENVINO.why_not(f'graph main(%x: float32["n"]) {{ {sliced} return %y }}')
    assert why == "an axis of unknown size is sliced from 5 back to -3"
