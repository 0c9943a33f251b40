"""What an op is: slots, attributes with defaults, shape rule, LoD rule, aliasing.

Schemas are declared by family in the other files of this package, most of them as table rows::

    op("relu", "X:float", "Out", same_as("X"), lod="X", inplace={"Out": "X"})
    op("arg_max", "X/1-", "Out", _arg, attrs={"axis": -1, "keepdims": False, "dtype": 3})

Slots are written ``Name``, ``Name?`` (optional), ``Name*`` (repeated), ``Name?*`` (both), with what
they accept behind: ``:float`` (see `KINDS`, or dtypes, ``:int32|int64``) and ranks, ``/4``, ``/2-``
or ``/1-3``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from lite.errors import GraphError, suggest
from lite.ir.program import AttrType, AttrValue
from lite.ir.types import DType
from lite.ops.view import Inferred, Meta, OpView

ShapeRule = Callable[[OpView], Inferred]

LOD_BY_KERNEL = "kernel"
"""`OpSchema.lod` of an op that reads LoD: its kernels get and return LoDs."""

LOD_BY_RULE = "rule"
"""`OpSchema.lod` of an op whose shape rule sets the LoDs of its outputs."""

KINDS: dict[str, frozenset[DType]] = {
    "float": frozenset(dtype for dtype in DType if dtype.is_float),
    "int": frozenset(dtype for dtype in DType if dtype.is_integer),
    "index": frozenset({DType.INT32, DType.INT64}),
    "bool": frozenset({DType.BOOL}),
    "number": frozenset(dtype for dtype in DType if dtype.is_float or dtype.is_integer),
    "any": frozenset(DType),
}

_SLOT = re.compile(r"(\w+)(\??)(\*?)(?::([\w|]+))?(?:/(\d+)(-?)(\d*))?")


@dataclass(frozen=True)
class Slot:
    """One input or output slot and what it accepts."""

    name: str
    optional: bool = False
    repeated: bool = False
    dtypes: frozenset[DType] = KINDS["any"]
    min_rank: int = 0
    max_rank: int | None = None

    def why_not(self, meta: Meta) -> str | None:
        """A sentence when a value does not fit in the slot."""
        if meta.is_array:
            return None
        if meta.dtype not in self.dtypes:
            return f"expected {'/'.join(sorted(str(dtype) for dtype in self.dtypes))}, got {meta}"
        if meta.shape is None:
            return None
        highest = len(meta.shape) if self.max_rank is None else self.max_rank
        if not self.min_rank <= len(meta.shape) <= highest:
            return f"expected rank {self.rank_text()}, got {meta}"
        return None

    def rank_text(self) -> str:
        """``4``, ``2 or more``, ``1 to 3``."""
        if self.max_rank is None:
            return f"{self.min_rank} or more"
        return str(self.min_rank) if self.min_rank == self.max_rank else f"{self.min_rank} to {self.max_rank}"


@dataclass(frozen=True)
class Attr:
    """One attribute: its type, its default (None: it must be given) and its range."""

    type: AttrType
    default: AttrValue | None
    choices: tuple[AttrValue, ...] = ()
    low: float | None = None
    high: float | None = None

    def checked(self, value: AttrValue) -> AttrValue:
        """`value` in this attribute's type; raises `ValueError` with a sentence when it cannot be."""
        value = _converted(value, self.type)
        if not self.choices and self.low is None and self.high is None:
            return value
        for item in value if isinstance(value, list) else [value]:
            if self.choices and item not in self.choices:
                raise ValueError(f"expected one of {list(self.choices)}, got {item!r}")
            if isinstance(item, int | float) and not _within(item, self.low, self.high):
                raise ValueError(f"expected a number from {self.low} to {self.high}, got {item}")
        return value


