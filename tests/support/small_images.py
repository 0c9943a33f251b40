"""A network of separable convolutions for images, as small processors run them."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue, Program
from lite.ir.types import Array, DType
from tests.support.small_programs import OpText, make_program


def separable_net(blocks: int, channels: int = 8, inputs: int = 3, classes: int = 5) -> Program:
    """A convolution with stride 2, `blocks` of depthwise and pointwise ones, a mean and a matrix product."""
    rng = np.random.default_rng(0)
    weights: dict[str, Array] = {}
    ops: list[OpText] = []

    def conv(x: str, name: str, shape: tuple[int, int, int, int], stride: int, groups: int) -> str:
        weights[name] = (rng.standard_normal(shape) * (2 / np.prod(shape[1:])) ** 0.5).astype(np.float32)
        weights[f"{name}_b"] = (0.1 * rng.standard_normal(shape[0])).astype(np.float32)
        pad = shape[2] // 2
        attrs: dict[str, AttrValue] = {"strides": [stride, stride], "paddings": [pad, pad], "groups": groups}
        ops.append(("conv2d", {"Input": [x], "Filter": [name]}, {"Output": [f"{name}_c"]}, attrs))
        bias = {"X": [f"{name}_c"], "Y": [f"{name}_b"]}
        ops.append(("elementwise_add", bias, {"Out": [f"{name}_s"]}, {"axis": 1}))
        ops.append(("relu", {"X": [f"{name}_s"]}, {"Out": [f"{name}_r"]}, {}))
        return f"{name}_r"

    x = conv("x", "first", (channels, inputs, 3, 3), 2, 1)
    for n in range(blocks):
        x = conv(x, f"depth{n}", (channels, 1, 3, 3), 1, channels)
        x = conv(x, f"point{n}", (channels, channels, 1, 1), 1, 1)
    pool: dict[str, AttrValue] = {"pooling_type": "avg", "global_pooling": True, "ksize": [1, 1]}
    ops.append(("pool2d", {"X": [x]}, {"Out": ["mean"]}, pool))
    ops.append(
        ("flatten_contiguous_range", {"X": ["mean"]}, {"Out": ["flat"]}, {"start_axis": 1, "stop_axis": 3})
    )
    weights["w"] = rng.standard_normal((channels, classes)).astype(np.float32)
    ops.append(("matmul_v2", {"X": ["flat"], "Y": ["w"]}, {"Out": ["y"]}, {}))
    return make_program({"x": (DType.FLOAT32, (-1, inputs, -1, -1))}, weights, ops, ["y"])
