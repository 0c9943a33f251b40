"""The kit's cases: one op, its inputs, and the outputs that our tests hold against a reference.

``op_cases.zip`` holds ``cases.json`` and ``data.bin``, in which each operand has its place.  It is
written anew by ``python -m tests.record_conformance``.
"""

from __future__ import annotations

import functools
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import NO_LOD, Array, DType, Lod

FILE = Path(__file__).parent / "op_cases.zip"


@dataclass(frozen=True)
class Operand:
    """One input or expected output."""

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
    """Every case of the kit, ordered by op."""
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
    """Write the kit; the same cases give the same bytes."""
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
