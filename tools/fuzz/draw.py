"""Draw: a graph while it is drawn, node by node, with the concrete value of every tensor."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeVar

import ml_dtypes
import numpy as np
import onnx
from onnx import helper

from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.tools.fuzz.evaluate import Rejected, Values, initializer, run_node

FLOATS = ("float32",)
REALS = ("float32", "float64", "float16")
INDICES = ("int64", "int32")
INTEGERS = ("int64", "int32", "int8", "uint8")
NUMBERS = ("float32", "int64", "int32")
ANY = ("float32", "int64", "int32", "bool", "float64", "float16", "uint8", "int8")

MAX_ELEMENTS = 20_000
"""Larger tensors are not used as inputs of further nodes."""

Dims = Sequence[int]

T = TypeVar("T")
R = TypeVar("R", bound=Callable[["Draw"], object])


@dataclass(frozen=True)
class Value:
    """A tensor or a sequence of the graph."""

    name: str
    value: Values
    is_constant: bool = False
    is_exact: bool = True
    """Whether rounding cannot change it: integers, and floats that no arithmetic made."""

    @property
    def array(self) -> Array:
        """The tensor; raises `Rejected` for a sequence."""
        if not isinstance(self.value, np.ndarray):
            raise Rejected("not a tensor")
        return self.value

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the tensor."""
        return tuple(self.array.shape)

    @property
    def dtype(self) -> str:
        """The name of the element type."""
        return str(self.array.dtype)

    @property
    def rank(self) -> int:
        """The number of axes."""
        return self.array.ndim


