"""elementwise_*, fmod, sum → Add, Divide, Maximum, Mod, Power, … (opset 15), also with an activation.

Both inputs have one type.  Divisions, powers and remainders take float16 and float32, products int32 as well,
the other ops int64 as well; the forms with a fused activation take float16 and float32.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.fused_attention import widened
from lite.bridges.openvino.limits import FLOAT, FLOAT_OR_INT32, NUMBER, DTypes
from lite.bridges.openvino.ops.activation import activated, why_not_activation
from lite.bridges.openvino.real_values import extreme_of_two
from lite.bridges.openvino.row import Row
from lite.plugin.device import BridgeOp, bridge

Function = Callable[[Builder, Tensor, Tensor], Tensor]


def aligned_inputs(b: Builder, op: BridgeOp, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """`x` and `y` with axes of size 1 so that they broadcast from the right, as Paddle's `axis` says."""
    x_rank, y_rank, axis = op["X"].rank, op["Y"].rank, op.integer("axis")
    if axis == -1 or x_rank == y_rank:
        return x, y
    if x_rank < y_rank:
        return _aligned(b, x, x_rank, y_rank, axis), y
    return x, _aligned(b, y, y_rank, x_rank, axis)


def _aligned(b: Builder, tensor: Tensor, rank: int, target: int, axis: int) -> Tensor:
    """The tensor with its first axis at `axis` of `target` axes; drops last axes of size 1 beyond them."""
    missing = target - axis - rank
    if missing < 0:
        return b.op.squeeze(tensor, b.ints(range(rank + missing, rank)))
    return b.op.unsqueeze(tensor, b.ints(range(rank, rank + missing))) if missing and rank else tensor


_ARITHMETIC: dict[str, tuple[Function, DTypes]] = {
    "elementwise_add": (lambda b, x, y: b.op.add(x, y), NUMBER),
    "elementwise_div": (lambda b, x, y: b.op.divide(x, y), FLOAT),
    "elementwise_floordiv": (lambda b, x, y: b.op.floor(b.op.divide(x, y)), FLOAT),
    "elementwise_max": (lambda b, x, y: b.op.maximum(x, y), NUMBER),
    "elementwise_min": (lambda b, x, y: b.op.minimum(x, y), NUMBER),
    "elementwise_mod": (lambda b, x, y: b.op.floor_mod(x, y), FLOAT),
    "elementwise_mul": (lambda b, x, y: b.op.multiply(x, y), FLOAT_OR_INT32),
    "elementwise_pow": (lambda b, x, y: b.op.power(x, y), FLOAT),
    "elementwise_sub": (lambda b, x, y: b.op.subtract(x, y), NUMBER),
    "fmod": (lambda b, x, y: b.op.mod(x, y), FLOAT),
}

_FUSED = {
    "fusion_elementwise_add_activation": "elementwise_add",
    "fusion_elementwise_div_activation": "elementwise_div",
    "fusion_elementwise_floordiv_activation": "elementwise_floordiv",
    "fusion_elementwise_max_activation": "elementwise_max",
    "fusion_elementwise_min_activation": "elementwise_min",
    "fusion_elementwise_mod_activation": "elementwise_mod",
    "fusion_elementwise_mul_activation": "elementwise_mul",
    "fusion_elementwise_pow_activation": "elementwise_pow",
    "fusion_elementwise_sub_activation": "elementwise_sub",
}
"""The op of which each fused op is the form with an activation."""


def _row(name: str, *, fused: bool) -> Row:
    function, dtypes = _ARITHMETIC[name]

    def make(b: Builder, op: BridgeOp, x: Tensor, y: Tensor) -> Tensor:
        x, y = widened(b, op, "X", x), widened(b, op, "Y", y)
        result = function(b, *aligned_inputs(b, op, x, y))
        if name in ("elementwise_max", "elementwise_min"):
            result = extreme_of_two(b, op, result)
        if name == "elementwise_mul":
            result = _affine(b, result, op.real("scale"), op.real("bias"))
        if not fused:
            return result
        return activated(b, op.text("activation"), result, op.reals("activation_params"))

    if not fused:
        return Row("X Y", make, dtypes, one_type=True)
    return Row("X Y", make, one_type=True, check=lambda op: why_not_activation(op.text("activation")))


def _affine(b: Builder, x: Tensor, scale: float, bias: float) -> Tensor:
    if scale != 1:
        x = b.op.multiply(x, b.like(scale, x))
    return b.op.add(x, b.like(bias, x)) if bias else x


def _sum(b: Builder, _: BridgeOp, tensors: list[Tensor]) -> Tensor:
    return functools.reduce(b.op.add, tensors)


for _name in _ARITHMETIC:
    bridge("openvino", _name)(_row(_name, fused=False))
for _name, _plain in _FUSED.items():
    bridge("openvino", _name)(_row(_plain, fused=True))
bridge("openvino", "sum")(Row("X*", _sum, NUMBER, one_type=True))
