"""Quantisation as Paddle defines it: a scale is the greatest magnitude, which the integer n represents.

n is ``2 ** (bit_length - 1) - 1``.  The integers are symmetric and stored as floating point numbers;
zero points are ignored.  The ``fake_*`` ops are older spellings, which `canonicalize_pass` replaces.
Source: the operators ``quantize_linear`` and ``fake_quantize_*`` of Paddle 2.6.
"""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import UNKNOWN, Dim, DType
from lite.ops.attrs import Attr, ints, number
from lite.ops.schema import op
from lite.ops.view import Inferred, Meta, OpView, product

_BITS: dict[str, AttrValue | Attr] = {"bit_length": number(8, 2, 16)}
_STATE = "InAccum?:float InState?:float"
_OLD_STATE = "OutState?:float OutAccum?:float"


def _check_scale(op: OpView, slot: str, axis: int) -> None:
    """Raise `GraphError` unless X has the axis and the scale one number, or one for each slice along it."""
    x, scale = op["X"], op[slot]
    if x.shape is None or scale.shape is None:
        return
    if not -1 <= axis < max(len(x.shape), 1):
        raise op.error("attribute quant_axis", f"-1 or an axis of {x}", axis)
    count, size = product(scale.shape), x.shape[axis] if axis >= 0 and x.shape else 1
    if count not in (None, 1, size) and isinstance(size, int):
        raise op.error(f"slot {slot}", f"{size} numbers, as many as axis {axis} of {x} has", scale)


def _linear(op: OpView) -> Meta:
    _check_scale(op, "Scale", op.integer("quant_axis"))
    dtype = op["X"].dtype if op["X"].dtype.is_float else op["Scale"].dtype
    return Meta(dtype, op["X"].shape)


def _given(op: OpView) -> Inferred:
    _check_scale(op, "InScale", -1)
    return _measured(op)


def _measured(op: OpView) -> Inferred:
    return {"Out": op["X"], "OutScale": Meta(op["X"].dtype, (1,))}


def _per_channel(op: OpView) -> Inferred:
    x, axis = op["X"], op.integer("quant_axis")
    if x.shape is not None and not 0 <= axis < len(x.shape):
        raise op.error("attribute quant_axis", f"an axis of {x}", axis)
    count: Dim = UNKNOWN if x.shape is None else x.shape[axis]
    return {"Out": x, "OutScale": Meta(x.dtype, (count,))}


def _dequantize_channels(op: OpView) -> Meta:
    scales, bits = op.all("Scales"), op.integers("quant_bits")
    if not 1 <= len(scales) <= 2 or len(bits) < len(scales):
        raise op.error("slot Scales", "one scale or two, and quant_bits for each", f"{len(scales)}, {bits}")
    is_pair = len(scales) == 2
    axis = max(op.integer("x_num_col_dims"), 1) if is_pair else op.integer("quant_axis")
    x = op["X"]
    if x.shape is not None:
        if not 0 <= axis < len(x.shape):
            name = "x_num_col_dims" if is_pair else "quant_axis"
            raise op.error(f"attribute {name}", f"an axis of {x}", axis)
        _check_count(op, "Scales", scales[0], x.shape[axis])
    if is_pair:
        _check_count(op, "Scales", scales[1], 1)
    return _real(op)


def _dequantize(op: OpView) -> Meta:
    _check_count(op, "Scale", op["Scale"], 1)
    return _real(op)


def _check_count(op: OpView, slot: str, scale: Meta, size: Dim) -> None:
    """Raise `GraphError` unless a scale has one number, or `size`."""
    count = None if scale.shape is None else product(scale.shape)
    if count not in (None, 1, size) and isinstance(size, int):
        expected = "1 number" if size == 1 else f"1 number, or {size}"
        raise op.error(f"slot {slot}", expected, scale)


def _real(op: OpView) -> Meta:
    return Meta(DType.FLOAT32 if not op["X"].dtype.is_float else op["X"].dtype, op["X"].shape)


for _name, _about in (
    ("quantize_linear", "round(X · n / Scale), clipped, as floating point integers, after Paddle."),
    ("dequantize_linear", "X · Scale / n, after Paddle."),
):
    op(
        _name,
        _about,
        f"X:float|int8|int16|int32|uint8 Scale:float ZeroPoint?:number {_STATE}",
        "Y",
        _linear,
        # round_type 0 rounds halves to even, and 1 away from zero.
        attrs={**_BITS, "quant_axis": 0, "round_type": number(0, 0, 1), "only_observer": False},
    )

_ROUNDED: dict[str, AttrValue | Attr] = {**_BITS, "round_type": number(1, 0, 1)}

_IN_SCALE = f"X:float InScale:float {_STATE}"
_MOVING = f"Out OutScale? {_OLD_STATE}"
_AXIS = {"quant_axis": 0}

for _name, _inputs, _outputs, _rule, _extra in (
    ("quantize_abs_max", "X:float", "Out OutScale?", _measured, {}),
    ("quantize_dequantize_abs_max", "X:float", "Out OutScale?", _measured, {}),
    ("quantize_range_abs_max", "X:float InScale:float Iter?", "Out OutScale? OutScales?", _given, {}),
    ("quantize_moving_average_abs_max", _IN_SCALE, _MOVING, _given, {}),
    ("quantize_dequantize_moving_average_abs_max", _IN_SCALE, _MOVING, _given, {}),
    ("channel_wise_quantize_abs_max", "X:float InScale?:float", "Out OutScale?", _per_channel, _AXIS),
    ("channel_wise_quantize_dequantize_abs_max", "X:float", "Out OutScale?", _per_channel, _AXIS),
):
    _canonical = "dequantize_linear" if "dequantize" in _name else "quantize_linear"
    op(
        f"fake_{_name}",
        f"Old spelling of {_canonical}"
        + (", with quantize_linear before it." if "dequantize" in _name else "."),
        _inputs,
        _outputs,
        _rule,
        attrs={**_ROUNDED, **_extra},
        canonical=_canonical,
    )

op(
    "moving_average_abs_max_scale",
    "Old spelling of assign, which measures X in training.",
    f"X:float {_STATE}",
    f"Out? OutScale? {_OLD_STATE}",
    _measured,
    canonical="assign",
)
op(
    "fake_dequantize_max_abs",
    "X · Scale / max_range.",
    "X:float|int8 Scale:float",
    "Out",
    _dequantize,
    attrs={"max_range": number(127.0)},
)
op(
    "fake_channel_wise_dequantize_max_abs",
    "X times the scales of a weight and, if there are two, of an activation.",
    "X:float|int8 Scales*:float",
    "Out",
    _dequantize_channels,
    attrs={"quant_bits": ints(8), "quant_axis": 0, "x_num_col_dims": 1},
)