@dataclass
class Draw:
    """The nodes, inputs and constants drawn so far.

    `outer` is the draw of the surrounding graph, whose values sub-graphs may capture.  Every choice comes
    from `random`: the same seed draws the same graph.
    """

    random: random.Random
    opset: int
    outer: Draw | None = None
    prefix: str = ""
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    inputs: dict[str, Array] = field(default_factory=dict)
    fixed: set[str] = field(default_factory=set)
    valid: dict[str, Callable[[Array], bool]] = field(default_factory=dict)
    constants: dict[str, Array] = field(default_factory=dict)
    values: list[Value] = field(default_factory=list)
    rejected: int = 0

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.random.random() < probability

    def pick(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.random.randrange(len(items))]

    def integer(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return self.random.randint(low, high)

    def real(self, low: float = -2.0, high: float = 2.0) -> float:
        """A number between two others, rounded to few digits so that reports stay short."""
        return round(self.random.uniform(low, high), 2)

    def dims(self, rank: int, low: int = 1, high: int = 5) -> tuple[int, ...]:
        """A shape, with sizes 1 and, rarely, 0 among the others."""
        sizes = []
        for _ in range(rank):
            size = self.integer(low, high)
            if self.chance(0.15):
                size = 1
            sizes.append(size)
        if sizes and low == 1 and self.chance(0.01):
            sizes[self.integer(0, rank - 1)] = 0
        return tuple(sizes)

    def array(self, shape: Dims, dtype: str = "float32") -> Array:
        """Random elements: moderate numbers, often small whole ones, zeros and repeated values."""
        seed = self.random.randrange(2**32)
        rng = np.random.default_rng(seed)
        if dtype == "bool":
            return np.asarray(rng.random(tuple(shape)) < 0.5)
        if dtype.startswith(("int", "uint")):
            low = 0 if dtype.startswith("u") else -5
            return rng.integers(low, 8, tuple(shape)).astype(dtype)
        if dtype == "object":
            words = np.array(["a", "bc", "d e", "", "Ab"], object)
            return np.asarray(words[rng.integers(0, len(words), tuple(shape))], object)
        numbers = rng.uniform(-2, 2, tuple(shape))
        if self.random.random() < 0.2:
            numbers = np.round(numbers)
        return np.asarray(numbers).astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)

    def visible(self) -> list[Value]:
        """The values that a node may read here, those of surrounding graphs included."""
        outer = [] if self.outer is None else self.outer.visible()
        return [*outer, *self.values]

    def find(
        self,
        dtypes: Sequence[str] = FLOATS,
        rank: int | None = None,
        low: int = 0,
        high: int = 6,
        where: Callable[[Value], bool] = lambda _: True,
    ) -> Value | None:
        """A value of one of these element types and ranks, late ones preferred; None where there is none."""
        found = [
            value
            for value in self.visible()
            if isinstance(value.value, np.ndarray)
            and value.dtype in dtypes
            and (low <= value.rank <= high if rank is None else value.rank == rank)
            and value.array.size <= MAX_ELEMENTS
            and where(value)
        ]
        if not found:
            return None
        return found[-1 - min(int(self.random.expovariate(0.5)), len(found) - 1)]

    def value(
        self,
        dtypes: Sequence[str] = FLOATS,
        rank: int | None = None,
        low: int = 0,
        high: int = 5,
        where: Callable[[Value], bool] = lambda _: True,
        fresh: Callable[[], Array] | None = None,
    ) -> Value:
        """An existing value or, sometimes and where none fits, a new input or constant.

        Raises `Rejected` where no new one fits either.
        """
        found = None if self.chance(0.12) else self.find(dtypes, rank, low, high, where)
        if found is not None:
            return found
        for _ in range(8):
            array = (
                self.array(self.dims(self.integer(low, min(high, 4)) if rank is None else rank), dtypes[0])
                if fresh is None
                else fresh()
            )
            if where(Value("", array)):
                return self.fresh(array)
        raise Rejected("no value fits")

    def fresh(self, array: Array, *, constant: float = 0.4) -> Value:
        """A new input, or with the given probability a new constant."""
        return self.constant(array) if self.outer is not None or self.chance(constant) else self.input(array)

    def input(
        self, array: Array, *, is_fixed: bool = False, valid: Callable[[Array], bool] = lambda _: True
    ) -> Value:
        """A new input of the model, which declares all sizes of a fixed one; other feeds are `valid` too."""
        name = f"{self.prefix}x{len(self.inputs)}"
        self.valid[name] = valid
        self.inputs[name] = array
        if is_fixed:
            self.fixed.add(name)
        return self._enter(Value(name, array))

    def constant(self, array: Any, dtype: str | None = None) -> Value:
        """A new initializer, or the output of a Constant node."""
        value = np.asarray(array, dtype)
        if self.chance(0.2) and value.dtype != object:
            tensor = initializer("value", value)
            name = self.name()
            self.nodes.append(helper.make_node("Constant", [], [name], value=tensor))
            return self._enter(Value(name, value, True))
        name = f"{self.prefix}w{len(self.constants)}"
        self.constants[name] = value
        return self._enter(Value(name, value, True))

    def name(self) -> str:
        """A name that no value of this graph has."""
        return f"{self.prefix}v{len(self.nodes)}"

    def _enter(self, value: Value) -> Value:
        self.values.append(value)
        return value

    def node(
        self,
        op: str,
        inputs: Sequence[Value | None],
        outputs: int | Sequence[bool] = 1,
        *,
        domain: str = "",
        exact: bool | None = None,
        **attrs: Any,
    ) -> Value:
        """Add a node; its first output.  Raises `Rejected` where the reference does not run it."""
        return self.nodes_outputs(op, inputs, outputs, domain=domain, exact=exact, **attrs)[0]

    def nodes_outputs(
        self,
        op: str,
        inputs: Sequence[Value | None],
        outputs: int | Sequence[bool] = 1,
        *,
        domain: str = "",
        exact: bool | None = None,
        **attrs: Any,
    ) -> list[Value]:
        """Add a node; the values of its outputs, those that are left out excluded."""
        present = [True] * outputs if isinstance(outputs, int) else list(outputs)
        base = self.name()
        names = [f"{base}_{n}" if n else base for n in range(len(present))]
        names = [name if has else "" for name, has in zip(names, present, strict=True)]
        slots = ["" if value is None else value.name for value in inputs]
        while slots and not slots[-1]:
            slots.pop()
        made = helper.make_node(op, slots, names, domain=domain, **attrs)
        results = self.evaluate(made)
        self.nodes.append(made)
        if exact is None:
            exact = all(value.is_exact for value in inputs if value is not None) and op in EXACT_OPS
        return [
            self._enter(Value(name, result, is_exact=exact or _is_integer(result)))
            for name, result in zip([name for name in names if name], results, strict=True)
        ]

    def evaluate(self, node: onnx.NodeProto) -> list[Any]:
        """The outputs of a node on the values drawn so far; raises `Rejected`."""
        values = {value.name: value.value for value in self.visible()}
        feeds = {name: values[name] for name in reads(node) if name in values}
        try:
            results = run_node(node, feeds, self.opsets())
        except Rejected:
            self.rejected += 1
            raise
        for result in results:
            check_usable(result)
        return results

    def opsets(self) -> list[onnx.OperatorSetIdProto]:
        """The operator sets that the model imports."""
        domains = {"": self.opset, "com.microsoft": 1, "ai.onnx.ml": 3}
        return [helper.make_opsetid(domain, version) for domain, version in domains.items()]


