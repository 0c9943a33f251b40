"""Ops and ONNX rules that a program registers itself, without a package: `lite.op` and `lite.onnx_op`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from lite.dataclass import dataclass
from lite.errors import PluginError
from lite.ir.program import AttrType
from lite.ir.types import DType, Shape
from lite.ops.attrs import Attr, attr_of
from lite.ops.schema import SCHEMAS, ShapeRule
from lite.ops.schema import op as declare
from lite.ops.view import Inferred, Meta, OpView
from lite.plugin.kernel.kernels import kernel
from lite.plugin.registry import Registry

F = TypeVar("F", bound=Callable[..., Any])

ShapeOf = Callable[..., Sequence[int]]
"""Returns the shape of the first output from the shapes of the inputs, and from the attributes by name."""

_LISTS = {"list[int]": AttrType.INTS, "list[float]": AttrType.FLOATS, "list[str]": AttrType.STRINGS}
_SINGLE = {"int": AttrType.INT, "float": AttrType.FLOAT, "str": AttrType.STRING, "bool": AttrType.BOOLEAN}
_HINT = "annotate it with int, float, str, bool or a list of one of the first three"


@dataclass(frozen=True)
class OpRule:
    """An ONNX op that is one op of litebridge, with its slots in the order of ONNX's inputs and outputs."""

    op: str
    inputs: str
    outputs: str


ONNX_RULES: Registry[str, OpRule | Callable[..., None]] = Registry("ONNX rule")
"""Rules by the name of the ONNX op, with its domain in front: ``my.domain.Foo``."""


def op(
    name: str,
    *,
    outputs: Sequence[str] = ("Out",),
    shape: str | ShapeOf | None = None,
    dtype: str | None = None,
    onnx: str | None = None,
) -> Callable[[F], F]:
    """Declare an op, whose kernel for the host is the decorated function on numpy arrays.

    >>> @lite.op("scaled_relu", shape="X", onnx="my.domain.ScaledRelu")       # doctest: +SKIP
    ... def scaled_relu(X, *, scale: float = 1.0):
    ...     return np.maximum(X, 0) * scale

    The function's positional parameters are the op's inputs (with the default None: an optional one), and
    its keyword-only parameters are the attributes.  A list has no type of its own, so its parameter is
    annotated; so is a required attribute, which has no default.  A function with several outputs returns a
    tuple.

    outputs: names of the output slots.
    shape: the input that the first output has the shape of, or a function from the shapes of the inputs and
        the attributes to it, which is called with known sizes only.  None: known after the run.
    dtype: the name of the outputs' element type; None: that of the first input.
    onnx: the ONNX op that this one stands for, with its domain: ``my.domain.ScaledRelu``.  Its inputs,
        outputs and attributes are those of the function.

    Raises `PluginError` for a function that does not fit, and for a name that is taken.
    """

    def decorate(function: F) -> F:
        if name in SCHEMAS:
            raise PluginError(f"op {name!r} exists already; choose another name, such as 'my.{name}'")
        slots, attrs = _signature(name, function)
        names = [slot.rstrip("?*") for slot in slots]
        if isinstance(shape, str) and shape not in names:
            raise PluginError(f"op {name!r}: shape={shape!r} is no input; inputs: {', '.join(names)}")
        rule = _shape_rule(names, list(outputs), shape, DType.from_name(dtype) if dtype else None)
        # The cache's key has the source of this module.
        rule.__module__ = function.__module__
        declare(
            name,
            (function.__doc__ or f"The op {name} of a program.").splitlines()[0],
            " ".join(slots),
            " ".join(outputs),
            rule,
            attrs=attrs,
            sized_by_run=shape is None,
        )
        kernel(name)(function)
        if onnx is not None:
            ONNX_RULES.add(onnx, OpRule(name, " ".join(names), " ".join(outputs)), function.__module__)
        return function

    return decorate


def onnx_op(name: str) -> Callable[[F], F]:
    """Register a function as the translation of an ONNX op, by other ops.

    >>> @lite.onnx_op("my.domain.ReluThenScale")                               # doctest: +SKIP
    ... def relu_then_scale(node, writer):
    ...     between = writer.new_name(node.output())
    ...     writer.emit("relu", {"X": node.input(0)}, {"Out": between})
    ...     writer.emit("scale", {"X": between}, {"Out": node.output()}, {"scale": node.real("scale", 1.0)})

    The function gets the node (its inputs, outputs and attributes) and the writer of ops, as the rules in
    ``model_parser/onnx/ops`` do.  Raises `PluginError` for a name that another rule has.
    """

    def decorate(function: F) -> F:
        ONNX_RULES.add(name, function, function.__module__)
        return function

    return decorate


def _signature(name: str, function: Callable[..., Any]) -> tuple[list[str], dict[str, Attr]]:
    """The input slots in the notation of schemas, and the attributes, of a kernel's parameters."""
    slots: list[str] = []
    attrs: dict[str, Attr] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            if parameter.name not in ("out", "lods", "metas"):
                attrs[parameter.name] = _attribute(name, parameter)
        elif parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
            slots.append(parameter.name + ("?" if parameter.default is None else ""))
        else:
            raise PluginError(
                f"op {name!r}: parameter {parameter}: expected an input or a keyword-only attribute"
            )
    if not slots:
        raise PluginError(f"op {name!r}: expected a function with an input as its first parameter")
    return slots, attrs


def _attribute(name: str, parameter: inspect.Parameter) -> Attr:
    default = None if parameter.default is inspect.Parameter.empty else parameter.default
    annotation = parameter.annotation
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    text = str(annotation) if str(annotation) in _LISTS else text
    kind = _LISTS.get(text) or _SINGLE.get(text)
    if kind is not None:
        return Attr(kind, list(default) if isinstance(default, tuple) else default)
    if isinstance(default, bool | int | float | str):
        return attr_of(default)
    raise PluginError(f"op {name!r}: attribute {parameter.name!r} has no type: {_HINT}")


def _shape_rule(
    inputs: Sequence[str], outputs: Sequence[str], shape: str | ShapeOf | None, dtype: DType | None
) -> ShapeRule:
    def rule(view: OpView) -> Inferred:
        metas = [view.get(slot) for slot in inputs]
        kind = dtype or next(meta.dtype for meta in metas if meta is not None)
        first: Shape | None = None
        if isinstance(shape, str):
            first = view[shape].shape
        elif shape is not None and all(meta is None or meta.is_static for meta in metas):
            sizes = [None if meta is None else meta.sizes for meta in metas]
            first = tuple(int(size) for size in shape(*sizes, **view.by_name()))
        return {slot: Meta(kind, first if slot == outputs[0] else None) for slot in outputs}

    return rule
