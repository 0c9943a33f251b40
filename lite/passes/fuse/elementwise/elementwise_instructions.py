"""Elementwise nodes as instructions of fusion_group."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from lite.dataclass import dataclass
from lite.errors import GraphError
from lite.ir.graph import Node, Value
from lite.ir.types import DType
from lite.ops import Trait, get_schema, has_trait
from lite.ops.broadcast import aligned
from lite.ops.fusion_program import operand_count
from lite.ops.image_layout import RANK
from lite.passes.match import attributes, scalar


@dataclass(frozen=True)
class Operand:
    """A value that an instruction reads, and the shape that a constant needs for it."""

    value: Value
    shape: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Part:
    """One instruction of a node; without operands, it reads the result of the part before it."""

    op: str
    operands: tuple[Operand, ...] = ()
    numbers: tuple[float, ...] = ()


def parts_of(node: Node, instructions: Collection[str]) -> Sequence[Part] | None:
    """The `instructions` that a node becomes; None for a node that is not elementwise on plain float32.

    Operands have the rank of the result or one element, or they broadcast by their last axes.
    """
    values = [*node.all_inputs(), *node.all_outputs()]
    if any(value.shape is None or value.dtype is not DType.FLOAT32 or value.quant for value in values):
        return None
    rule = _RULES.get(node.op)
    if rule is None and has_trait(_arithmetic_op(node), Trait.ARITHMETIC):
        rule = _arithmetic
    if rule is None and operand_count(node.op) == 1:
        rule = _unary
    parts = () if rule is None else rule(node)
    return parts if parts and all(part.op in instructions for part in parts) else None


def _unary(node: Node) -> Sequence[Part]:
    if set(node.inputs) != {"X"}:
        return ()
    numbers = get_schema(node.op).numbers(node.attrs)
    return [Part(node.op, (Operand(node.input("X")),), tuple(numbers))]


def _scale(node: Node) -> Sequence[Part]:
    if set(node.inputs) != {"X"}:
        return ()
    attrs = attributes(node)
    scale, bias, scale1, bias1 = (attrs.real(name) for name in ("scale", "bias", "scale1", "bias1"))
    x = (Operand(node.input("X")),)
    if attrs["bias_after_scale"] or not bias:
        parts = [Part("scale", x, (scale, bias))]
    else:
        parts = [Part("scale", x, (1.0, bias)), Part("scale", (), (scale, 0.0))]
    parts += _activation(attrs["activation"], attrs["activation_params"])
    return parts if scale1 == 1 and not bias1 else [*parts, Part("scale", (), (scale1, bias1))]


def _arithmetic_op(node: Node) -> str:
    """The op without a fused activation."""
    return node.op.removeprefix("fusion_").removesuffix("_activation")


def _arithmetic(node: Node) -> Sequence[Part]:
    attrs = attributes(node)
    name = _arithmetic_op(node)
    x, y = _operands(node, attrs.integer("axis"))
    if x is None or y is None:
        return ()
    scale, bias = attrs.real("scale", 1.0), attrs.real("bias", 0.0)
    parts = [_power(x, y) if name == "elementwise_pow" else Part(name, (x, y))]
    parts += [] if scale == 1 and not bias else [Part("scale", (), (scale, bias))]
    return [*parts, *_activation(attrs.get("activation", ""), attrs.get("activation_params", []))]


def _activation(name: object, params: object) -> list[Part]:
    return [Part(str(name), (), _reals(params))] if name else []


def _pow(node: Node) -> Sequence[Part]:
    factor = attributes(node).real("factor")
    return [Part(_POWERS.get(factor, ""), (Operand(node.input("X")),))] if set(node.inputs) == {"X"} else ()


def _power(x: Operand, y: Operand) -> Part:
    """The op that computes a power; an empty name for a power without one."""
    exponent = scalar(y.value)
    return Part("" if exponent is None else _POWERS.get(exponent, ""), (x,))


def _operands(node: Node, axis: int) -> tuple[Operand | None, Operand | None]:
    x, y = node.input("X"), node.input("Y")
    return _operand(x, y, axis), _operand(y, x, axis)


def _operand(value: Value, other: Value, axis: int) -> Operand | None:
    """`value` as it broadcasts to `other`; None if it needs another shape and is not constant."""
    mine, theirs = value.shape or (), other.shape or ()
    if len(mine) >= len(theirs) or all(dim == 1 for dim in mine):
        return Operand(value)
    if value.data is not None:
        try:
            shape, _ = aligned(value.data.shape, (1,) * len(theirs), axis)
        except GraphError:
            return None
        return Operand(value, shape)
    # An image whose axes may be permuted needs operands of its rank.
    fits = axis in (-1, len(theirs) - len(mine)) and len(theirs) != RANK
    return Operand(value) if fits else None


def _reals(numbers: object) -> tuple[float, ...]:
    return tuple(numbers) if isinstance(numbers, list | tuple) else ()


_POWERS = {-1.0: "reciprocal", -0.5: "rsqrt", 0.5: "sqrt", 2.0: "square"}

_RULES: Mapping[str, Callable[[Node], Sequence[Part]]] = {"pow": _pow, "scale": _scale}
