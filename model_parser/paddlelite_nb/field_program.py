"""Reads the program and parameters of layout 0, the .nb files of Paddle-Lite 2.0 to 2.6.

A message is stored as its fields, one after the other.  The functions read them in this order.

Source: ``naive_buffer/proto/framework.nb.h`` of Paddle-Lite 2.6.
"""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.program import Attribute, AttrType, AttrValue, Block, Op, Program, Var, VarKind, Weight
from lite.ir.types import DType, Shape
from lite.model_parser.paddlelite_nb.field_reader import FieldReader
from lite.model_parser.paddlelite_nb.flat_parameters import stored_weight
from lite.model_parser.paddlelite_nb.flat_program import ATTR_TYPES

_DTYPES = (
    *(DType.BOOL, DType.INT16, DType.INT32, DType.INT64, DType.FLOAT16, DType.FLOAT32, DType.FLOAT64),
    *(None, DType.UINT8, DType.INT8),
)
"""Element types by number; None stands for size_t, which is not supported."""

_KINDS = (
    *(VarKind.TENSOR, VarKind.SELECTED_ROWS, VarKind.FEED, VarKind.FETCH, VarKind.STEP_SCOPES),
    *(VarKind.LOD_RANK_TABLE, VarKind.TENSOR_ARRAY, VarKind.PLACE_LIST, VarKind.READER, VarKind.RAW),
    VarKind.TUPLE,
)
"""Kinds of variables; their numbers follow those of the element types, so the first is number 10."""


def read_field_program(data: memoryview, source: str) -> Program:
    """The program in `data`; raises `ModelParseError`."""
    reader = FieldReader(data)
    program = Program(source=source)
    program.blocks = reader.items(lambda: _block(reader))
    program.version = reader.integer("q")
    return program


def read_field_parameters(data: memoryview) -> dict[str, Weight]:
    """The parameters in `data`; raises `ModelParseError`."""
    reader = FieldReader(data)
    return dict(reader.items(lambda: _parameter(reader)))


def _block(reader: FieldReader) -> Block:
    block = Block(reader.integer(), reader.integer())
    for var in reader.items(lambda: _var(reader)):
        block.vars[var.name] = var
    block.ops = reader.items(lambda: _op(reader))
    reader.integer()  # forward_block_idx
    return block


def _var(reader: FieldReader) -> Var:
    name, code = reader.text(), reader.integer()
    types = {
        VarKind.SELECTED_ROWS: _type(reader),
        VarKind.TENSOR: _type(reader),
    }
    lod_level = reader.integer()
    types[VarKind.TENSOR_ARRAY] = _type(reader)
    levels = {VarKind.TENSOR: lod_level, VarKind.TENSOR_ARRAY: reader.integer()}
    reader.items(lambda: (_type(reader), reader.integer()))  # the tensors of a reader
    reader.integers()  # the element types of a tuple
    persistable = bool(reader.integer("?"))
    if not 0 <= code - len(_DTYPES) < len(_KINDS):
        raise ModelParseError(f"variable {name!r}: expected a kind of variable, got number {code}")
    kind = _KINDS[code - len(_DTYPES)]
    dtype, shape = types.get(kind, (None, None))
    return Var(name, kind, dtype, shape, levels.get(kind), persistable=persistable)


def _type(reader: FieldReader) -> tuple[DType | None, Shape | None]:
    code, dims = reader.integer(), reader.integers("q")
    dtype = _DTYPES[code] if 0 <= code < len(_DTYPES) else None
    return dtype, None if dtype is None else tuple(dims)


def _op(reader: FieldReader) -> Op:
    op = Op(reader.text(), _slots(reader), _slots(reader))
    op.attrs = dict(reader.items(lambda: _attribute(reader)))
    op.is_target = bool(reader.integer("?"))
    return op


def _slots(reader: FieldReader) -> dict[str, list[str]]:
    return dict(reader.items(lambda: (reader.text(), reader.items(reader.text))))


def _attribute(reader: FieldReader) -> tuple[str, Attribute]:
    name, code = reader.text(), reader.integer()
    values: dict[AttrType, AttrValue] = {
        AttrType.INT: reader.integer(),
        AttrType.FLOAT: reader.number("f"),
        AttrType.STRING: reader.text(),
        AttrType.INTS: [*reader.integers()],
        AttrType.FLOATS: reader.items(lambda: reader.number("f")),
        AttrType.STRINGS: [*reader.items(reader.text)],
        AttrType.BOOLEAN: bool(reader.integer("?")),
        AttrType.BOOLEANS: [bool(item) for item in reader.integers("?")],
        AttrType.BLOCK: reader.integer(),
        AttrType.LONG: reader.integer("q"),
        AttrType.BLOCKS: [*reader.integers()],
        AttrType.LONGS: [*reader.integers("q")],
    }
    kind = ATTR_TYPES.get(code)
    if kind is None or kind not in values:
        raise ModelParseError(f"attribute {name!r}: expected the number of an attribute type, got {code}")
    return name, Attribute(kind, values[kind])


def _parameter(reader: FieldReader) -> tuple[str, Weight]:
    name = reader.text()
    reader.integer("I")  # the version of the model
    reader.integer("Q")  # the number of LoD levels, which the list repeats
    lod = tuple(tuple(level) for level in reader.items(lambda: reader.integers("Q")))
    if version := reader.integer("I"):
        raise ModelParseError(f"parameter {name!r} has version {version}, expected 0")
    code, dims = reader.integer(), reader.integers("q")
    dtype = _DTYPES[code] if 0 <= code < len(_DTYPES) else None
    if dtype is None:
        raise ModelParseError(f"parameter {name!r}: expected the number of an element type, got {code}")
    weight = stored_weight(dtype, dims, reader.block(), name)
    weight.lod = lod
    return name, weight
