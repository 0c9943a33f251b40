"""The writer of the ops and variables of one block."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence

import numpy as np

from lite.errors import GraphError, ModelParseError
from lite.ir.fresh_names import FreshNames
from lite.ir.program import Attribute, AttrType, AttrValue, Block, Op, Program, Var, VarKind, Weight
from lite.ir.types import UNKNOWN, Array, DType, Shape
from lite.model_parser.onnx.tensors import TensorReader
from lite.ops import Meta, OpSchema, get_schema, infer

Names = str | Sequence[str] | None
"""The variables in a slot: one, several, or none."""


class BlockWriter:
    """Adds ops and variables to a block of a program.

    `types` are the dtypes and shapes that the model declares; `emit` adds those that follow from the shape
    rules of the ops.  `arrays` are the constant values: initialisers and results of Constant nodes.
    `tensors` reads the initialisers of nested graphs.  `absent` are the names of empty optionals.
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
        self._tensor_arrays: set[str] = set()
        self._taken: set[str] = set()
        self._fresh = FreshNames(self._names_taken())
        self._producers: dict[str, Op] = {}

    def nested(self, types: Mapping[str, tuple[DType | None, Shape | None]]) -> BlockWriter:
        """A writer of a new block inside this one; `types` are the declared types of its values."""
        block = Block(len(self.program.blocks), self.block.index)
        self.program.blocks.append(block)
        inner = BlockWriter(self.program, block, {**self.types, **types}, self.arrays, self.tensors)
        inner.absent, inner._tensor_arrays, inner._taken = self.absent, self._tensor_arrays, self._taken
        inner._fresh = self._fresh.of(inner._names_taken())
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
        inputs = self._with_separate_sizes(op, inputs)
        for name in (name for names in outputs.values() for name in _as_list(names)):
            self.declare(name)
        typed = {name: Attribute(schema.attrs[name].type, value) for name, value in (attrs or {}).items()}
        new_op = Op(
            op,
            {slot: _as_list(names) for slot, names in inputs.items() if names},
            {slot: _as_list(names) for slot, names in outputs.items() if names},
            typed,
        )
        self.block.ops.append(new_op)
        self._producers |= {name: new_op for names in new_op.outputs.values() for name in names}
        if not schema.control_flow:
            self._infer(schema, new_op)

    def _with_separate_sizes(self, op: str, inputs: Mapping[str, Names]) -> Mapping[str, Names]:
        """For a reshape2 whose Shape is a concat of sizes: the sizes, so that each constant one is used."""
        sizes = inputs.get("Shape")
        source = self.producer(sizes) if op == "reshape2" and isinstance(sizes, str) else None
        if source is None or source.type != "concat":
            return inputs
        if any(self.shape(name) != (1,) for name in source.inputs["X"]):
            return inputs
        return {**inputs, "Shape": None, "ShapeTensor": source.inputs["X"]}

    def _infer(self, schema: OpSchema, op: Op) -> None:
        """Set the types of the outputs by the shape rule; raises where the model declares another dtype."""
        metas = {slot: [self._meta(name) for name in names] for slot, names in op.inputs.items()}
        inputs = {slot: [meta for meta in items if meta is not None] for slot, items in metas.items()}
        if inputs != metas:
            return
        counts = {slot: len(names) for slot, names in op.outputs.items()}
        # The inference of the whole graph reports an invalid op, with a better message.
        try:
            attrs = schema.attr_values({name: attr.value for name, attr in op.attrs.items()})
            outputs = infer(schema, inputs, attrs, counts)
        except GraphError:
            return
        for slot, names in op.outputs.items():
            for name, meta in zip(names, outputs.get(slot, ()), strict=slot in outputs):
                declared, shape = self.types.get(name, (None, None))
                if declared not in (None, meta.dtype):
                    raise GraphError(
                        f"output {name!r}: expected {declared}, as the model declares, got {meta.dtype}"
                    )
                self.types[name] = (meta.dtype, shape if meta.shape is None else _merged(shape, meta.shape))
                if meta.is_array:
                    self.declare_array(name, meta.dtype)
                else:
                    self._update_var(name)

    def _meta(self, name: str) -> Meta | None:
        array = self.arrays.get(name)
        if array is not None:
            return Meta.of(array)
        dtype, shape = self.types.get(name, (None, None))
        return None if dtype is None else Meta(dtype, shape, is_array=name in self._tensor_arrays)

    def producer(self, name: str) -> Op | None:
        """The op of this block that wrote a variable, or None."""
        return self._producers.get(name)

    def set_type(self, name: str, dtype: DType | None, shape: Shape | None) -> None:
        """Set the dtype and shape of a value."""
        self.types[name] = (dtype, shape)

    def copy_type(self, name: str, other: str, inner: BlockWriter) -> None:
        """Give a value the type of a value of the block of `inner`."""
        dtype, shape = inner.type_of(other)
        if inner.is_array(other):
            self.declare_array(name, dtype)
        else:
            self.set_type(name, dtype, shape)

    def forget_shape(self, name: str) -> None:
        """Make the shape of a value unknown: a loop-carried value may have another in each iteration."""
        self.set_type(name, self.types.get(name, (None, None))[0], None)

    def forget_sizes(self, name: str) -> None:
        """Make the sizes of a value unknown, but not its rank."""
        dtype, shape = self.types.get(name, (None, None))
        self.set_type(name, dtype, None if shape is None else (UNKNOWN,) * len(shape))

    def write_outer(self, op: str, inputs: Mapping[str, Names], out: str) -> None:
        """Add an op whose Out is a variable of an enclosing block."""
        slots = {slot: _as_list(names) for slot, names in inputs.items()}
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
        """Add an op that runs a nested block; the block writes `outputs`."""
        self.emit(op, inputs, {"Out": outputs}, {"is_scalar_condition": True} if scalar else {})
        self.block.ops[-1].attrs["sub_block"] = Attribute(AttrType.BLOCK, block.index)

    def new_array(self, base: str, dtype: DType | None) -> str:
        """A new tensor array with elements of a dtype; its name."""
        name = self.new_name(base)
        self.declare_array(name, dtype)
        return name

    def declare_array(self, name: str, dtype: DType | None) -> None:
        """Declare that a variable is a tensor array."""
        self._tensor_arrays.add(name)
        self.types[name] = (dtype, None)
        self.block.vars[name] = Var(name, VarKind.TENSOR_ARRAY)

    def is_array(self, name: str) -> bool:
        """Whether a value is a tensor array."""
        return name in self._tensor_arrays

    def unary(
        self, op: str, source: str, attrs: Mapping[str, AttrValue] | None = None, out: str | None = None
    ) -> str:
        """Add an op from X to Out and return Out, by default a new variable."""
        out = out or self.new_name(source)
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
        """Add an op from X and Y to Out and return Out, by default a new variable."""
        out = out or self.new_name(first)
        self.emit(op, {"X": first, "Y": second}, {"Out": out}, attrs)
        return out

    def cast(self, source: str, dtype: DType, out: str | None = None) -> str:
        """Add a cast and return its result, by default a new variable."""
        return self.unary("cast", source, {"out_dtype": dtype.code}, out)

    def shape_of(self, source: str) -> str:
        """Add a `shape` op and return its result, int32[rank], a new variable."""
        sizes = self.new_name(source)
        self.emit("shape", {"Input": source}, {"Out": sizes})
        return sizes

    def new_name(self, base: str) -> str:
        """A name derived from `base` that no variable has."""
        name = self._fresh.find(base, first=1)
        self._taken.add(name)
        return name

    def declare(self, name: str) -> None:
        """Add the variable to the block where it does not have it."""
        if name not in self.block.vars:
            self.block.vars[name] = Var(name, VarKind.TENSOR)
            self._update_var(name)

    def _update_var(self, name: str) -> None:
        var = self.block.vars[name]
        var.dtype, var.shape = self.types.get(name, (None, None))
        var.lod_level = None if var.dtype is None else 0

    def constant(self, name: str) -> Array | None:
        """The elements of a constant value, or None."""
        return self.arrays.get(name)

    def weight(self, array: Array, base: str) -> str:
        """A new parameter with these elements; its name."""
        name = self.new_name(base)
        self.add_weight(name, np.asarray(array))
        return name

    def add_weight(self, name: str, array: Array) -> None:
        """Add a parameter of this name."""
        dtype = DType.from_numpy(array.dtype)
        main = self.program.blocks[0]
        main.vars[name] = Var(name, VarKind.TENSOR, dtype, array.shape, 0, persistable=True)
        self.program.weights[name] = Weight(array)
        self.arrays[name] = array

    def type_of(self, name: str) -> tuple[DType | None, Shape | None]:
        """The dtype and shape of a value; None for an unknown one."""
        meta = self._meta(name)
        return self.types.get(name, (None, None)) if meta is None else (meta.dtype, meta.shape)

    def dtype(self, name: str) -> DType:
        """The element type of a value; raises `ModelParseError` where it is unknown."""
        array = self.arrays.get(name)
        dtype = DType.from_numpy(array.dtype) if array is not None else self.types.get(name, (None, None))[0]
        if dtype is None:
            raise ModelParseError(f"{self.program.source}: the element type of {name!r} is unknown")
        return dtype

    def shape(self, name: str) -> Shape | None:
        """The shape of a value; None for an unknown rank."""
        array = self.arrays.get(name)
        return array.shape if array is not None else self.types.get(name, (None, None))[1]

    def rank(self, name: str) -> int | None:
        """The number of dimensions; None where it is unknown."""
        shape = self.shape(name)
        return None if shape is None else len(shape)

    def known_rank(self, name: str) -> int:
        """The number of dimensions; raises `GraphError` where it is unknown."""
        rank = self.rank(name)
        if rank is None:
            raise GraphError(f"the rank of {name!r} is unknown; add its shape to the model")
        return rank

    def _names_taken(self) -> Callable[[str], bool]:
        """Tells whether a name is taken; not by the writer, which would keep itself and the model alive."""
        names: tuple[Container[str], ...] = (
            self._taken,
            self.block.vars,
            self.types,
            self.program.weights,
        )
        return lambda name: any(name in each for each in names)

    def has_name(self, name: str) -> bool:
        """Whether a value or parameter of the model has this name."""
        return name in self.block.vars or name in self.types or name in self.program.weights


def _merged(declared: Shape | None, inferred: Shape) -> Shape:
    """The sizes of two shapes that are known in either; an inferred number replaces a declared one."""
    if declared is None or len(declared) != len(inferred):
        return inferred
    return tuple(
        a if not isinstance(b, int) and (isinstance(a, int) or b == UNKNOWN) else b
        for a, b in zip(declared, inferred, strict=True)
    )


def _as_list(names: Names) -> list[str]:
    if names is None:
        return []
    return [names] if isinstance(names, str) else [name for name in names if name]
