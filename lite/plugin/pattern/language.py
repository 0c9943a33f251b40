"""The pattern language: describes a value by the op that writes it and by the op's inputs.

A pattern object stands for one value: if a pattern is used twice, both places must hold the same value.
Patterns are immutable; methods return new patterns around them.  Matching is a depth-first search with
backtracking.  The vocabulary follows the pattern language of TVM Relay (Z. Chen et al., "Bring your own
codegen to deep learning compiler", 2021).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from types import EllipsisType

from lite.errors import PluginError, suggest
from lite.ir.graph import Node, Value
from lite.ir.types import Dim, DType
from lite.ops import Trait, get_schema, has_trait
from lite.plugin.pattern.constraint import (
    Constraint,
    ExpectedAttr,
    ExpectedConstant,
    Number,
    attribute,
    check_attribute,
    constant,
    element_type,
    shape,
)
from lite.plugin.pattern.search import Search


class Pattern(ABC):
    """Describes a value of a graph."""

    inner: tuple[Pattern, ...] = ()
    """The patterns inside this one."""
    captures: str | None = None
    """The name under which this pattern captures its value, if it does."""

    @property
    @abstractmethod
    def ops(self) -> frozenset[str] | None:
        """The op types that may write a matching value; None if any op, or no op, may."""

    @abstractmethod
    def solve(self, value: Value, search: Search) -> Iterator[None]:
        """Yield once for each way in which the value matches.

        A match is undone before the next one begins.
        """

    @cached_property
    def parts(self) -> frozenset[Pattern]:
        """This pattern and all patterns inside it."""
        return frozenset({self}).union(*(pattern.parts for pattern in self.inner))

    def named(self, name: str) -> Pattern:
        """Capture the value under a name; patterns with the same name must match the same value."""
        return _Named(self, name)

    def has_attr(self, **attrs: ExpectedAttr) -> Pattern:
        """Constrain attributes of the op, each by a value, a set of values, or a predicate.

        Defaults are filled in, and real numbers are compared as float32.  An attribute that an input slot
        provides instead does not fit.  Raises `PluginError` for a name that none of the pattern's ops has.
        """
        pattern: Pattern = self
        for name, expected in attrs.items():
            check_attribute(name, self.ops)
            pattern = _Constrained(pattern, attribute(name, expected))
        return pattern

    def has_dtype(self, *dtypes: DType | str) -> Pattern:
        """Constrain the element type to one of these."""
        types = [DType.from_name(dtype) if isinstance(dtype, str) else dtype for dtype in dtypes]
        return _Constrained(self, element_type(types))

    def has_shape(self, *dims: Dim | EllipsisType | None) -> Pattern:
        """Constrain the shape by sizes or their names; None is any size, `...` any number of dimensions."""
        return _Constrained(self, shape(dims))

    def optional(self, more: Callable[[Pattern], Pattern]) -> Pattern:
        """``more(self)`` if that matches, or else this pattern alone."""
        return more(self) | self

    def output(self, slot: str, index: int | None = None) -> Pattern:
        """Another output of the op that writes this value; of a repeated slot, by default any value.

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


SlotPattern = Pattern | Sequence[Pattern] | None
"""The pattern of an input slot: for its one value, for each of its values, or None for an empty slot."""


def wildcard() -> Pattern:
    """Any value.  The op that writes it is not part of the match, unless another pattern matches it."""
    return _Leaf(None)


def is_constant(expected: ExpectedConstant | None = None) -> Pattern:
    """A constant: any, one number in all elements, an equal array, or one that a predicate accepts."""
    return _Leaf(constant(expected))


def is_input() -> Pattern:
    """An argument of the graph: a value that no op writes and that is not constant."""
    return _Leaf(_why_not_argument)


def is_op(*names: str) -> OpPattern:
    """The first output of an op of one of these types.

    Call the pattern to describe the op's inputs: ``is_op("conv2d")(Input=x, Filter=is_constant())``.
    Raises `GraphError` for a name that is not an op.
    """
    if not names:
        raise PluginError("pattern: is_op needs the name of an op")
    return OpPattern(names, {name: {} for name in names})


