"""The program of layouts 1 and 2: a FlatBuffer of Paddle-Lite's ``framework.fbs``."""

from __future__ import annotations

from collections.abc import Sequence

from lite.errors import ModelParseError
from lite.ir.program import Attribute, AttrType, AttrValue, Block, Op, Program, Var, VarKind
from lite.ir.types import DType, Shape
from lite.plugin.format.flatbuffer import Table

KINDS = {int(kind): kind for kind in VarKind}
DTYPES = {dtype.code: dtype for dtype in DType if dtype.in_paddle and dtype.code <= DType.INT8.code}
ATTR_TYPES = {int(kind): kind for kind in AttrType if kind not in (AttrType.VAR, AttrType.VARS)}


def read_flat_program(data: memoryview, source: str) -> Program:
    """The program in `data`; raises `ModelParseError` that names the op or variable."""
    root = Table.root(data)
    program = Program(source=source)
    program.blocks = [_read_block(table) for table in root.tables(0)]
    version = root.table(1)
    program.version = None if version is None else version.integer(0, "q")
    return program


def _read_block(table: Table) -> Block:
    block = Block(table.integer(0, "i"), table.integer(1, "i"))
    for each in table.tables(2):
        var = _read_var(each)
        if var.name in block.vars:
            raise ModelParseError(f"block {block.index} has two variables {var.name!r}")
        block.vars[var.name] = var
    for number, each in enumerate(table.tables(3)):
        name = each.string(0)
        try:
            block.ops.append(Op(name, _slots(each.tables(1)), _slots(each.tables(2)), _attrs(each.tables(3))))
        except ModelParseError as error:
            raise ModelParseError(f"block {block.index}, op {number} ({name}): {error}") from error
    return block


def _read_var(table: Table) -> Var:
    name = table.string(0)
    described = table.table(1)
    code = None if described is None else described.integer(0, "i")
    if described is None or code not in KINDS:
        raise ModelParseError(f"variable {name!r}: expected a kind of variable, got number {code}")
    var = Var(name, KINDS[code], persistable=bool(table.integer(2, "?")))
    var.need_check_feed = bool(table.integer(3, "?"))
    field = {VarKind.SELECTED_ROWS: 1, VarKind.TENSOR: 2, VarKind.TENSOR_ARRAY: 3}.get(var.kind)
    holder = None if field is None else described.table(field)
    tensor = holder if holder is None or var.kind is VarKind.SELECTED_ROWS else holder.table(0)
    if holder is None or tensor is None:
        return var
    var.dtype, var.shape = read_type(tensor.integer(0, "i"), tensor.numbers(1, "q").tolist())
    if var.kind is not VarKind.SELECTED_ROWS:
        var.lod_level = holder.integer(1, "i")
    return var


def read_type(code: int, dims: Sequence[int]) -> tuple[DType | None, Shape | None]:
    """The declared element type and shape; None for a type that no tensor of this engine has."""
    dtype = DTYPES.get(code)
    return dtype, None if dtype is None else tuple(dims)


def _slots(tables: Sequence[Table]) -> dict[str, list[str]]:
    slots: dict[str, list[str]] = {}
    for table in tables:
        slot = table.string(0)
        if slot in slots:
            raise ModelParseError(f"the slot {slot!r} is given twice")
        slots[slot] = table.strings(1)
    return slots


def _attrs(tables: Sequence[Table]) -> dict[str, Attribute]:
    attrs: dict[str, Attribute] = {}
    for table in tables:
        name, code = table.string(0), table.integer(1, "i")
        kind = ATTR_TYPES.get(code)
        if name in attrs:
            raise ModelParseError(f"the attribute {name!r} is given twice")
        value = None if kind is None else _value(table, kind)
        if kind is None or value is None:
            raise ModelParseError(f"the attribute {name!r} has the type of number {code}, which is unknown")
        attrs[name] = Attribute(kind, value)
    return attrs


def _value(table: Table, kind: AttrType) -> AttrValue | None:
    match kind:
        case AttrType.INT:
            return table.integer(2, "i")
        case AttrType.FLOAT:
            return table.scalar(3, "f", 0.0)
        case AttrType.STRING:
            return table.string(4)
        case AttrType.INTS:
            return [int(n) for n in table.numbers(5, "i")]
        case AttrType.FLOATS:
            return [float(n) for n in table.numbers(6, "f")]
        case AttrType.STRINGS:
            return [*table.strings(7)]
        case AttrType.BOOLEAN:
            return bool(table.integer(8, "?"))
        case AttrType.BOOLEANS:
            return [bool(n) for n in table.numbers(9, "B")]
        case AttrType.BLOCK:
            return table.integer(10, "i")
        case AttrType.LONG:
            return table.integer(11, "q")
        case AttrType.BLOCKS:
            return [int(n) for n in table.numbers(12, "i")]
        case AttrType.LONGS:
            return [int(n) for n in table.numbers(13, "q")]
        case AttrType.FLOAT64:
            return table.scalar(14, "d", 0.0)
        case AttrType.FLOAT64S:
            return [float(n) for n in table.numbers(15, "d")]
    return None
