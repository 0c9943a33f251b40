"""Convolutions on volumes ``[N, C, D, H, W]`` and their transposes, as Paddle has them."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import UNKNOWN, Dim
from lite.ops.rules import apply
from lite.ops.schema import Attr, ints, number, op
from lite.ops.view import Meta, OpView
from lite.ops.window import Window, check_windows, windows

_ATTRS: dict[str, AttrValue | Attr] = {
    "strides": ints(1, 1, 1),
    "paddings": ints(0, 0, 0),
    "padding_algorithm": "EXPLICIT",
    "dilations": ints(1, 1, 1),
    "groups": number(1, 1),
}


def _windows(op: OpView) -> list[Window] | None:
    check_windows(op, 3, ("strides", "dilations"))
    kernel = [dim for dim in op["Filter"].dims[2:] if isinstance(dim, int)]
    if len(kernel) != 3:
        return None
    return windows(
        op["Input"].dims[2:],
        kernel,
        op.integers("strides"),
        op.integers("dilations"),
        op.integers("paddings"),
        op.text("padding_algorithm"),
    )


def _check_channels(op: OpView, expected: Dim) -> None:
    found = op["Input"].dims[1]
    if isinstance(found, int) and isinstance(expected, int) and found != expected:
        raise op.error("Input", f"{expected} channels for filter {op['Filter']}", op["Input"])


def _conv(op: OpView) -> Meta:
    x, (outputs, per_group, *_) = op["Input"].dims, op["Filter"].dims
    _check_channels(op, apply(per_group, lambda n: n * op.integer("groups")))
    found = _windows(op)
    sizes: list[Dim] = [UNKNOWN] * 3
    if found is not None:
        sizes = [window.out(size) for window, size in zip(found, x[2:], strict=True)]
    if any(isinstance(size, int) and size < 1 for size in sizes):
        raise op.error("Input", f"a volume that filter {op['Filter']} fits into", op["Input"])
    return Meta(op["Input"].dtype, (x[0], outputs, *sizes))


def _conv_transpose(op: OpView) -> Meta:
    x, (inputs, per_group, *_) = op["Input"].dims, op["Filter"].dims
    _check_channels(op, inputs)
    found = _windows(op)
    sizes: list[Dim] = [UNKNOWN] * 3
    if found is not None:
        extra = op.integers("output_padding") or [0] * 3
        sizes = [w.transposed(size, more) for w, size, more in zip(found, x[2:], extra, strict=True)]
    outputs = apply(per_group, lambda n: n * op.integer("groups"))
    return Meta(op["Input"].dtype, (x[0], outputs, *sizes))


_SLOTS = "Input:float/5 Filter:float/5 Bias?:float"

op("conv3d", _SLOTS, "Output", _conv, attrs=_ATTRS)
op(
    "conv3d_transpose",
    _SLOTS,
    "Output",
    _conv_transpose,
    attrs={**_ATTRS, "output_padding": ints()},
)