@dataclass(frozen=True)
class Canonical:
    """How an old spelling becomes the op that replaces it, when only names and attributes differ.

    `slots` renames slots; `attrs` makes the new attributes from the old ones (None: they stay).
    What changes the graph's structure is a function under ``lite/passes/cleanup/spellings`` instead.
    """

    op: str
    attrs: Callable[[Mapping[str, AttrValue]], dict[str, AttrValue]] | None = None
    slots: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class OpSchema:
    """Everything the engine knows about an op type.

    `attr_slots` maps an input slot to the attribute (or attributes, one per element) that its values
    become when they are constant; while the slot is there, it counts and the attribute does not.
    `lod` names the input whose LoD the outputs take, or is one of the words above, or None.  `view` maps an
    output to the input whose bytes it only re-reads; `inplace` to one whose buffer it may overwrite.
    `effect` fixes the op's order among others with effects.  `foldable` is False for random ops.
    `canonical` says which op replaces this old spelling; only that one needs kernels.  `control_flow`
    ops are run by the executor.  `once` ops on constants are run when the model is loaded.  `sized_by_run`
    ops have outputs whose size only the run tells: what a file declares of it does not count.
    """

    name: str
    inputs: Mapping[str, Slot]
    outputs: Mapping[str, Slot]
    attrs: Mapping[str, Attr]
    infer: ShapeRule
    lod: str | None = None
    view: Mapping[str, str] | None = None
    inplace: Mapping[str, str] | None = None
    effect: bool = False
    foldable: bool = True
    canonical: Canonical | None = None
    attr_slots: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    control_flow: bool = False
    once: bool = False
    sized_by_run: bool = False

    def attr_values(self, given: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
        """Every attribute of the schema, checked and with defaults filled in.

        Attributes that the schema does not know are left out: Paddle stores many that only steer its
        own kernels.  Raises `GraphError` naming op and attribute.
        """
        values: dict[str, AttrValue] = {}
        for name, attr, default, plain, items in self._defaults:
            value = given.get(name)
            if value is None:
                if default is None or name in given:
                    raise GraphError(f"{self.name}: attribute {name} is missing and has no default")
                values[name] = default
            elif type(value) is plain:
                values[name] = value
            elif items and type(value) is list and items.issuperset(map(type, value)):
                values[name] = value.copy()
            else:
                try:
                    values[name] = attr.checked(value)
                except ValueError as error:
                    raise GraphError(f"{self.name}: attribute {name}: {error}") from error
        return values

    @functools.cached_property
    def _defaults(self) -> list[tuple[str, Attr, AttrValue | None, type | None, frozenset[type]]]:
        """Each attribute with its default, and the types of values and of items that need no check."""
        return [(name, attr, attr.default, *_unchecked(attr)) for name, attr in self.attrs.items()]


SCHEMAS: dict[str, OpSchema] = {}
"""Every known op type."""


def op(
    name: str,
    inputs: str,
    outputs: str,
    infer: ShapeRule,
    *,
    attrs: Mapping[str, AttrValue | Attr] | None = None,
    lod: str | None = None,
    view: Mapping[str, str] | None = None,
    inplace: Mapping[str, str] | None = None,
    effect: bool = False,
    foldable: bool = True,
    canonical: Canonical | str | None = None,
    attr_slots: Mapping[str, str | tuple[str, ...]] | None = None,
    control_flow: bool = False,
    once: bool = False,
    sized_by_run: bool = False,
) -> OpSchema:
    """Declare an op type; raises `GraphError` when the name is taken or a slot cannot be read."""
    if name in SCHEMAS:
        raise GraphError(f"op {name!r} is declared twice")
    schema = OpSchema(
        name,
        _slots(inputs),
        _slots(outputs),
        {key: value if isinstance(value, Attr) else _attr(value) for key, value in (attrs or {}).items()},
        infer,
        lod,
        view,
        inplace,
        effect,
        foldable,
        Canonical(canonical) if isinstance(canonical, str) else canonical,
        attr_slots or {},
        control_flow,
        once,
        sized_by_run,
    )
    SCHEMAS[name] = schema
    return schema


def get_schema(name: str) -> OpSchema:
    """The schema of an op type; raises `GraphError` with near names."""
    schema = SCHEMAS.get(name)
    if schema is None:
        raise GraphError(f"unknown op {name!r}{suggest(name, SCHEMAS)}")
    return schema


def ints(*default: int) -> Attr:
    """A list of whole numbers."""
    return Attr(AttrType.INTS, list(default))


def longs(*default: int) -> Attr:
    """A list of 64-bit whole numbers."""
    return Attr(AttrType.LONGS, list(default))


def floats(*default: float) -> Attr:
    """A list of real numbers."""
    return Attr(AttrType.FLOATS, list(default))


def choice(default: str, *others: str) -> Attr:
    """One of a few words."""
    return Attr(AttrType.STRING, default, choices=(default, *others))


def number(default: float, low: float | None = None, high: float | None = None) -> Attr:
    """A number within a range; whole when the default is."""
    kind = AttrType.INT if isinstance(default, int) else AttrType.FLOAT
    return Attr(kind, default, low=low, high=high)


def required(kind: AttrType) -> Attr:
    """An attribute without a default."""
    return Attr(kind, None)


_LISTS = {
    AttrType.INTS: AttrType.INT,
    AttrType.LONGS: AttrType.LONG,
    AttrType.FLOATS: AttrType.FLOAT,
    AttrType.FLOAT64S: AttrType.FLOAT64,
    AttrType.BOOLEANS: AttrType.BOOLEAN,
    AttrType.STRINGS: AttrType.STRING,
}


_PLAIN = {
    AttrType.BOOLEAN: bool,
    AttrType.INT: int,
    AttrType.LONG: int,
    AttrType.FLOAT: float,
    AttrType.FLOAT64: float,
    AttrType.STRING: str,
}


def _unchecked(attr: Attr) -> tuple[type | None, frozenset[type]]:
    """The type whose every value an attribute takes as it is, and that of the items of a list."""
    if attr.choices or attr.low is not None or attr.high is not None:
        return None, frozenset()
    element = _LISTS.get(attr.type)
    return _PLAIN.get(attr.type), frozenset() if element is None else frozenset({_PLAIN[element]})


def _attr(default: AttrValue) -> Attr:
    for kind, python in ((AttrType.BOOLEAN, bool), (AttrType.INT, int), (AttrType.FLOAT, float)):
        if isinstance(default, python):
            return Attr(kind, default)
    if isinstance(default, str):
        return Attr(AttrType.STRING, default)
    raise GraphError(f"the type of an attribute cannot be told from its default {default!r}")


def _slots(text: str) -> dict[str, Slot]:
    slots = (_slot(word) for word in text.split())
    return {slot.name: slot for slot in slots}


@functools.cache
def _slot(word: str) -> Slot:
    found = _SLOT.fullmatch(word)
    if found is None:
        raise GraphError(f"slot {word!r} cannot be read; see lite/ops/schema.py")
    name, optional, repeated, kinds, low, dash, high = found.groups()
    dtypes: frozenset[DType] = frozenset()
    for kind in (kinds or "any").split("|"):
        dtypes |= KINDS[kind] if kind in KINDS else {DType.from_name(kind)}
    lowest = int(low or 0)
    highest = int(high) if high else None if dash or not low else lowest
    return Slot(name, bool(optional), bool(repeated), dtypes, lowest, highest)


def _converted(value: AttrValue, kind: AttrType) -> AttrValue:
    element = _LISTS.get(kind)
    if element is not None:
        items: Sequence[AttrValue] = value if isinstance(value, list) else [value]
        converted: AttrValue = [_converted(item, element) for item in items]  # type: ignore[assignment]
        return converted
    if kind == AttrType.SCALARS and isinstance(value, list):
        return value
    if kind == AttrType.BOOLEAN and isinstance(value, bool | int):
        return bool(value)
    if kind in (AttrType.INT, AttrType.LONG) and isinstance(value, int):
        return int(value)
    if kind in (AttrType.INT, AttrType.LONG) and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind in (AttrType.FLOAT, AttrType.FLOAT64) and isinstance(value, bool | int | float):
        return float(value)
    if kind == AttrType.STRING and isinstance(value, str):
        return value
    raise ValueError(f"expected {kind.name}, got {value!r}")


def _within(item: float, low: float | None, high: float | None) -> bool:
    return (low is None or item >= low) and (high is None or item <= high)
