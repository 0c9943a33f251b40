"""Patterns: what a value of a graph may be, and how the op that writes it was fed.

One pattern object stands for one value: where it is used twice, both places must hold the same value.
A pattern never changes; methods return new ones around it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from types import EllipsisType

from lite.errors import PluginError, suggest
from lite.ir.graph import Node, Value
from lite.ir.types import Dim, DType
from lite.ops import get_schema
from lite.plugin.pattern.constraint import (
    AttrWanted,
    ConstantWanted,
    Constraint,
    Number,
    attribute,
    check_attribute,
    constant,
    element_type,
    shape,
)
from lite.plugin.pattern.search import Search

COMMUTATIVE = frozenset({"elementwise_add", "elementwise_mul"})
"""Ops whose inputs X and Y a pattern may find exchanged."""


class Pattern(ABC):
    """Describes a value of a graph."""

    inner: tuple[Pattern, ...] = ()
    """The patterns this one is made of."""
    captures: str | None = None
    """The name under which the value is captured."""

    @property
    @abstractmethod
    def ops(self) -> frozenset[str] | None:
        """The types of the op that writes a matching value; None when it may be any, or none."""

    @abstractmethod
    def solve(self, value: Value, search: Search) -> Iterator[None]:
        """Every way in which the value matches; the last one's traces are gone when the next comes."""

    @cached_property
    def parts(self) -> frozenset[Pattern]:
        """This pattern and all those inside it."""
        return frozenset({self}).union(*(pattern.parts for pattern in self.inner))

    def named(self, name: str) -> Pattern:
        """Capture the value under `name`; the same name twice is the same value."""
        return _Named(self, name)

    def has_attr(self, **attrs: AttrWanted) -> Pattern:
        """Attributes of the op, defaults filled in: each a value, a set of values, or a predicate.

        Real numbers are compared as float32.  An attribute that an input slot gives instead does not
        fit.  Raises `PluginError` for a name that none of the pattern's ops has.
        """
        pattern: Pattern = self
        for name, wanted in attrs.items():
            check_attribute(name, self.ops)
            pattern = _Constrained(pattern, attribute(name, wanted))
        return pattern

    def has_dtype(self, *dtypes: DType | str) -> Pattern:
        """One of these element types."""
        known = [DType.from_name(dtype) if isinstance(dtype, str) else dtype for dtype in dtypes]
        return _Constrained(self, element_type(known))

    def has_shape(self, *dims: Dim | EllipsisType | None) -> Pattern:
        """Sizes, or names of symbolic ones; None is any size, `...` any number of dimensions."""
        return _Constrained(self, shape(dims))

    def optional(self, more: Callable[[Pattern], Pattern]) -> Pattern:
        """``more(self)`` where that matches, else this pattern alone."""
        return more(self) | self

    def output(self, slot: str, index: int | None = None) -> Pattern:
        """Another output of the op that writes this value; of a repeated slot, by default any one.

        Raises `PluginError` for a slot that none of the pattern's ops has.
        """
        slots = {name for op in self.ops or () for name in get_schema(op).outputs}
        if self.ops is not None and slot not in slots:
            ops = "/".join(sorted(self.ops))
            raise PluginError(f"pattern: {ops} has no output {slot!r}{suggest(slot, slots)}")
        return _OtherOutput(self, slot, index)

    def __or__(self, other: Pattern) -> Pattern:
        return _Either(self, other)

    def __add__(self, other: Pattern | Number) -> Pattern:
        return _arithmetic("elementwise_add", self, other)

    def __radd__(self, other: Number) -> Pattern:
        return _arithmetic("elementwise_add", other, self)

    def __mul__(self, other: Pattern | Number) -> Pattern:
        return _arithmetic("elementwise_mul", self, other)

    def __rmul__(self, other: Number) -> Pattern:
        return _arithmetic("elementwise_mul", other, self)

    def __sub__(self, other: Pattern | Number) -> Pattern:
        return _arithmetic("elementwise_sub", self, other)

    def __rsub__(self, other: Number) -> Pattern:
        return _arithmetic("elementwise_sub", other, self)

    def __truediv__(self, other: Pattern | Number) -> Pattern:
        return _arithmetic("elementwise_div", self, other)

    def __rtruediv__(self, other: Number) -> Pattern:
        return _arithmetic("elementwise_div", other, self)


