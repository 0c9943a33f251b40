"""A small network of convolutions, whose weights kernels pack, that takes images of any size."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue, Program
from lite.ir.types import DType
from tests.support.small_programs import make_program

_CONV: dict[str, AttrValue] = {"strides": [1, 1], "paddings": [1, 1], "dilations": [1, 1], "groups": 1}


def convnet() -> Program:
    """Two 3×3 convolutions with a relu between them, a mean over each channel, and a matrix product."""
    rng = np.random.default_rng(0)
    weights = {
        name: rng.standard_normal(shape).astype(np.float32)
        for name, shape in (("w1", (32, 3, 3, 3)), ("w2", (32, 32, 3, 3)), ("w3", (32, 5)))
    }
    return make_program(
        {"x": (DType.FLOAT32, (-1, 3, -1, -1))},
        weights,
        [
            ("conv2d", {"Input": ["x"], "Filter": ["w1"]}, {"Output": ["a"]}, _CONV),
            ("relu", {"X": ["a"]}, {"Out": ["b"]}, {}),
            ("conv2d", {"Input": ["b"], "Filter": ["w2"]}, {"Output": ["c"]}, _CONV),
            ("reduce_mean", {"X": ["c"]}, {"Out": ["d"]}, {"dim": [2, 3], "keep_dim": False}),
            ("matmul_v2", {"X": ["d"], "Y": ["w3"]}, {"Out": ["y"]}, {}),
        ],
        ["y"],
    )
