"""Writes the ops of one block; translators talk to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.errors import GraphError, ModelParseError
from lite.ir.program import Attribute, AttrType, AttrValue, Block, Op, Program, Var, VarKind, Weight
from lite.ir.types import UNKNOWN, Array, DType, Shape
from lite.model_parser.onnx.tensors import TensorReader
from lite.ops import Meta, OpSchema, get_schema, infer

Names = str | Sequence[str] | None
"""What a slot holds: one variable, several, or none."""


class BlockWriter:
    """Adds ops and variables to a block of a program.

    `types` are the dtype and shape of values as far as the model says them; what the shape rules of our
    ops tell is added as they are written.
    `arrays` are the values that are known: initialisers and constants.  `tensors` reads those in nested
    graphs.  `absent` are the optional values that hold nothing.
    """

    def __init__(
        self,
        program: Program,
        block: Block,
        types: Mapping[str, tuple[DType | None, Shape | None]],
        arrays: dict[str, Array],
        tensors: TensorReader,
    ) -> None:
        self.program = program
        self.block = block
        self.types = dict(types)
        self.arrays = arrays
        self.tensors = tensors
        self.absent: set[str] = set()
        self._arrays: set[str] = set()
        self._taken: set[str] = set()
        self._producers: dict[str, Op] = {}

    def nested(self, types: Mapping[str, tuple[DType | None, Shape | None]]) -> BlockWriter:
        """A writer of a new block inside this one; `types` are those of the values in it."""
        block = Block(len(self.program.blocks), self.block.index)
        self.program.blocks.append(block)
        inner = BlockWriter(self.program, block, {**self.types, **types}, self.arrays, self.tensors)
        inner.absent, inner._arrays, inner._taken = self.absent, self._arrays, self._taken
        return inner

    def emit(
        self,
        op: str,
        inputs: Mapping[str, Names],
        outputs: Mapping[str, Names],
        attrs: Mapping[str, AttrValue] | None = None,
    ) -> None:
        """Add an op; attributes get the types of its schema, outputs become variables."""
        schema = get_schema(op)
        inputs = self._piecewise(op, inputs)
        for name in (name for names in outputs.values() for name in _listed(names)):
            self.declare(name)
        typed = {name: Attribute(schema.attrs[name].type, value) for name, value in (attrs or {}).items()}
        written = Op(
            op,
            {slot: _listed(names) for slot, names in inputs.items() if names},
            {slot: _listed(names) for slot, names in outputs.items() if names},
            typed,
        )
        self.block.ops.append(written)
        self._producers |= {name: written for names in written.outputs.values() for name in names}
        if not schema.control_flow:
            self._learn(schema, written)

    def _piecewise(self, op: str, inputs: Mapping[str, Names]) -> Mapping[str, Names]:
        """Sizes that were joined one by one are given one by one: then each that is known counts."""
        sizes = inputs.get("Shape")
        source = self.producer(sizes) if op == "reshape2" and isinstance(sizes, str) else None
        if source is None or source.type != "concat":
            return inputs
        if any(self.shape(name) != (1,) for name in source.inputs["X"]):
            return inputs
        return {**inputs, "Shape": None, "ShapeTensor": source.inputs["X"]}

    def _learn(self, schema: OpSchema, op: Op) -> None:
        """Add what the op's shape rule tells of its outputs; raises where the model says another dtype."""
        metas = {slot: [self._meta(name) for name in names] for slot, names in op.inputs.items()}
        known = {slot: [meta for meta in found if meta is not None] for slot, found in metas.items()}
        if known != metas:
            return
        counts = {slot: len(names) for slot, names in op.outputs.items()}
        # An op that cannot be is reported where the whole graph is inferred, which can say more.
        try:
            attrs = schema.attr_values({name: attr.value for name, attr in op.attrs.items()})
            found = infer(schema, known, attrs, counts)
        except GraphError:
            return
        for slot, names in op.outputs.items():
            for name, meta in zip(names, found[slot], strict=True):
                said, shape = self.types.get(name, (None, None))
                if said not in (None, meta.dtype):
                    raise GraphError(f"output {name!r}: expected {said}, as the model says, got {meta.dtype}")
                self.types[name] = (meta.dtype, shape if meta.shape is None else _merged(shape, meta.shape))
                if meta.is_array:
                    self.describe_array(name, meta.dtype)
                else:
                    self._describe_var(name)

    def _meta(self, name: str) -> Meta | None:
        array = self.arrays.get(name)
        if array is not None:
            return Meta.of(array)
        dtype, shape = self.types.get(name, (None, None))
        return None if dtype is None else Meta(dtype, shape, is_array=name in self._arrays)

    def producer(self, name: str) -> Op | None:
        """The op of this block that wrote a variable, or None."""
        return self._producers.get(name)

    def describe(self, name: str, dtype: DType | None, shape: Shape | None) -> None:
        """Say what a value is like."""
        self.types[name] = (dtype, shape)

    def describe_like(self, name: str, other: str, inner: BlockWriter) -> None:
        """Say that a value is like one of another block."""
        dtype, shape = inner.type_of(other)
        if inner.is_array(other):
            self.describe_array(name, dtype)
        else:
            self.describe(name, dtype, shape)

    def forget_shape(self, name: str) -> None:
        """What a loop carries may change its shape from turn to turn."""
        self.describe(name, self.types.get(name, (None, None))[0], None)

    def write_outer(self, op: str, inputs: Mapping[str, Names], out: str) -> None:
        """Add an op whose Out is a variable of an enclosing block."""
        slots = {slot: _listed(names) for slot, names in inputs.items()}
        self.block.ops.append(Op(op, slots, {"Out": [out]}))

    def run_block(
        self,
        op: str,
        inputs: Mapping[str, Names],
        outputs: Sequence[str],
        block: Block,
        *,
        scalar: bool = False,
    ) -> None:
        """Add an op that runs a nested block, which writes `outputs`."""
        self.emit(op, inputs, {"Out": outputs}, {"is_scalar_condition": True} if scalar else {})
        self.block.ops[-1].attrs["sub_block"] = Attribute(AttrType.BLOCK, block.index)

    def new_array(self, base: str, dtype: DType | None) -> str:
        """A new tensor array of tensors of a type; its name."""
        name = self.new(base)
        self.describe_array(name, dtype)
        return name

    def describe_array(self, name: str, dtype: DType | None) -> None:
        """Say that a variable is a tensor array."""
        self._arrays.add(name)
        self.types[name] = (dtype, None)
        self.block.vars[name] = Var(name, VarKind.TENSOR_ARRAY)

    def is_array(self, name: str) -> bool:
        """Whether a value is a tensor array."""
        return name in self._arrays

    def unary(
        self, op: str, source: str, attrs: Mapping[str, AttrValue] | None = None, out: str | None = None
    ) -> str:
        """Add an op from X to Out, by default to a new variable; that variable."""
        out = out or self.new(source)
        self.emit(op, {"X": source}, {"Out": out}, attrs)
        return out

    def binary(
        self,
        op: str,
        first: str,
        second: str,
        attrs: Mapping[str, AttrValue] | None = None,
        out: str | None = None,
    ) -> str:
        """Add an op from X and Y to Out, by default to a new variable; that variable."""
        out = out or self.new(first)
        self.emit(op, {"X": first, "Y": second}, {"Out": out}, attrs)
        return out

    def new(self, base: str) -> str:
        """A name, made from another, that no variable has."""
        number = 1
        while (name := f"{base}.{number}") in self._taken or self.knows(name):
            number += 1
        self._taken.add(name)
        return name

    def declare(self, name: str) -> None:
        """Make sure the block has the variable."""
        if name not in self.block.vars:
            self.block.vars[name] = Var(name, VarKind.TENSOR)
            self._describe_var(name)

    def _describe_var(self, name: str) -> None:
        var = self.block.vars[name]
        var.dtype, var.shape = self.types.get(name, (None, None))
        var.lod_level = None if var.dtype is None else 0

    def constant(self, name: str) -> Array | None:
        """The elements of a value that is known when the model is read, or None."""
        return self.arrays.get(name)

    def weight(self, array: Array, base: str) -> str:
        """A new parameter with these elements; its name."""
        name = self.new(base)
        self.add_weight(name, np.asarray(array))
        return name

    def add_weight(self, name: str, array: Array) -> None:
        """Enter a parameter under a name of its own."""
        dtype = DType.from_numpy(array.dtype)
        main = self.program.blocks[0]
        main.vars[name] = Var(name, VarKind.TENSOR, dtype, array.shape, 0, persistable=True)
        self.program.weights[name] = Weight(array)
        self.arrays[name] = array

    def type_of(self, name: str) -> tuple[DType | None, Shape | None]:
        """The dtype and shape of a value as far as they are known."""
        meta = self._meta(name)
        return self.types.get(name, (None, None)) if meta is None else (meta.dtype, meta.shape)

    def dtype(self, name: str) -> DType:
        """The element type of a value; raises `ModelParseError` where nothing says it."""
        known = self.arrays.get(name)
        dtype = DType.from_numpy(known.dtype) if known is not None else self.types.get(name, (None, None))[0]
        if dtype is None:
            raise ModelParseError(f"{self.program.source}: the element type of {name!r} cannot be told")
        return dtype

    def shape(self, name: str) -> Shape | None:
        """The shape of a value as far as it is known; None for an unknown rank."""
        known = self.arrays.get(name)
        return known.shape if known is not None else self.types.get(name, (None, None))[1]

    def rank(self, name: str) -> int | None:
        """The number of dimensions, or None where nothing says it."""
        shape = self.shape(name)
        return None if shape is None else len(shape)

    def knows(self, name: str) -> bool:
        """Whether a value or parameter of the model has this name."""
        return name in self.block.vars or name in self.types or name in self.program.weights


def _merged(said: Shape | None, found: Shape) -> Shape:
    """The sizes that either says; numbers that follow from the inputs count more than the model's words."""
    if said is None or len(said) != len(found):
        return found
    return tuple(
        a if not isinstance(b, int) and (isinstance(a, int) or b == UNKNOWN) else b
        for a, b in zip(said, found, strict=True)
    )


def _listed(names: Names) -> list[str]:
    if names is None:
        return []
    return [names] if isinstance(names, str) else [name for name in names if name]


def int_attribute(value: int) -> Attribute:
    """An attribute of type INT."""
    return Attribute(AttrType.INT, value)