class _Op(Pattern):
    """The first output of an op, whose inputs match `slots`, by op type and slot."""

    def __init__(self, names: Sequence[str], slots: Mapping[str, Mapping[str, SlotPattern]]) -> None:
        self._slots = slots
        self._first = {name: next(iter(get_schema(name).outputs), None) for name in names}
        inputs = (item for by_slot in slots.values() for item in by_slot.values())
        self.inner = tuple(dict.fromkeys(pattern for item in inputs for pattern in _patterns(item)))

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
    """The first output of an op with any inputs; a call describes the inputs."""

    def __call__(self, *inputs: SlotPattern, **slots: SlotPattern) -> Pattern:
        """The op with these inputs, in the order of the schema or by slot; other slots may hold anything.

        None is an empty slot, a list has a pattern for each value of a repeated slot.  Raises
        `PluginError` for a slot that one of the ops lacks.
        """
        return _Op(list(self._slots), {op: _by_slot(op, inputs, slots) for op in self._slots})


class _Leaf(Pattern):
    """A value whose op is not part of the match."""

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
    """A pattern whose value must keep a constraint."""

    def __init__(self, pattern: Pattern, constraint: Constraint) -> None:
        self.inner = (pattern,)
        self._constraint = constraint

    @property
    def ops(self) -> frozenset[str] | None:
        return self.inner[0].ops

    def solve(self, value: Value, search: Search) -> Iterator[None]:
        checked = False
        for _ in search.matches(self.inner[0], value):
            if not checked:
                checked, sentence = True, self._constraint(value)
                if sentence is not None:
                    search.refuse("{}", sentence)
                    return
            yield


class _Named(Pattern):
    """A pattern that captures its value under a name."""

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
    """Alternatives, from left to right."""

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
    """Another output of the op that a pattern matches."""

    def __init__(self, pattern: Pattern, slot: str, index: int | None) -> None:
        self.inner = (pattern,)
        self._slot = slot
        self._index = index

    @property
    def ops(self) -> frozenset[str] | None:
        return self.inner[0].ops

    def solve(self, value: Value, search: Search) -> Iterator[None]:
        node = value.producer
        outputs = node.outputs.get(self._slot, []) if node is not None else []
        if self._index is not None:
            outputs = outputs[self._index : self._index + 1]
        if node is None or value not in outputs:
            which = self._slot if self._index is None else f"{self._slot}[{self._index}]"
            search.refuse("{!r} is not output {} of the op that the pattern names", value, which, near=2)
            return
        bound = search.bound.get(self.inner[0])
        for output in node.all_outputs() if bound is None else [bound]:
            if output.producer is node:
                yield from search.matches(self.inner[0], output)


def _by_slot(
    op: str, inputs: Sequence[SlotPattern], slots: Mapping[str, SlotPattern]
) -> dict[str, SlotPattern]:
    known = list(get_schema(op).inputs)
    if len(inputs) > len(known):
        raise PluginError(f"pattern: {op} has {len(known)} input slots, got {len(inputs)} inputs")
    by_slot: dict[str, SlotPattern] = dict(zip(known, inputs, strict=False))
    for slot, pattern in slots.items():
        if slot not in known:
            raise PluginError(f"pattern: {op} has no input {slot!r}{suggest(slot, known)}")
        if slot in by_slot:
            raise PluginError(f"pattern: input {slot!r} of {op} is given twice")
        by_slot[slot] = pattern
    return by_slot


def _patterns(slot: SlotPattern) -> Sequence[Pattern]:
    if slot is None:
        return ()
    return [slot] if isinstance(slot, Pattern) else slot


def _orders(node: Node, slots: Mapping[str, SlotPattern]) -> Iterator[Mapping[str, SlotPattern]]:
    """The slots in the given order, and with X and Y exchanged where that computes the same.

    The attribute `axis` aligns the operand of lower rank with the other one, whichever slot it is in, so
    it does not matter.  The result has the element type of X, so both operands must have the same.
    """
    yield slots
    if has_trait(node.op, Trait.COMMUTATIVE) and not slots.keys().isdisjoint(("X", "Y")):
        first, second = node.input("X"), node.input("Y")
        if first is not second and (first.dtype is second.dtype or None in (first.dtype, second.dtype)):
            exchanged = {"X": "Y", "Y": "X"}
            yield {exchanged.get(slot, slot): pattern for slot, pattern in slots.items()}


def _pairs(
    node: Node, slots: Mapping[str, SlotPattern], search: Search
) -> list[tuple[Pattern, Value]] | None:
    """Each input of an op with its pattern; None, with the reason noted, where their numbers differ."""
    pairs: list[tuple[Pattern, Value]] = []
    for slot, pattern in slots.items():
        values, patterns = node.inputs.get(slot, ()), _patterns(pattern)
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
    x, y = (operand if isinstance(operand, Pattern) else is_constant(operand) for operand in (first, second))
    return is_op(op)(X=x, Y=y)


def _why_not_argument(value: Value) -> str | None:
    if value.producer is None and value.data is None:
        return None
    return f"{value!r} is not an argument of the graph"
