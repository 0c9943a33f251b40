"""The number of multiply-accumulate operations of an op, as a measure of its work."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lite.ir.types import Shape
from lite.ops.view import product

Shapes = Mapping[str, Sequence[Shape | None]]
"""The shapes of an op's values by slot; None for an unknown shape."""


def macs(op: str, inputs: Shapes, outputs: Shapes) -> int | None:
    """The number of multiplications of an op, from the shapes of its values; 0 for an op without a rule here.

    None if a shape that the count depends on is unknown.
    """
    rule = _RULES.get(op)
    return 0 if rule is None else rule(inputs, outputs)


def _product(shape: Shape | None) -> int | None:
    return None if shape is None else product(shape)


def _times(slots: Shapes, slot: str, factor: int | None) -> int | None:
    size = _product(next(iter(slots.get(slot, ())), None))
    return None if size is None or factor is None else size * factor


def _conv(inputs: Shapes, outputs: Shapes) -> int | None:
    return _times(outputs, "Output", _per_filter(inputs))


def _conv_transpose(inputs: Shapes, _: Shapes) -> int | None:
    return _times(inputs, "Input", _per_filter(inputs))


def _per_filter(inputs: Shapes) -> int | None:
    """The size of one filter; in a transposed convolution, of the filters of one input channel."""
    shape = next(iter(inputs.get("Filter", ())), None)
    return None if shape is None else _product(shape[1:])


def _matmul(first: str, axis: int) -> Callable[[Shapes, Shapes], int | None]:
    """The rule for a product that sums over an axis of the slot `first`."""

    def rule(inputs: Shapes, outputs: Shapes) -> int | None:
        shape = next(iter(inputs.get(first, ())), None)
        inner = shape[axis] if shape else None
        return _times(outputs, "Out", inner if isinstance(inner, int) else None)

    return rule


_RULES: dict[str, Callable[[Shapes, Shapes], int | None]] = {
    **dict.fromkeys(("conv2d", "depthwise_conv2d", "conv3d", "deformable_conv", "quantized_conv2d"), _conv),
    **dict.fromkeys(("conv2d_transpose", "depthwise_conv2d_transpose", "conv3d_transpose"), _conv_transpose),
    "matmul_v2": _matmul("X", -1),
    "bmm": _matmul("X", -1),
    "integer_matmul": _matmul("X", -1),
    "mul": _matmul("Y", 0),
    "fc": _matmul("W", 0),
    "quantized_fc": _matmul("W", 0),
}


IMAGE_PRODUCTS = frozenset(op for op, rule in _RULES.items() if rule in (_conv, _conv_transpose))
"""Convolutions; their kernels are slow if they are chosen before the sizes are known."""

WEIGHT_PRODUCTS = IMAGE_PRODUCTS | {"fc", "mul"}
"""Convolutions and matrix products with weights; the same applies to their kernels."""
