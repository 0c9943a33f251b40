"""Small optimised models with each kind of op that Paddle-Lite adds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lite.ir.program import Attribute, AttrType, AttrValue, Program
from tests.model_parser.paddlelite_nb.programs import noise, op, program

_WINDOW: dict[str, AttrValue] = {"strides": [1, 1], "paddings": [0, 0], "dilations": [1, 1], "groups": 1}


def models() -> Iterator[Program]:
    """All models; their input is x and their output y."""
    yield product()
    yield quantised_convolution()
    yield stored_weights()
    yield fused()
    yield region()


def product() -> Program:
    """tanh(2 x · w)."""
    ops = [
        op("io_copy", {"Input": "x"}, {"Out": "c"}),
        op("mul", {"X": "c", "Y": "w"}, {"Out": "a"}, x_num_col_dims=1, y_num_col_dims=1),
        op("scale", {"X": "a"}, {"Out": "a"}, scale=2.0, bias=0.0, bias_after_scale=True),
        op("tanh", {"X": "a"}, {"Out": "y"}),
    ]
    return program((2, 3), ops, {"w": noise(1, 3, 4)})


def quantised_convolution() -> Program:
    """A convolution from int8 to int8, between casts."""
    weight = np.random.default_rng(2).integers(-127, 128, (4, 3, 3, 3)).astype(np.int8)
    scales: dict[str, AttrValue] = {
        "Input0_scale": [0.02],
        "Filter0_scale": [0.01, 0.02, 0.03, 0.04],
        "Output0_scale": [0.1],
    }
    ops = [
        op("calib", {"Input": "x"}, {"Out": "a"}, "fp32_to_int8/4/2/1", scale=0.02),
        op(
            "conv2d",
            {"Input": "a", "Filter": "w", "Bias": "b"},
            {"Output": "c"},
            "int8_out/4/2/1",
            attrs={**_WINDOW, **scales, "with_act": True, "act_type": "relu", "enable_int8": True},
        ),
        op("calib", {"Input": "c"}, {"Out": "y"}, "int8_to_fp32/4/2/1", scale=0.1),
    ]
    return program((1, 3, 6, 6), ops, {"w": weight, "b": noise(3, 4)})


def stored_weights() -> Program:
    """A product whose weight is stored with 8 bits."""
    weight = np.random.default_rng(4).integers(-127, 128, (6, 3)).astype(np.int8)
    attrs: dict[str, AttrValue] = {
        "quantization_type": "post_weight_channel_wise_abs_max",
        "quantize_weight_bits": 8,
    }
    ops = [
        op(
            "fc",
            {"Input": "x", "W": "w"},
            {"Out": "a"},
            attrs={**attrs, "w_quant_scale": [0.1, 0.2, 0.3], "op_type": "matmul_v2", "in_num_col_dims": 1},
        ),
        op("softmax", {"X": "a"}, {"Out": "y"}, axis=-1),
    ]
    return program((2, 4, 6), ops, {"w": weight})


def fused() -> Program:
    """A prelu and a sum after convolutions, and a sum with an activation."""
    ops = [
        op(
            "conv2d",
            {"Input": "x", "Filter": "w", "Prelu_alpha": "s"},
            {"Output": "a"},
            attrs={**_WINDOW, "with_act": True, "act_type": "prelu", "prelu_mode": "channel"},
        ),
        op(
            "conv2d",
            {"Input": "a", "Filter": "w", "SecondInput": "x"},
            {"Output": "b"},
            attrs={**_WINDOW, "fuse_elementwise_op_type": "elementwise_add"},
        ),
        op("fusion_elementwise_add_activation", {"X": "a", "Y": "b"}, {"Out": "a"}, act_type="relu", axis=-1),
        op("reshape2", {"X": "a"}, {"Out": "y", "XShape": "b"}, "def/1/4/2", shape=[2, -1]),
    ]
    return program((2, 3, 4, 4), ops, {"w": noise(5, 3, 3, 1, 1), "s": noise(6, 3)})


def region() -> Program:
    """A region for a device."""
    outer = op("subgraph", {"Inputs": "x"}, {"Outputs": "y"}, "def/18/4/1")
    outer.attrs["sub_block"] = Attribute(AttrType.BLOCK, 1)
    inner = [op("relu", {"X": "x"}, {"Out": "a"}), op("exp", {"X": "a"}, {"Out": "y"})]
    return program((2, 3), [outer], {}, blocks=[inner])
