"""The writer of the ops and variables of one block."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence, Set

from lite.errors import ModelParseError
from lite.ir.fresh_names import FreshNames
from lite.ir.program import Attribute, AttrType, AttrValue, Block, Op, Program, Var, VarKind
from lite.ir.types import Array, DType
from lite.model_parser.paddle.pir.document import PirValue
from lite.model_parser.paddle.pir.types import PirType
from lite.model_parser.paddle.pir.value import Value
from lite.ops import get_schema

Operand = Value | Sequence[Value] | str | None
"""The values in a slot: one, several, or none; a variable by its name."""

_VALUE_LISTS = {
    DType.BOOL: "bool_values",
    DType.FLOAT32: "fp32_values",
    DType.FLOAT64: "fp64_values",
    DType.INT32: "int32_values",
    DType.INT64: "int64_values",
}


class BlockWriter:
    """Adds ops and variables to a block of a program.

    `values` maps the numbers of PIR values to values of this block and of the enclosing ones, and
    `output_names` those that the model returns to their names.  `used` are the numbers that ops read.
    `outer_writes` are tensor arrays of enclosing blocks that this block writes to.
    """

    def __init__(self, program: Program, used: Set[int], output_names: Mapping[int, str]) -> None:
        self.program = program
        self.block = program.blocks[0]
        self.used = used
        self.output_names = output_names
        self.values: ChainMap[int, Value] = ChainMap()
        self.outer_writes: dict[str, Value] = {}
        self._names = {"feed", "fetch"}
        self._fresh = FreshNames(self._names.__contains__)
        self._writers = {self.block.index: self}

    def nested(self) -> BlockWriter:
        """A writer of a new block inside this one."""
        block = Block(len(self.program.blocks), self.block.index)
        self.program.blocks.append(block)
        inner = BlockWriter(self.program, self.used, self.output_names)
        inner.block, inner.values = block, self.values.new_child()
        inner._names, inner._fresh = self._names, self._fresh
        inner._writers = self._writers
        self._writers[block.index] = inner
        return inner

    def define(self, value: PirValue, name: str) -> Value:
        """A value of this block under a new name like `name`; raises `ModelParseError` where it exists."""
        result = Value(value.type, self.new_name(name), self.block.index)
        self.bind(value.id, result)
        return result

    def bind(self, id: int, value: Value) -> None:
        """Make `value` the one with this number; 0 is the number of absent values."""
        if id and id in self.values:
            raise ModelParseError(f"value {id} is defined twice")
        self.values[id] = value

    def rebind(self, id: int, value: Value) -> None:
        """Make a number mean another value, such as an operand that the op returns."""
        self.values[id] = value

    def find(self, id: int) -> Value | None:
        """The value of this number, None for 0; raises `ModelParseError` where none is defined before."""
        if not id:
            return None
        if id not in self.values:
            raise ModelParseError(f"value {id} is not defined before it is used")
        return self.values[id]

    def new(self, like: Value, type: PirType | None = None) -> Value:
        """A new value with a name like the name of `like`, and its type or another."""
        return Value(type or like.type, self.new_name(like.name), self.block.index)

    def rename(self, value: Value, name: str) -> None:
        """Give a value that no op has written a new name like `name`."""
        self._names.discard(value.name)
        self._fresh.free(value.name)
        value.name = self.new_name(name)

    def new_name(self, base: str) -> str:
        """`base`, with a number where a variable has this name."""
        name = self._fresh.find(base)
        self._names.add(name)
        return name

    def emit(
        self,
        op: str,
        inputs: Mapping[str, Operand],
        outputs: Mapping[str, Operand],
        attrs: Mapping[str, AttrValue] | None = None,
    ) -> Op:
        """Add an op; attributes get the types of its schema, outputs become variables."""
        schema = get_schema(op)
        slots = {
            slot: self._names_of(operand) if schema.inputs[slot].repeated else self._name_in_list(operand)
            for slot, operand in inputs.items()
        }
        for operand in outputs.values():
            for value in _as_list(operand):
                if isinstance(value, Value):
                    self.declare(value)
        typed = {name: Attribute(schema.attrs[name].type, value) for name, value in (attrs or {}).items()}
        new_op = Op(
            op,
            {slot: names for slot, names in slots.items() if names},
            {slot: self._names_of(operand) for slot, operand in outputs.items() if operand},
            typed,
        )
        self.block.ops.append(new_op)
        return new_op

    def unary(self, op: str, source: Value, attrs: Mapping[str, AttrValue] | None = None) -> Value:
        """Add an op from X to Out and return Out, a new value of the type of X."""
        out = self.new(source)
        self.emit(op, {"X": source}, {"Out": out}, attrs)
        return out

    def write_outer(self, op: str, inputs: Mapping[str, Operand], out: Value) -> None:
        """Add an op whose Out is a variable of an enclosing block."""
        slots = {slot: self._names_of(operand) for slot, operand in inputs.items()}
        self.block.ops.append(Op(op, slots, {"Out": [out.name]}))

    def run_block(
        self, op: str, inputs: Mapping[str, Operand], outputs: Sequence[Value], inner: BlockWriter
    ) -> Op:
        """Add an op that runs the block of `inner`, which writes `outputs`."""
        new_op = self.emit(op, inputs, {"Out": [*outputs, *inner.outer_writes.values()]})
        for name, value in inner.outer_writes.items():
            if value.block != self.block.index:
                self.outer_writes[name] = value
        new_op.attrs["sub_block"] = Attribute(AttrType.BLOCK, inner.block.index)
        return new_op

    def declare(self, value: Value) -> None:
        """Add the variable of a value to this block."""
        type = value.type
        if type.is_array:
            self.block.vars[value.name] = Var(value.name, VarKind.TENSOR_ARRAY)
        else:
            self.block.vars[value.name] = Var(value.name, VarKind.TENSOR, type.dtype, type.shape, 0)

    def name_of(self, value: Value) -> str:
        """The variable of a tensor; a constant is written when this is first called."""
        if value.parts is not None:
            raise ModelParseError(
                f"value {value.name!r}: expected a tensor, got a list of {len(value.parts)}"
            )
        if not value.is_written and value.elements is not None:
            value.is_written = True
            self._writers[value.block].write_constant(value, value.elements)
        return value.name

    def write_constant(self, value: Value, elements: Array) -> None:
        """Add the op of a constant: `fill_constant` for equal elements, else `assign_value`."""
        dtype = DType.from_numpy(elements.dtype)
        shape = list(elements.shape)
        flat = elements.reshape(-1)
        if flat.size and (flat == flat[0]).all() and dtype is not DType.INT64:
            attrs: dict[str, AttrValue] = {"value": float(flat[0]), "shape": shape, "dtype": dtype.code}
            self.emit("fill_constant", {}, {"Out": value}, attrs)
            return
        wide = dtype if dtype in _VALUE_LISTS else DType.INT64 if dtype.is_integer else DType.FLOAT64
        items: list[float] = flat.astype(wide.numpy).tolist()
        target = value if wide is dtype else self.new(value, PirType("constant", wide, value.type.shape))
        attrs = {"shape": shape, "dtype": wide.code, _VALUE_LISTS[wide]: items}
        self.emit("assign_value", {}, {"Out": target}, attrs)
        if target is not value:
            self.emit("cast", {"X": target}, {"Out": value}, {"out_dtype": dtype.code})

    def _name_in_list(self, operand: Operand) -> list[str]:
        """The variable of a tensor, or none; raises `ModelParseError` for a list of tensors."""
        return [self.name_of(operand)] if isinstance(operand, Value) else self._names_of(operand)

    def _names_of(self, operand: Operand) -> list[str]:
        return [item if isinstance(item, str) else self.name_of(item) for item in _as_list(operand)]


def _as_list(operand: Operand) -> Sequence[Value | str]:
    if operand is None:
        return []
    if isinstance(operand, Value):
        return [operand] if operand.parts is None else operand.parts
    return [operand] if isinstance(operand, str) else operand
