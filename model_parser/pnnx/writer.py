"""Writes the ops of a program and knows dtype and shape of every variable it has written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.errors import ModelParseError
from lite.ir import program as ir
from lite.ir.program import Attribute, AttrType, AttrValue, Block, Op, Program, VarKind, Weight
from lite.ir.types import UNKNOWN, Array, Dim, DType, Shape
from lite.model_parser.pnnx.value import Literal, Value, Var
from lite.ops import Meta, get_schema, infer

Names = Var | Sequence[Var] | None
"""What an input slot holds: one variable, several, or none."""


class Writer:
    """Adds ops and variables to the main block of a program."""

    def __init__(self, source: str) -> None:
        self.program = Program([Block(0)], source=source)
        self.block = self.program.blocks[0]
        self._metas: dict[str, Meta] = {}
        self._taken = {"feed", "fetch"}
        self._constants: dict[tuple[str, bytes], Var] = {}

    def reserve(self, names: Sequence[str]) -> None:
        """Keep names for operands, so that nothing in between takes them."""
        self._taken.update(names)

    def emit(
        self,
        op: str,
        inputs: Mapping[str, Names],
        attrs: Mapping[str, AttrValue] | None = None,
        outputs: Mapping[str, int] | None = None,
    ) -> list[Var]:
        """Add an op with new output variables, by default one in the schema's first slot; these.

        Attributes get the types of the schema.  Raises `GraphError` where the op's rule refuses.
        """
        schema = get_schema(op)
        counts = dict(outputs or {next(iter(schema.outputs)): 1})
        slots = {slot: _listed(names) for slot, names in inputs.items() if names is not None and names != []}
        metas = {slot: [self.meta(var) for var in names] for slot, names in slots.items()}
        found = infer(schema, metas, schema.attr_values(attrs or {}), counts)
        made = {slot: [self._declare(meta) for meta in found[slot]] for slot in counts}
        self.block.ops.append(
            Op(
                op,
                {slot: [var.name for var in names] for slot, names in slots.items()},
                {slot: [var.name for var in names] for slot, names in made.items()},
                {name: Attribute(schema.attrs[name].type, value) for name, value in (attrs or {}).items()},
            )
        )
        return [var for names in made.values() for var in names]

    def one(self, op: str, inputs: Mapping[str, Names], attrs: Mapping[str, AttrValue] | None = None) -> Var:
        """Add an op; its only output."""
        return self.emit(op, inputs, attrs)[0]

    def unary(self, op: str, x: Var, attrs: Mapping[str, AttrValue] | None = None) -> Var:
        """Add an op from X; its output."""
        return self.one(op, {"X": x}, attrs)

    def binary(self, op: str, x: Var, y: Var, attrs: Mapping[str, AttrValue] | None = None) -> Var:
        """Add an op from X and Y; its output."""
        return self.one(op, {"X": x, "Y": y}, attrs)

    def cast(self, x: Var, dtype: DType) -> Var:
        """`x` in another element type; itself where it has that type."""
        if self.meta(x).dtype == dtype:
            return x
        return Var(self.unary("cast", x, {"out_dtype": dtype.code}).name, x.is_number)

    def copy(self, x: Var) -> Var:
        """The same elements as a variable of its own, named after `x`."""
        since = len(self.block.ops)
        return self.rename(Var(self.unary("assign", x).name, x.is_number), self.new(x.name), since)

    def reshape(self, x: Var, sizes: Sequence[Value]) -> Var:
        """`x` in another shape; one size may be -1 and takes what is left."""
        attrs, inputs = self.integers("shape", "ShapeTensor", sizes)
        return self.one("reshape2", {"X": x, **inputs}, attrs)

    def transpose(self, x: Var, axes: Sequence[int]) -> Var:
        """`x` with its axes in another order."""
        return self.unary("transpose2", x, {"axis": list(axes)})

    def integers(
        self, attr: str, slot: str, numbers: Sequence[Value]
    ) -> tuple[dict[str, AttrValue], dict[str, Names]]:
        """Whole numbers as an attribute where all are known, else as a list of small tensors."""
        known = [int(n) for n in numbers if isinstance(n, int)]
        if len(known) == len(numbers):
            return {attr: known}, {}
        return {}, {slot: [self.index(number) for number in numbers]}

    def index(self, number: Value) -> Var:
        """A whole number as an int32 tensor."""
        if isinstance(number, Var):
            return self.cast(number, DType.INT32)
        if isinstance(number, int) and abs(number) < 2**31:
            return self.constant(np.array(number, np.int32))
        raise ModelParseError(f"expected a whole number of 32 bits, got {number!r}")

    def literal(self, value: Literal, dtype: DType) -> Var:
        """A number as a tensor without dimensions."""
        return Var(self.constant(np.asarray(value).astype(dtype.numpy)).name, is_number=True)

    def constant(self, array: Array) -> Var:
        """A parameter with these elements; equal ones are made once."""
        key = (f"{array.dtype}{array.shape}", array.tobytes())
        if key not in self._constants:
            self._constants[key] = self.weight("constant", array)
        return self._constants[key]

    def weight(self, base: str, array: Array) -> Var:
        """A new parameter whose name begins with `base`."""
        name = self.new(base)
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
        """Give a variable that an op from number `since` on makes its operand's name."""
        for op in self.block.ops[since:]:
            for slots in (op.inputs, op.outputs):
                for slot, names in slots.items():
                    slots[slot] = [name if old == var.name else old for old in names]
        self._metas[name] = self._metas.pop(var.name)
        found = self.block.vars.pop(var.name)
        found.name = name
        self.block.vars[name] = found
        return Var(name, var.is_number)

    def is_made_since(self, var: Var, since: int) -> bool:
        """Whether an op from number `since` on makes the variable."""
        return any(var.name in names for op in self.block.ops[since:] for names in op.outputs.values())

    def meta(self, var: Var) -> Meta:
        """What is known of a variable."""
        return self._metas[var.name]

    def dtype(self, var: Var) -> DType:
        """The element type of a variable."""
        return self._metas[var.name].dtype

    def shape(self, var: Var) -> Shape:
        """The shape of a variable; raises `ModelParseError` where not even the rank is known."""
        shape = self._metas[var.name].shape
        if shape is None:
            raise ModelParseError(f"the number of dimensions of {var.name!r} cannot be told")
        return shape

    def rank(self, var: Var) -> int:
        """The number of dimensions; raises `ModelParseError` where it is not known."""
        return len(self.shape(var))

    def size(self, var: Var, axis: int) -> Var | int:
        """A size of a variable: a number where it is fixed, else computed when the model runs."""
        shape = self.shape(var)
        if not -len(shape) <= axis < len(shape):
            raise ModelParseError(f"size {axis} of {var.name!r}, which has {len(shape)} dimensions")
        axis %= len(shape)
        dim: Dim = shape[axis]
        if isinstance(dim, int):
            return dim
        sizes = self.one("shape", {"Input": var})
        attrs: dict[str, AttrValue] = {
            "axes": [0],
            "starts": [axis],
            "ends": [axis + 1],
            "decrease_axis": [0],
        }
        return Var(self.one("slice", {"Input": sizes}, attrs).name, is_number=True)

    def know(self, var: Var, shape: Shape) -> None:
        """Take what the file says of a shape where the shape rules do not tell."""
        meta = self._metas[var.name]
        if meta.shape is None:
            found = shape
        elif len(meta.shape) == len(shape):
            pairs = zip(meta.shape, shape, strict=True)
            found = tuple(theirs if ours == UNKNOWN else ours for ours, theirs in pairs)
        else:
            return
        self._metas[var.name] = Meta(meta.dtype, found, meta.value)
        self.block.vars[var.name].shape = found

    def new(self, base: str) -> str:
        """A name that no variable has: `base` itself where it is free."""
        name, number = base, 1
        while name in self._taken:
            name, number = f"{base}.{number}", number + 1
        self._taken.add(name)
        return name

    def _declare(self, meta: Meta) -> Var:
        name = self.new("value")
        self._metas[name] = meta
        self.block.vars[name] = ir.Var(name, VarKind.TENSOR, meta.dtype, meta.shape, 0)
        return Var(name)


def _listed(names: Var | Sequence[Var]) -> list[Var]:
    return [names] if isinstance(names, Var) else list(names)
