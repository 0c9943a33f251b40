"""The types that attributes of a graph have in a program."""

from __future__ import annotations

from collections.abc import Callable

from lite.errors import GraphError
from lite.ir.graph import Node
from lite.ir.program import Attribute, AttrType, AttrValue, Program

_FLOAT32_MAX = 3.4028235677973366e38
"""Numbers of this magnitude and above round to infinity as float32."""


def _is_bool(value: AttrValue) -> bool:
    return isinstance(value, bool)


def _is_int(value: AttrValue, bits: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(1 << bits) <= value < 1 << bits


def _is_real(value: AttrValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_float32(value: AttrValue) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) < _FLOAT32_MAX or value != value or abs(value) == float("inf")


def _is_string(value: AttrValue) -> bool:
    return isinstance(value, str)


def _is_scalar(value: AttrValue) -> bool:
    return isinstance(value, bool | float | complex) or _is_int(value, 63)


_SINGLE: dict[AttrType, Callable[[AttrValue], bool]] = {
    AttrType.BOOLEAN: _is_bool,
    AttrType.INT: lambda value: _is_int(value, 31),
    AttrType.LONG: lambda value: _is_int(value, 63),
    AttrType.FLOAT: _is_float32,
    AttrType.FLOAT64: _is_real,
    AttrType.STRING: _is_string,
    AttrType.SCALAR: _is_scalar,
}
"""Whether each type can hold a value, in the order of preference; integers count as real numbers."""

_LISTS = {
    AttrType.BOOLEANS: AttrType.BOOLEAN,
    AttrType.INTS: AttrType.INT,
    AttrType.LONGS: AttrType.LONG,
    AttrType.FLOATS: AttrType.FLOAT,
    AttrType.FLOAT64S: AttrType.FLOAT64,
    AttrType.STRINGS: AttrType.STRING,
    AttrType.SCALARS: AttrType.SCALAR,
}

_REAL = (AttrType.FLOAT, AttrType.FLOAT64)
_REALS = (*_REAL, AttrType.FLOATS, AttrType.FLOAT64S)


class AttributeTypes:
    """Chooses the types of attributes: the type in a program if it can hold the value, else by the value.

    An empty list without a type in the program becomes INTS.
    """

    def __init__(self, like: Program | None) -> None:
        self._known: dict[tuple[str, str], AttrType] = {}
        for block in like.blocks if like is not None else ():
            for op in block.ops:
                for name, attribute in op.attrs.items():
                    self._known.setdefault((op.type, name), attribute.type)

    def attribute(self, node: Node, name: str) -> Attribute:
        """An attribute of a node with its type; raises `GraphError` if no type can hold its value."""
        value = node.attrs[name]
        known = self._known.get((node.op, name))
        if known is not None and _holds(known, value):
            return Attribute(known, _converted(known, value))
        kind = _by_value(value)
        if kind is None:
            raise GraphError(f"{node!r}: no attribute type of Paddle holds {name}={value!r}")
        return Attribute(kind, _converted(kind, value))

    def variable_type(self, op: str, slot: str) -> AttrType | None:
        """VAR or VARS if the program has the variables of a slot in an attribute, else None."""
        known = self._known.get((op, slot))
        return known if known in (AttrType.VAR, AttrType.VARS) else None


def _by_value(value: AttrValue) -> AttrType | None:
    if value == []:
        return AttrType.INTS
    kinds = _LISTS if isinstance(value, list) else _SINGLE
    kind = next((kind for kind in kinds if _holds(kind, value)), None)
    items = value if isinstance(value, list) else [value]
    if kind in _REALS and all(isinstance(item, int) for item in items):
        return None  # A real type would round these integers.
    return kind


def _holds(kind: AttrType, value: AttrValue) -> bool:
    if kind in _LISTS:
        return isinstance(value, list) and all(_SINGLE[_LISTS[kind]](item) for item in value)
    return kind in _SINGLE and _SINGLE[kind](value)


def _converted(kind: AttrType, value: AttrValue) -> AttrValue:
    if isinstance(value, list):
        items: AttrValue = [_converted(_LISTS[kind], item) for item in value]  # type: ignore[assignment]
        return items
    return float(value) if kind in _REAL and isinstance(value, int) else value
