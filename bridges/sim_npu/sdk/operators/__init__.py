"""The operators by family; importing this package fills the table."""

from lite.bridges.sim_npu.sdk.operators import (
    activation,
    convolution,
    elementwise,
    layout,
    linear,
    normalization,
    pooling,
    quantized,
    reduction,
    resize,
)

__all__ = [
    "activation",
    "convolution",
    "elementwise",
    "layout",
    "linear",
    "normalization",
    "pooling",
    "quantized",
    "reduction",
    "resize",
]