Wanted = Pattern | Sequence[Pattern] | None
"""What an input slot holds: one value, exactly these values, or nothing."""


def wildcard() -> Pattern:
    """Any value.  It stays outside the match, unless another pattern takes its op in."""
    return _Leaf(None)


def is_constant(wanted: ConstantWanted | None = None) -> Pattern:
    """A constant: any, one number throughout, this very array, or what a predicate of its array allows."""
    return _Leaf(constant(wanted))


def is_input() -> Pattern:
    """An argument of the graph: neither written by an op nor constant."""
    return _Leaf(_why_not_argument)


def is_op(*names: str) -> OpPattern:
    """What an op of one of these types writes to the first output slot of its schema.

    Call it to say what the op reads: ``is_op("conv2d")(Input=x, Filter=is_constant())``.  Raises
    `GraphError` for a name that is no op.
    """
    if not names:
        raise PluginError("pattern: is_op needs the name of an op")
    return OpPattern(names, {name: {} for name in names})


class _Op(Pattern):
    def __init__(self, names: Sequence[str], slots: Mapping[str, Mapping[str, Wanted]]) -> None:
        self._slots = slots
        self._first = {name: next(iter(get_schema(name).outputs), None) for name in names}
        wanted = (item for by_slot in slots.values() for item in by_slot.values())
        flat = (pattern for item in wanted for pattern in _patterns(item))
        self.inner = tuple(dict.fromkeys(flat))

    @property
    def ops(self) -> frozenset[str]:
        return frozenset(self._slots)

    def solve(self, value: Value, search: Search) -> Iterator[None]:
        node = value.producer
        if node is None or node.op not in self._slots:
            search.other_op(value, " or ".join(self._slots))
            return
        first = self._first[node.op]
        if value not in node.outputs.get(first or "", ()):
            search.refuse("{!r} is not output {} of {!r}", value, first, node)
            return
        if not search.enter(node):
            return
        for slots in _orders(node, self._slots[node.op]):
            pairs = _pairs(node, slots, search)
            if pairs is not None:
                yield from _all_match(pairs, search)


class OpPattern(_Op):
    """What an op writes, whatever it reads; call it to say what."""

    def __call__(self, *inputs: Wanted, **slots: Wanted) -> Pattern:
        """The op with these inputs, in the schema's order or by slot; slots left out hold anything.

        None is an empty slot, a list the exact values of a repeated one.  Raises `PluginError` for a
        slot that one of the ops lacks.
        """
        return _Op(list(self._slots), {op: _by_slot(op, inputs, slots) for op in self._slots})


class _Leaf(Pattern):
    """A value that stays outside of the match."""

    def __init__(self, constraint: Constraint | None) -> None:
        self._constraint = constraint

    @property
    def ops(self) -> None:
        return None

    def solve(self, value: Value, search: Search) -> Iterator[None]:
        sentence = None if self._constraint is None else self._constraint(value)
        if sentence is None:
            yield
        else:
            search.refuse("{}", sentence)


class _Constrained(Pattern):
    def __init__(self, pattern: Pattern, constraint: Constraint) -> None:
        self.inner = (pattern,)
        self._constraint = constraint

    @property
    def ops(self) -> frozenset[str] | None:
        return self.inner[0].ops

    def solve(self, value: Value, search: Search) -> Iterator[None]:
        asked = False
        for _ in search.matches(self.inner[0], value):
            if not asked:
                asked, sentence = True, self._constraint(value)
                if sentence is not None:
                    search.refuse("{}", sentence)
                    return
            yield


class _Named(Pattern):
    def __init__(self, pattern: Pattern, name: str) -> None:
        self.inner = (pattern,)
        self.captures = self._name = name

    @property
    def ops(self) -> frozenset[str] | None:
        return self.inner[0].ops

    def solve(self, value: Value, search: Search) -> Iterator[None]:
        for _ in search.matches(self.inner[0], value):
            other = search.captures.get(self._name, value)
            if other is not value:
                search.refuse("{!r} and {!r} are both named {}", value, other, self._name)
                continue
            mark = search.mark()
            search.put(search.captures, self._name, value)
            yield
            search.undo(mark)


