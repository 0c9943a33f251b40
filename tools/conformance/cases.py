"""The op cases of the kit: one op with its attributes, its inputs and its expected outputs.

``op_cases.zip`` contains ``cases.json``, which describes the cases, and ``data.bin``, which contains the
elements of all operands.  ``python -m tests.record_conformance`` writes the file.
"""

from __future__ import annotations

import functools
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lite.dataclass import dataclass
from lite.ir.program import Attribute, AttrType, AttrValue, Block, Op, Program, Var, VarKind, Weight
from lite.ir.types import NO_LOD, Array, DType, Lod
from lite.ops import OpSchema, get_schema
from lite.ops.attrs import attr_of

FILE = Path(__file__).parent / "op_cases.zip"


@dataclass(frozen=True)
class Operand:
    """An input or an expected output."""

    array: Array
    lod: Lod = NO_LOD


@dataclass(frozen=True)
class Case:
    """An op with its operands by slot."""

    name: str
    op: str
    attrs: Mapping[str, AttrValue]
    inputs: Mapping[str, Sequence[Operand]]
    outputs: Mapping[str, Sequence[Operand]]


@functools.cache
def read_cases(path: Path = FILE) -> tuple[Case, ...]:
    """All cases of the kit, sorted by op."""
    with zipfile.ZipFile(path) as archive:
        entries = json.loads(archive.read("cases.json"))
        data = archive.read("data.bin")
    return tuple(
        Case(
            entry["name"],
            entry["op"],
            entry["attrs"],
            {slot: [_operand(item, data) for item in items] for slot, items in entry["inputs"].items()},
            {slot: [_operand(item, data) for item in items] for slot, items in entry["outputs"].items()},
        )
        for entry in entries
    )


def write_cases(cases: Sequence[Case], path: Path = FILE) -> None:
    """Write the cases; equal cases give equal bytes."""
    data = bytearray()
    entries = [
        {
            "name": case.name,
            "op": case.op,
            "attrs": case.attrs,
            "inputs": {slot: [_entry(item, data) for item in items] for slot, items in case.inputs.items()},
            "outputs": {slot: [_entry(item, data) for item in items] for slot, items in case.outputs.items()},
        }
        for case in cases
    ]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (("cases.json", json.dumps(entries).encode()), ("data.bin", bytes(data))):
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def program_of(
    case: Case, *, weights: bool = False, open_sizes: bool = False, outputs: int | None = None
) -> Program:
    """A model of one op, with inputs and outputs in the order of the slots.

    With `weights`, all inputs but the first are weights.  With `open_sizes`, the sizes of the inputs are
    open.  The model has the outputs of the first `outputs` slots, by default of all.
    """
    block = Block(0)
    block.vars["feed"] = Var("feed", VarKind.FEED, persistable=True)
    block.vars["fetch"] = Var("fetch", VarKind.FETCH, persistable=True)
    reads = {slot: [f"{slot}_{n}" for n in range(len(items))] for slot, items in case.inputs.items()}
    writes = {slot: [f"{slot}_{n}_out" for n in range(len(items))] for slot, items in case.outputs.items()}
    operands = {
        name: item
        for slot, names in reads.items()
        for name, item in zip(names, case.inputs[slot], strict=True)
    }
    fed = list(operands)[:1] if weights else list(operands)
    stored = {name: Weight(operands[name].array) for name in operands if name not in fed}
    for name, item in operands.items():
        is_open = open_sizes and name in fed
        block.vars[name] = _variable(name, item, is_open, persistable=name in stored)
    for slot, names in writes.items():
        for name, item in zip(names, case.outputs[slot], strict=True):
            block.vars[name] = _variable(name, item, open_sizes)
    for column, name in enumerate(fed):
        block.ops.append(Op("feed", {"X": ["feed"]}, {"Out": [name]}, _column(column)))
    schema = get_schema(case.op)
    attrs = {name: Attribute(_attr_type(schema, name, value), value) for name, value in case.attrs.items()}
    block.ops.append(Op(case.op, reads, writes, attrs))
    fetched = [name for names in list(writes.values())[:outputs] for name in names]
    for column, name in enumerate(fetched):
        block.ops.append(Op("fetch", {"X": [name]}, {"Out": ["fetch"]}, _column(column)))
    return Program([block], stored, source=case.name)


def _variable(name: str, operand: Operand, is_open: bool, persistable: bool | None = None) -> Var:
    shape = (-1,) * operand.array.ndim if is_open else operand.array.shape
    dtype = DType.from_numpy(operand.array.dtype)
    return Var(name, VarKind.TENSOR, dtype, shape, len(operand.lod), persistable=persistable)


def _attr_type(schema: OpSchema, name: str, value: AttrValue) -> AttrType:
    """The type of an attribute; only programs of older versions have attributes that the schema lacks."""
    return schema.attrs[name].type if name in schema.attrs else attr_of(value).type


def _column(column: int) -> dict[str, Attribute]:
    return {"col": Attribute(AttrType.INT, column)}


def _operand(entry: Mapping[str, Any], data: bytes) -> Operand:
    dtype = DType.from_name(entry["dtype"]).numpy
    count = int(np.prod(entry["shape"], dtype=np.int64))
    array = np.frombuffer(data, dtype, count, entry["at"]).reshape(entry["shape"])
    return Operand(array, tuple(tuple(level) for level in entry["lod"]))


def _entry(operand: Operand, data: bytearray) -> dict[str, Any]:
    at = len(data)
    data += np.ascontiguousarray(operand.array).tobytes()
    data += bytes(-len(data) % 8)
    dtype = DType.from_numpy(operand.array.dtype)
    return {"dtype": str(dtype), "shape": list(operand.array.shape), "lod": operand.lod, "at": at}
