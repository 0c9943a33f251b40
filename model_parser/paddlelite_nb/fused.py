"""Fused ops of Paddle-Lite that Paddle has no op for, as several ops on real numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lite.errors import ModelParseError
from lite.ir.program import Attribute, Op
from lite.model_parser.paddlelite_nb.rewriter import Rewriter, integer, only_output

_PRODUCTS = ("matmul", "matmul_v2")
_SUMS = ("elementwise_add", "elementwise_sub", "elementwise_mul", "elementwise_div")
_TRANSPOSED = ("trans_x", "trans_y")


def expand_fused(op: Op, rewriter: Rewriter) -> None:
    """Write an op, or those that it fuses."""
    _FUSED.get(op.type, _as_it_is)(op, rewriter)


def _as_it_is(op: Op, rewriter: Rewriter) -> None:
    rewriter.ops.append(op)


def _fc(op: Op, rewriter: Rewriter) -> None:
    """An fc that ``opt`` made of a matmul multiplies the last axis, whatever `in_num_col_dims` says.

    ::

        fc(x, w, b, op_type="matmul_v2") -> elementwise_add(matmul_v2(x, w), b)
    """
    if op.attr("op_type") not in _PRODUCTS:
        if "Prelu_alpha" in op.inputs:
            op.inputs["Alpha"] = op.inputs.pop("Prelu_alpha")
        rewriter.ops.append(op)
        return
    target = only_output(op, "Out")
    bias, name = op.inputs.get("Bias", []), str(op.attr("activation_type") or "")
    total = rewriter.fresh(f"{target}/sum") if name else target
    product = rewriter.fresh(f"{target}/product") if bias else total
    attrs = {key: value for key, value in op.attrs.items() if key in _TRANSPOSED}
    rewriter.emit(
        "matmul_v2", {"X": op.inputs.get("Input", []), "Y": op.inputs.get("W", [])}, {"Out": [product]}, attrs
    )
    if bias:
        rewriter.emit("elementwise_add", {"X": [product], "Y": bias}, {"Out": [total]}, {"axis": integer(-1)})
    if name:
        _activation(op, name, total, target, rewriter)


def _conv(op: Op, rewriter: Rewriter) -> None:
    """A fused prelu takes its slopes from another input, and OpenCL's fused sum its other summand.

    ::

        conv2d(x, w, Prelu_alpha=a, act_type="prelu") -> prelu(conv2d(x, w), a)
        conv2d(x, w, SecondInput=r) -> elementwise_add(conv2d(x, w), r)
    """
    if "SecondInput" in op.inputs:
        _sum_with_second(op, rewriter)
        return
    if not op.attr("with_act") or op.attr("act_type") != "prelu":
        rewriter.ops.append(op)
        return
    target = only_output(op, "Output")
    real = rewriter.fresh(f"{target}/sum")
    op.outputs["Output"] = [real]
    for name in ("with_act", "act_type"):
        del op.attrs[name]
    slopes = op.inputs.pop("Prelu_alpha", [])
    rewriter.ops.append(op)
    _prelu(op, slopes, real, target, rewriter)


def _sum_with_second(op: Op, rewriter: Rewriter) -> None:
    name = str(op.attr("fuse_elementwise_op_type"))
    if name not in _SUMS or op.attr("with_act"):
        raise ModelParseError(
            f"attribute fuse_elementwise_op_type: expected one of {', '.join(_SUMS)} without an activation, "
            f"got {name!r}; load the Paddle model that the file was made from"
        )
    target = only_output(op, "Output")
    real = rewriter.fresh(f"{target}/sum")
    op.outputs["Output"] = [real]
    second = op.inputs.pop("SecondInput")
    rewriter.ops.append(op)
    rewriter.emit(name, {"X": [real], "Y": second}, {"Out": [target]}, {"axis": integer(-1)})


def _scale(op: Op, rewriter: Rewriter) -> None:
    """A scale with an activation after it; `alpha` is the activation's parameter.

    ::

        scale(x, activation_type="relu6") -> relu6(scale(x))
    """
    name = str(op.attr("activation_type") or "")
    if op.attr("fuse_scaleact"):
        raise ModelParseError("two fused scales are not supported; load the Paddle model of this file")
    if not name:
        rewriter.ops.append(op)
        return
    target = only_output(op, "Out")
    real = rewriter.fresh(f"{target}/scaled")
    op.outputs["Out"] = [real]
    rewriter.ops.append(op)
    _activation(op, name, real, target, rewriter)


_PARAMETERS: Mapping[str, str | None] = {
    "relu": None,
    "relu6": "threshold",
    "leaky_relu": "alpha",
    "sigmoid": None,
    "tanh": None,
}
"""Activations, and the names of the parameter that `alpha` holds."""


def _activation(op: Op, name: str, source: str, target: str, rewriter: Rewriter) -> None:
    if name == "prelu":
        _prelu(op, op.inputs.get("Prelu_alpha", []), source, target, rewriter)
        return
    if name not in _PARAMETERS:
        raise ModelParseError(
            f"the fused activation {name!r} is not supported; known: {', '.join(_PARAMETERS)}"
        )
    parameter, alpha = _PARAMETERS[name], op.attrs.get("alpha")
    attrs: dict[str, Attribute] = {parameter: alpha} if parameter and alpha is not None else {}
    rewriter.emit(name, {"X": [source]}, {"Out": [target]}, attrs)


def _prelu(op: Op, slopes: list[str], source: str, target: str, rewriter: Rewriter) -> None:
    mode = op.attrs.get("prelu_mode")
    attrs = {} if mode is None else {"mode": mode}
    rewriter.emit("prelu", {"X": [source], "Alpha": slopes}, {"Out": [target]}, attrs)


_FUSED: Mapping[str, Callable[[Op, Rewriter], None]] = {
    "conv2d": _conv,
    "conv2d_transpose": _conv,
    "depthwise_conv2d": _conv,
    "fc": _fc,
    "scale": _scale,
}
