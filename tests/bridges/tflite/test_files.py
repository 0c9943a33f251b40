"""Regions as TFLite files: read by this repository's parser and run on the host, they equal the regions."""

from __future__ import annotations

import numpy as np
import pytest

import lite
from lite.bridges.litert.device import Litert
from lite.emission.tflite.builder import Builder
from lite.emission.tflite.writer import tflite_bytes
from lite.ir.types import Array
from lite.plugin.device import Settings, convert
from tests.bridges.arrays import assert_close
from tests.bridges.region import on_host, reasons, region

IMAGE = "%x: float32[1,4,7,6]"

REGIONS = {
    "conv with odd padding": f"""graph main({IMAGE}, %w: float32[5,4,3,3]) {{
        Output=%y = conv2d(Input=%x, Filter=%w) {{strides = [2, 1], paddings = [1, 0, 2, 1]}} return %y }}""",
    "conv like SAME": f"""graph main({IMAGE}, %w: float32[5,4,3,3]) {{
        Output=%y = conv2d(Input=%x, Filter=%w) {{paddings = [1, 1]}}
        Out=%z = relu(X=%y) {{}} return %z }}""",
    "dilated conv": f"""graph main({IMAGE}, %w: float32[2,4,2,2]) {{
        Output=%y = conv2d(Input=%x, Filter=%w) {{dilations = [2, 3]}} return %y }}""",
    "depthwise conv": f"""graph main({IMAGE}, %w: float32[8,1,3,3]) {{
        Output=%y = conv2d(Input=%x, Filter=%w) {{groups = 4}} return %y }}""",
    "max pool": f"""graph main({IMAGE}) {{
        Out=%y = pool2d(X=%x) {{ksize = [3, 2], strides = [2, 2], paddings = [1, 1]}} return %y }}""",
    "average pool": f"""graph main({IMAGE}) {{
        Out=%y = pool2d(X=%x) {{pooling_type = "avg", ksize = [3, 3], strides = [2, 2], paddings = [1, 1]}}
        return %y }}""",
    "average with padding": f"""graph main({IMAGE}) {{
        Out=%y = pool2d(X=%x) {{pooling_type = "avg", ksize = [3, 3], strides = [2, 2], paddings = [1, 1],
            exclusive = false, ceil_mode = true}}
        return %y }}""",
    "global pool": f"""graph main({IMAGE}) {{
        Out=%y = pool2d(X=%x) {{pooling_type = "avg", global_pooling = true}} return %y }}""",
    "concat of images": f"""graph main({IMAGE}, %w: float32[4,4,1,1]) {{
        Output=%y = conv2d(Input=%x, Filter=%w) {{}} Out=%z = concat(X=[%y, %x]) {{axis = 1}} return %z }}""",
    "transpose and reshape": f"""graph main({IMAGE}, %w: float32[4,4,1,1]) {{
        Output=%y = conv2d(Input=%x, Filter=%w) {{}}
        Out=%t = transpose2(X=%y) {{axis = [0, 2, 3, 1]}} Out=%z = reshape2(X=%t) {{shape = [1, 42, 4]}}
        return %z, %t }}""",
    "axis of a sum": """graph main(%x: float32[2,3,4,5], %b: float32[3]) {
        Out=%y = elementwise_add(X=%x, Y=%b) {axis = 1} return %y }""",
    "softmax of channels": f"""graph main({IMAGE}) {{ Out=%y = softmax(X=%x) {{axis = 1}} return %y }}""",
    "layer norm": """graph main(%x: float32[2,3,8], %s: float32[8], %b: float32[8]) {
        Y=%y = layer_norm(X=%x, Scale=%s, Bias=%b) {begin_norm_axis = 2} return %y }""",
    "products": """graph main(%x: float32[2,3,4], %y: float32[2,5,4]) {
        Out=%z = matmul_v2(X=%x, Y=%y) {trans_y = true} return %z }""",
    "strided slice": """graph main(%x: float32[6,7]) {
        Out=%y = strided_slice(Input=%x) {axes = [0, 1], starts = [5, 1], ends = [-7, 6], strides = [-2, 3]}
        return %y }""",
    "split and stack": """graph main(%x: float32[6,4]) {
        Out=[%a, %b] = split(X=%x) {axis = 0, num = 2} Y=%y = stack(X=[%b, %a]) {axis = 1} return %y }""",
    "an input and twice an output": """graph main(%x: float32[4]) {
        Out=%y = relu(X=%x) {} return %y, %x, %y }""",
    "bilinear": f"""graph main({IMAGE}) {{
        Out=%y = bilinear_interp_v2(X=%x) {{out_h = 14, out_w = 9, align_corners = false, align_mode = 0}}
        return %y }}""",
    "nearest": f"""graph main({IMAGE}) {{
        Out=%y = nearest_interp_v2(X=%x) {{out_h = 14, out_w = 12, align_corners = false}} return %y }}""",
    "comparison": """graph main(%x: float32[4,5], %y: float32[5]) {
        Out=%c = less_than(X=%x, Y=%y) {} Out=%z = where(Condition=%c, X=%x, Y=%x) {} return %c, %z }""",
}


def arrays(text: str) -> list[Array]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal([int(d) for d in arg.shape or ()]).astype("f4") for arg in region(text).args]


@pytest.mark.parametrize("text", REGIONS.values(), ids=REGIONS)
def test_a_file_equals_its_region(text: str) -> None:
    device, builder, inputs = Litert(Litert.Options(), Settings()), Builder(), arrays(text)
    assert reasons(device, text) == [None] * len(region(text))

    convert(region(text), device, builder)
    predictor = lite.create_predictor(lite.Config(model_buffer=tflite_bytes(builder.graph)))

    results = list(predictor.run(inputs).values())
    for result, expected in zip(results, on_host(text, inputs), strict=True):
        assert_close(result, expected, 1e-5)