EXACT_OPS = frozenset(
    [
        "Abs",
        "Cast",
        "Ceil",
        "Clip",
        "Compress",
        "Concat",
        "DepthToSpace",
        "Expand",
        "EyeLike",
        "Flatten",
        "Floor",
        "Gather",
        "GatherElements",
        "GatherND",
        "Identity",
        "Max",
        "Min",
        "MaxPool",
        "Neg",
        "OneHot",
        "Pad",
        "Relu",
        "Reshape",
        "ReverseSequence",
        "Round",
        "ScatterElements",
        "ScatterND",
        "Shape",
        "Sign",
        "Slice",
        "SpaceToDepth",
        "Split",
        "Squeeze",
        "Tile",
        "TopK",
        "Transpose",
        "Trilu",
        "Unsqueeze",
        "Where",
        "ReduceMax",
        "ReduceMin",
        "Constant",
        "ConstantOfShape",
        "GlobalMaxPool",
        "MaxUnpool",
        "CenterCropPad",
        "SequenceAt",
        "SequenceConstruct",
        "SequenceInsert",
        "ConcatFromSequence",
        "SplitToSequence",
        "SequenceErase",
        "Unique",
        "NonZero",
        "Range",
        "Size",
    ]
)
"""Ops that only move or compare elements: no rounding."""


def reads(node: onnx.NodeProto) -> list[str]:
    """The names that a node reads, also those that its sub-graphs capture."""
    names = dict.fromkeys(name for name in node.input if name)
    for attribute in node.attribute:
        for graph in (*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])):
            made = {info.name for info in graph.input} | {tensor.name for tensor in graph.initializer}
            for inner in graph.node:
                names.update(dict.fromkeys(name for name in reads(inner) if name not in made))
                made.update(inner.output)
            names.update(dict.fromkeys(info.name for info in graph.output if info.name not in made))
    return list(names)


def check_usable(result: Values) -> None:
    """Raise `Rejected` for values that no engine is asked to agree on: NaN, infinities, huge numbers."""
    if isinstance(result, list):
        for item in result:
            check_usable(item)
        return
    if result is None or result.dtype == object or not result.size:
        return
    if result.size > 10 * MAX_ELEMENTS:
        raise Rejected("too large")
    if result.dtype.kind == "f" or result.dtype == ml_dtypes.bfloat16:
        wide = np.abs(result.astype(np.float64))
        limit = 1e3 if result.dtype.itemsize == 2 else 1e5
        if not np.isfinite(wide).all() or wide.max() > limit:
            raise Rejected("not finite, or too large to compare")


def _is_integer(result: Values) -> bool:
    return isinstance(result, np.ndarray) and result.dtype.kind in "iubO"


Row = Callable[[Draw], object]
"""Adds a node or a chain of nodes; raises `Rejected` where the values drawn so far do not allow it."""

ROWS: dict[str, tuple[Row, float]] = {}
"""Rows by name, with their weights."""


def row(weight: float = 1.0) -> Callable[[R], R]:
    """Register a row; its name is the function's."""

    def register(function: R) -> R:
        ROWS[function.__name__] = (function, weight)
        return function

    return register


def rows_of_table(table: Mapping[str, Row], weight: float = 1.0) -> None:
    """Register a row for each op of a table."""
    for name, function in table.items():
        ROWS[name] = (function, weight)
