"""Writes naive buffers of all layouts; it needs numpy only."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from lite.ir.program import Attribute, AttrType, Block, Op, Program, Var, VarKind
from lite.ir.types import DType
from tests.model_parser.tflite.builder import Buffer, Table

VERSION = b"v2.13-rc\0\xa9\xaf\xf1\xff\x7f\0\0"
"""As Paddle-Lite 2.13 writes it: text, a zero, and bytes of other memory."""

_HOLDERS = {VarKind.SELECTED_ROWS: 1, VarKind.TENSOR: 2, VarKind.TENSOR_ARRAY: 3}
_OLD_DTYPES = ("bool", "int16", "int32", "int64", "float16", "float32", "float64", "size_t", "uint8", "int8")
_OLD_KINDS = (7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18)


def naive_buffer(program: Program, layout: int = 2) -> bytes:
    """The file of a program whose parameters are its weights."""
    if layout == 0:
        topology, parameters = _old_program(program), _old_parameters(program)
    else:
        topology = _flat(program_table(program))
        parameters = _flat(Table({0: list(_parameters(program))})) if layout == 1 else _buffers(program)
    return struct.pack("<H16sQ", layout, VERSION, len(topology)) + topology + parameters


def program_table(program: Program) -> Table:
    """The FlatBuffer of a program."""
    return Table({0: [_block(block) for block in program.blocks], 1: Table({0: ("q", 0)})})


def _flat(table: Table) -> bytes:
    buffer = Buffer()
    buffer.data += bytes(4)
    buffer.refer(0, buffer.table(table))
    return bytes(buffer.data) + bytes(-len(buffer.data) % 8)


def _block(block: Block) -> Table:
    table = Table({0: ("i", block.index), 1: ("i", block.parent), 4: ("i", -1)})
    return Table(table | {2: [_var(var) for var in block.vars.values()], 3: [_op(op) for op in block.ops]})


def _var(var: Var) -> Table:
    kind = Table({0: ("i", int(var.kind))})
    if var.kind in _HOLDERS:
        tensor = Table({0: ("i", (var.dtype or DType.FLOAT32).code), 1: _dims(var)})
        kind[_HOLDERS[var.kind]] = Table({0: tensor, 1: ("i", 0)})
    return Table({0: var.name, 1: kind, 2: ("B", bool(var.persistable)), 3: ("B", bool(var.need_check_feed))})


def _dims(var: Var) -> np.ndarray:
    return np.array([dim if isinstance(dim, int) else -1 for dim in var.shape or ()], np.int64)


def _op(op: Op) -> Table:
    slots = {
        field: [Table({0: slot, 1: list(names)}) for slot, names in each.items()]
        for field, each in ((1, op.inputs), (2, op.outputs))
    }
    return Table({0: op.type, **slots, 3: [_attribute(*item) for item in op.attrs.items()]})


def _attribute(name: str, attribute: Attribute) -> Table:
    kind, value = attribute.type, attribute.value
    numbers = {AttrType.INTS: np.int32, AttrType.FLOATS: np.float32, AttrType.LONGS: np.int64}
    if kind in numbers:
        stored: object = np.array(value, numbers[kind])
    elif kind is AttrType.STRINGS:
        stored = value
    elif kind is AttrType.STRING:
        stored = str(value)
    else:
        code = {AttrType.FLOAT: "f", AttrType.BOOLEAN: "B", AttrType.LONG: "q"}.get(kind, "i")
        stored = (code, value)
    fields = {**_FIELDS, AttrType.BLOCK: 2}
    written = AttrType.INT if kind is AttrType.BLOCK else kind  # as opt writes it
    return Table({0: name, 1: ("i", int(written)), fields[kind]: stored})


_FIELDS = {
    AttrType.INT: 2,
    AttrType.FLOAT: 3,
    AttrType.STRING: 4,
    AttrType.INTS: 5,
    AttrType.FLOATS: 6,
    AttrType.STRINGS: 7,
    AttrType.BOOLEAN: 8,
    AttrType.LONG: 11,
    AttrType.LONGS: 13,
}


def _parameters(program: Program) -> Iterable[Table]:
    for name in sorted(program.weights):
        array = program.weights[name].array
        tensor = Table({2: np.array(array.shape, np.int64), 3: ("i", DType.from_numpy(array.dtype).code)})
        tensor[4] = array.tobytes()
        yield Table({1: name, 2: ("B", 1), 3: tensor})


def _buffers(program: Program) -> bytes:
    contents = [_flat(table) for table in _parameters(program)]
    head = struct.pack("<HHHHI", 0, 0, 6, len(contents), max(map(len, contents), default=0))
    return head + b"".join(struct.pack("<II", len(each) + 4, 4) + each for each in contents)


def _text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def _list(items: Sequence[bytes]) -> bytes:
    return struct.pack("<Q", len(items)) + b"".join(items)


def _numbers(code: str, values: Iterable[object]) -> bytes:
    return _list([struct.pack(f"<{code}", value) for value in values])


def _old_program(program: Program) -> bytes:
    return _list([_old_block(block) for block in program.blocks]) + struct.pack("<q", 0)


def _old_block(block: Block) -> bytes:
    variables = _list([_old_var(var) for var in block.vars.values()])
    head = struct.pack("<ii", block.index, block.parent)
    return head + variables + _list([_old_op(op) for op in block.ops]) + struct.pack("<i", -1)


def _old_var(var: Var) -> bytes:
    described, none = _old_type(str(var.dtype or "float32"), _dims(var)), _old_type("bool", np.empty(0))
    level = struct.pack("<i", 0)
    code = len(_OLD_DTYPES) + _OLD_KINDS.index(int(var.kind))
    fields = [
        described if var.kind is VarKind.SELECTED_ROWS else none,
        (described if var.kind is VarKind.TENSOR else none) + level,
        (described if var.kind is VarKind.TENSOR_ARRAY else none) + level,
        _list([]),
        _list([]),
    ]
    return b"".join(
        [_text(var.name), struct.pack("<i", code), *fields, struct.pack("<?", bool(var.persistable))]
    )


def _old_type(dtype: str, dims: np.ndarray) -> bytes:
    return struct.pack("<i", _OLD_DTYPES.index(dtype)) + _numbers("q", dims.tolist())


def _old_op(op: Op) -> bytes:
    slots = [
        _list([_text(slot) + _list([_text(name) for name in names]) for slot, names in each.items()])
        for each in (op.inputs, op.outputs)
    ]
    attrs = _list([_old_attribute(*item) for item in op.attrs.items()])
    return _text(op.type) + b"".join(slots) + attrs + b"\0"


def _old_attribute(name: str, attribute: Attribute) -> bytes:
    kind, value = attribute.type, attribute.value
    given: Mapping[AttrType, object] = {kind: value}

    def get(of: AttrType, default: object) -> object:
        return given.get(of, default)

    parts = [
        struct.pack("<i", get(AttrType.INT, 0)),
        struct.pack("<f", get(AttrType.FLOAT, 0.0)),
        _text(str(get(AttrType.STRING, ""))),
        _numbers("i", _items(given, AttrType.INTS)),
        _numbers("f", _items(given, AttrType.FLOATS)),
        _list([_text(str(each)) for each in _items(given, AttrType.STRINGS)]),
        struct.pack("<?", get(AttrType.BOOLEAN, False)),
        _numbers("?", _items(given, AttrType.BOOLEANS)),
        struct.pack("<i", get(AttrType.BLOCK, 0)),
        struct.pack("<q", get(AttrType.LONG, 0)),
        _numbers("i", _items(given, AttrType.BLOCKS)),
        _numbers("q", _items(given, AttrType.LONGS)),
    ]
    return _text(name) + struct.pack("<i", int(kind)) + b"".join(parts)


def _items(given: Mapping[AttrType, object], kind: AttrType) -> Sequence[object]:
    items = given.get(kind, [])
    assert isinstance(items, list)
    return items


def _old_parameters(program: Program) -> bytes:
    return _list([_old_parameter(name, weight.array) for name, weight in sorted(program.weights.items())])


def _old_parameter(name: str, array: np.ndarray) -> bytes:
    head = _text(name) + struct.pack("<IQ", 0, 0) + _list([]) + struct.pack("<I", 0)
    dtype = str(DType.from_numpy(array.dtype))
    content = array.tobytes()
    return head + _old_type(dtype, np.array(array.shape)) + struct.pack("<Q", len(content)) + content