class _Either(Pattern):
    def __init__(self, *alternatives: Pattern) -> None:
        self.inner = alternatives

    @property
    def ops(self) -> frozenset[str] | None:
        ops: frozenset[str] = frozenset()
        for pattern in self.inner:
            if pattern.ops is None:
                return None
            ops |= pattern.ops
        return ops

    def solve(self, value: Value, search: Search) -> Iterator[None]:
        for pattern in self.inner:
            yield from search.matches(pattern, value)


class _OtherOutput(Pattern):
    def __init__(self, pattern: Pattern, slot: str, index: int | None) -> None:
        self.inner = (pattern,)
        self._slot = slot
        self._index = index

    @property
    def ops(self) -> frozenset[str] | None:
        return self.inner[0].ops

    def solve(self, value: Value, search: Search) -> Iterator[None]:
        node = value.producer
        written = node.outputs.get(self._slot, []) if node is not None else []
        if self._index is not None:
            written = written[self._index : self._index + 1]
        if node is None or value not in written:
            which = self._slot if self._index is None else f"{self._slot}[{self._index}]"
            search.refuse("{!r} is not output {} of the op that the pattern names", value, which, near=2)
            return
        bound = search.bound.get(self.inner[0])
        for output in node.all_outputs() if bound is None else [bound]:
            if output.producer is node:
                yield from search.matches(self.inner[0], output)


def _by_slot(op: str, inputs: Sequence[Wanted], slots: Mapping[str, Wanted]) -> dict[str, Wanted]:
    known = list(get_schema(op).inputs)
    if len(inputs) > len(known):
        raise PluginError(f"pattern: {op} has {len(known)} input slots, got {len(inputs)} inputs")
    by_slot: dict[str, Wanted] = dict(zip(known, inputs, strict=False))
    for slot, wanted in slots.items():
        if slot not in known:
            raise PluginError(f"pattern: {op} has no input {slot!r}{suggest(slot, known)}")
        if slot in by_slot:
            raise PluginError(f"pattern: input {slot!r} of {op} is given twice")
        by_slot[slot] = wanted
    return by_slot


def _patterns(wanted: Wanted) -> Sequence[Pattern]:
    if wanted is None:
        return ()
    return [wanted] if isinstance(wanted, Pattern) else wanted


def _orders(node: Node, slots: Mapping[str, Wanted]) -> Iterator[Mapping[str, Wanted]]:
    """The slots as they are, and with X and Y exchanged where the op gives the same then.

    `axis` says where the operand of lower rank lies in the other one, whichever slot that is in, so it
    stands; the element type of the result is X's, so both must be of one.
    """
    yield slots
    if node.op in COMMUTATIVE and not slots.keys().isdisjoint(("X", "Y")):
        first, second = node.input("X"), node.input("Y")
        if first is not second and (first.dtype is second.dtype or None in (first.dtype, second.dtype)):
            exchanged = {"X": "Y", "Y": "X"}
            yield {exchanged.get(slot, slot): wanted for slot, wanted in slots.items()}


def _pairs(node: Node, slots: Mapping[str, Wanted], search: Search) -> list[tuple[Pattern, Value]] | None:
    """Which pattern each value read must match; None, with the reason noted, when the counts differ."""
    pairs: list[tuple[Pattern, Value]] = []
    for slot, wanted in slots.items():
        values, patterns = node.inputs.get(slot, ()), _patterns(wanted)
        if len(values) != len(patterns):
            search.refuse(
                "{!r}: input {} holds {} values, expected {}", node, slot, len(values), len(patterns)
            )
            return None
        pairs += zip(patterns, values, strict=True)
    return pairs


def _all_match(pairs: Sequence[tuple[Pattern, Value]], search: Search, at: int = 0) -> Iterator[None]:
    if at == len(pairs):
        yield
        return
    for _ in search.matches(*pairs[at]):
        yield from _all_match(pairs, search, at + 1)


def _arithmetic(op: str, first: Pattern | Number, second: Pattern | Number) -> Pattern:
    x, y = (item if isinstance(item, Pattern) else is_constant(item) for item in (first, second))
    return is_op(op)(X=x, Y=y)


def _why_not_argument(value: Value) -> str | None:
    if value.producer is None and value.data is None:
        return None
    return f"{value!r} is not an argument of the graph"
