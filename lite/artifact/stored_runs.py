"""Stored runs as JSON, and back.

A stored run says where machine code reads and writes, so its document is signed: see `Artifact.runs`.
Floats and bytes lie in the member of the weights, like all arrays.  Other integers may be indices, which
kernels checked before, so they are part of the document.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lite.ir.types import Array, DType
from lite.plugin.kernel.launches import StoredLaunches
from lite.runtime.direct_run import Buffer, Result, Signature, View
from lite.runtime.stored_run import StoredRun

if TYPE_CHECKING:
    from lite.cache.array_blob import ArrayWriter
    from lite.cache.plan_serde import Record


def run_record(run: StoredRun, arrays: ArrayWriter) -> Record:
    """A stored run as JSON; its floats are added to `arrays`.  Raises `NotCacheableError`."""
    signature, launches = run.signature, run.launches
    return {
        "inputs": [[name, *_buffer_record(buffer)] for name, buffer in signature.inputs],
        "arrays": [_buffer_record(buffer) for buffer in signature.arrays],
        "order": list(signature.order),
        "results": [[name, number, _view_record(view)] for name, number, view in signature.results],
        "memory": list(run.memory),
        "target": launches.target,
        "module": launches.module,
        "launches": launches.record,
        "constants": [_constant_record(each, arrays) for each in launches.constants],
    }


def run_of(record: Record, arrays: Sequence[Array]) -> StoredRun:
    """The stored run of a `run_record`."""
    signature = Signature(
        [(name, Buffer(tuple(shape), _dtype(dtype))) for name, shape, dtype in record["inputs"]],
        [Buffer(tuple(shape), _dtype(dtype)) for shape, dtype in record["arrays"]],
        list(record["order"]),
        [Result(name, number, _view(view)) for name, number, view in record["results"]],
    )
    launches = StoredLaunches(
        record["target"],
        record["module"],
        record["launches"],
        [_constant(each, arrays) for each in record["constants"]],
    )
    return StoredRun(signature, launches, list(record["memory"]))


def _buffer_record(buffer: Buffer) -> Sequence[Any]:
    return [list(buffer.shape), _label(buffer.dtype)]


def _view_record(view: View | None) -> Sequence[Any] | None:
    if view is None:
        return None
    return [list(view.shape), _label(view.dtype), view.offset, list(view.strides)]


def _view(record: Sequence[Any] | None) -> View | None:
    if record is None:
        return None
    shape, dtype, offset, strides = record
    return View(tuple(shape), _dtype(dtype), offset, tuple(strides))


def _constant_record(array: Array, arrays: ArrayWriter) -> Any:
    """The number of an array, or its content."""
    if array.dtype.kind == "f" or array.itemsize == 1:
        return arrays.add(array)
    return [list(array.shape), _label(array.dtype), base64.b64encode(array.tobytes()).decode()]


def _constant(record: Any, arrays: Sequence[Array]) -> Array:
    if isinstance(record, int):
        return arrays[record]
    shape, dtype, content = record
    return np.frombuffer(base64.b64decode(content), _dtype(dtype)).reshape(shape)


def _label(dtype: np.dtype[Any]) -> str:
    return DType.from_numpy(dtype).label


def _dtype(label: str) -> np.dtype[Any]:
    return DType.from_name(label).numpy
