"""The writer of a program's ops, with the dtype and shape of every variable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.errors import ModelParseError
from lite.ir import program as ir
from lite.ir.fresh_names import FreshNames
from lite.ir.program import Attribute, AttrType, AttrValue, Block, Op, Program, VarKind, Weight
from lite.ir.types import UNKNOWN, Array, Dim, DType, Shape
from lite.model_parser.pnnx.value import Literal, Value, Var
from lite.ops import Meta, get_schema, infer

Names = Var | Sequence[Var] | None
"""The variables in an input slot: one, several, or none."""


class Writer:
    """Adds ops and variables to the main block of a program."""

    def __init__(self, source: str) -> None:
        self.program = Program([Block(0)], source=source)
        self.block = self.program.blocks[0]
        self._metas: dict[str, Meta] = {}
        self._taken = {"feed", "fetch"}
        self._fresh = FreshNames(self._taken.__contains__)
        self._constants: dict[tuple[str, bytes], Var] = {}
        self._unsized: set[str] = set()

    def reserve(self, names: Sequence[str]) -> None:
        """Reserve the names of operands, so that no intermediate variable has one of them."""
        self._taken.update(names)

    def emit(
        self,
        op: str,
        inputs: Mapping[str, Names],
        attrs: Mapping[str, AttrValue] | None = None,
        outputs: Mapping[str, int] | None = None,
    ) -> list[Var]:
        """Add an op and return its new output variables, by default one in the schema's first slot.

        Attributes get the types of the schema.  Raises `GraphError` where the op's shape rule fails.
        """
        schema = get_schema(op)
        counts = dict(outputs or {next(iter(schema.outputs)): 1})
        slots = {slot: _as_list(names) for slot, names in inputs.items() if names is not None and names != []}
        metas = {slot: [self.meta(var) for var in names] for slot, names in slots.items()}
        inferred = infer(schema, metas, schema.attr_values(attrs or {}), counts)
        results = {slot: [self._declare(meta) for meta in inferred[slot]] for slot in counts}
        self.block.ops.append(
            Op(
                op,
                {slot: [var.name for var in names] for slot, names in slots.items()},
                {slot: [var.name for var in names] for slot, names in results.items()},
                {name: Attribute(schema.attrs[name].type, value) for name, value in (attrs or {}).items()},
            )
        )
        return [var for names in results.values() for var in names]

    def emit_one(
        self, op: str, inputs: Mapping[str, Names], attrs: Mapping[str, AttrValue] | None = None
    ) -> Var:
        """Add an op and return its only output."""
        return self.emit(op, inputs, attrs)[0]

    def unary(self, op: str, x: Var, attrs: Mapping[str, AttrValue] | None = None) -> Var:
        """Add an op from X and return its output."""
        return self.emit_one(op, {"X": x}, attrs)

    def binary(self, op: str, x: Var, y: Var, attrs: Mapping[str, AttrValue] | None = None) -> Var:
        """Add an op from X and Y and return its output."""
        return self.emit_one(op, {"X": x, "Y": y}, attrs)

    def cast(self, x: Var, dtype: DType) -> Var:
        """`x` in another element type; `x` itself where it has that type."""
        if self.meta(x).dtype == dtype:
            return x
        return Var(self.unary("cast", x, {"out_dtype": dtype.code}).name, x.is_number)

    def copy(self, x: Var) -> Var:
        """A copy of `x`, with a name derived from its name."""
        since = len(self.block.ops)
        return self.rename(Var(self.unary("assign", x).name, x.is_number), self.new_name(x.name), since)

    def reshape(self, x: Var, sizes: Sequence[Value]) -> Var:
        """`x` in another shape; a size of -1 is inferred."""
        attrs, inputs = self.integers("shape", "ShapeTensor", sizes)
        return self.emit_one("reshape2", {"X": x, **inputs}, attrs)

    def transpose(self, x: Var, axes: Sequence[int]) -> Var:
        """`x` with its axes in another order."""
        return self.unary("transpose2", x, {"axis": list(axes)})

    def integers(
        self, attr: str, slot: str, numbers: Sequence[Value]
    ) -> tuple[dict[str, AttrValue], dict[str, Names]]:
        """Integers as an attribute where all are constant, else as int32 tensors in a slot."""
        values = [int(n) for n in numbers if isinstance(n, int)]
        if len(values) == len(numbers):
            return {attr: values}, {}
        return {}, {slot: [self.index(number) for number in numbers]}

    def integer_vector(
        self, attr: str, slot: str, numbers: Sequence[Value]
    ) -> tuple[dict[str, AttrValue], dict[str, Names]]:
        """Integers as an attribute where all are constant, else as one int32 vector in a slot."""
        attrs, inputs = self.integers(attr, slot, numbers)
        return (attrs, {slot: self.vector(numbers)}) if inputs else (attrs, {})

    def vector(self, numbers: Sequence[Value]) -> Var:
        """Integers as an int32 vector."""
        if all(isinstance(number, int) for number in numbers):
            return self.constant(np.array(numbers, np.int32))
        parts = [self.reshape(self.index(number), [1]) for number in numbers]
        return self.emit_one("concat", {"X": parts}, {"axis": 0})

    def index(self, number: Value) -> Var:
        """An integer as an int32 tensor."""
        if isinstance(number, Var):
            return self.cast(number, DType.INT32)
        if isinstance(number, int) and abs(number) < 2**31:
            return self.constant(np.array(number, np.int32))
        raise ModelParseError(f"expected an integer of 32 bits, got {number!r}")

    def literal(self, value: Literal, dtype: DType) -> Var:
        """A number as a tensor of rank 0."""
        return Var(self.constant(np.asarray(value).astype(dtype.numpy)).name, is_number=True)

    def constant(self, array: Array) -> Var:
        """A parameter with these elements; equal arrays share one parameter."""
        key = (f"{array.dtype}{array.shape}", array.tobytes())
        if key not in self._constants:
            self._constants[key] = self.weight("constant", array)
        return self._constants[key]

    def weight(self, base: str, array: Array) -> Var:
        """A new parameter whose name begins with `base`."""
        name = self.new_name(base)
        array.flags.writeable = False
        self._metas[name] = Meta.of(array)
        dtype = self._metas[name].dtype
        self.block.vars[name] = ir.Var(name, VarKind.TENSOR, dtype, array.shape, 0, persistable=True)
        self.program.weights[name] = Weight(array)
        return Var(name)

    def feed(self, name: str, dtype: DType, shape: Shape, column: int) -> Var:
        """An input of the model."""
        self.block.vars.setdefault("feed", ir.Var("feed", VarKind.FEED, persistable=True))
        self._metas[name] = Meta(dtype, shape)
        self.block.vars[name] = ir.Var(name, VarKind.TENSOR, dtype, shape, 0, need_check_feed=True)
        col = Attribute(AttrType.INT, column)
        self.block.ops.append(Op("feed", {"X": ["feed"]}, {"Out": [name]}, {"col": col}))
        return Var(name)

    def fetch(self, var: Var, column: int) -> None:
        """An output of the model."""
        self.block.vars.setdefault("fetch", ir.Var("fetch", VarKind.FETCH, persistable=True))
        col = Attribute(AttrType.INT, column)
        self.block.ops.append(Op("fetch", {"X": [var.name]}, {"Out": ["fetch"]}, {"col": col}))

    def rename(self, var: Var, name: str, since: int) -> Var:
        """Rename a variable that an op from position `since` on writes."""
        for op in self.block.ops[since:]:
            for slots in (op.inputs, op.outputs):
                for slot, names in slots.items():
                    slots[slot] = [name if old == var.name else old for old in names]
        self._metas[name] = self._metas.pop(var.name)
        renamed = self.block.vars.pop(var.name)
        renamed.name = name
        self.block.vars[name] = renamed
        if var.name in self._unsized:
            self._unsized.add(name)
        return Var(name, var.is_number)

    def mark_unsized(self, var: Var) -> None:
        """Note that sizes of the variable follow from the data, so that the file cannot declare them."""
        self._unsized.add(var.name)

    def is_unsized(self, var: Var) -> bool:
        """Whether sizes of the variable follow from the data."""
        return var.name in self._unsized

    def is_written_since(self, var: Var, since: int) -> bool:
        """Whether an op from position `since` on writes the variable."""
        return any(var.name in names for op in self.block.ops[since:] for names in op.outputs.values())

    def meta(self, var: Var) -> Meta:
        """The dtype and shape of a variable."""
        return self._metas[var.name]

    def dtype(self, var: Var) -> DType:
        """The element type of a variable."""
        return self._metas[var.name].dtype

    def shape(self, var: Var) -> Shape:
        """The shape of a variable; raises `ModelParseError` where its rank is unknown."""
        shape = self._metas[var.name].shape
        if shape is None:
            raise ModelParseError(f"the rank of {var.name!r} is unknown")
        return shape

    def rank(self, var: Var) -> int:
        """The number of dimensions; raises `ModelParseError` where it is unknown."""
        return len(self.shape(var))

    def size(self, var: Var, axis: int) -> Var | int:
        """A size of a variable: a number where it is fixed, else a variable that is computed."""
        shape = self.shape(var)
        if not -len(shape) <= axis < len(shape):
            raise ModelParseError(f"size {axis} of {var.name!r}: expected an axis of {len(shape)} dimensions")
        axis %= len(shape)
        dim: Dim = shape[axis]
        if isinstance(dim, int):
            return dim
        sizes = self.emit_one("shape", {"Input": var})
        attrs: dict[str, AttrValue] = {
            "axes": [0],
            "starts": [axis],
            "ends": [axis + 1],
            "decrease_axis": [0],
        }
        return Var(self.emit_one("slice", {"Input": sizes}, attrs).name, is_number=True)

    def refine_shape(self, var: Var, declared: Shape) -> None:
        """Set sizes that the file declares and the shape rules do not, unless they follow from the data."""
        if self.is_unsized(var):
            return
        meta = self._metas[var.name]
        if meta.shape is None:
            shape = declared
        elif len(meta.shape) == len(declared):
            pairs = zip(meta.shape, declared, strict=True)
            shape = tuple(other if size == UNKNOWN else size for size, other in pairs)
        else:
            return
        self._metas[var.name] = Meta(meta.dtype, shape, meta.value)
        self.block.vars[var.name].shape = shape

    def new_name(self, base: str) -> str:
        """A name that no variable has, derived from `base`, or `base` itself."""
        name = self._fresh.find(base)
        self._taken.add(name)
        return name

    def _declare(self, meta: Meta) -> Var:
        name = self.new_name("value")
        self._metas[name] = meta
        self.block.vars[name] = ir.Var(name, VarKind.TENSOR, meta.dtype, meta.shape, 0)
        return Var(name)


def _as_list(names: Var | Sequence[Var]) -> list[Var]:
    return [names] if isinstance(names, Var) else list(names)
