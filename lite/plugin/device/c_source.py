"""CSource: a region as C source, which the engine compiles, keeps, links and runs."""

from __future__ import annotations

import ctypes
import json
import struct
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lite.errors import CompileError, ExecutionError
from lite.ir.types import Array, DType, shape_text
from lite.ops.view import Meta
from lite.plugin.device.c_objects import link_kept, link_source
from lite.plugin.device.compiled_model import CompiledModel

MAGIC = b"LBCSRC1\n"
"""The first bytes of a serialised `CSource`."""

ALIGNMENT = 64
"""Where weights and workspace begin, in bytes."""

_SIZE = struct.Struct("<Q")
_LABELS = {str(dtype): dtype for dtype in DType}


class CSource(CompiledModel):
    """A region as one file of C99 with a function of this form::

        int FUNCTION(const void *const *inputs, void *const *outputs, const void *weights, void *workspace);

    It reads contiguous arrays with the types and shapes of `inputs`, the region's signature, and writes
    those of `outputs`, in order; shapes are static.  It returns 0, or another number for a failure.
    `weights` are constant bytes; `workspace_bytes` of memory are for each run alone.  Both begin at multiples
    of 64 bytes.  Several threads may call it at once, so it changes no static data.

    The compiler gets ``-std=gnu99 -O3`` and `flags`, such as ``-march=native``.  Machine code is kept for
    this user and processor.  A stored model has the source only: it is used where this user has compiled
    the same source before, and is otherwise compiled by the device again, so that no code of a file runs.
    Raises `CompileError` without a C compiler, or with the compiler's messages.
    """

    threads = "shared"
    survives_fork = True

    def __init__(
        self,
        function: str,
        code: str,
        inputs: Sequence[Meta],
        outputs: Sequence[Meta],
        *,
        weights: bytes = b"",
        workspace_bytes: int = 0,
        flags: Sequence[str] = (),
    ) -> None:
        self._open(function, code, inputs, outputs, weights, workspace_bytes, flags)
        self._link(link_source(self._blob, code, flags))

    def _open(
        self,
        function: str,
        code: str,
        inputs: Sequence[Meta],
        outputs: Sequence[Meta],
        weights: bytes,
        workspace_bytes: int,
        flags: Sequence[str],
    ) -> None:
        for meta in (*inputs, *outputs):
            if not meta.is_static:
                raise CompileError(f"C source has static shapes; {meta} is not")
        self.function, self.code, self.flags = function, code, tuple(flags)
        self.workspace_bytes = workspace_bytes
        self._inputs, self._outputs = _types(inputs), _types(outputs)
        self._weights = _aligned(len(weights))
        self._weights[:] = np.frombuffer(weights, np.uint8)
        self._workspaces: deque[Array] = deque()
        facts = {
            "function": function,
            "code": code,
            "inputs": [[str(meta.dtype), list(meta.dims)] for meta in inputs],
            "outputs": [[str(meta.dtype), list(meta.dims)] for meta in outputs],
            "workspace_bytes": workspace_bytes,
            "flags": list(flags),
        }
        text = json.dumps(facts).encode()
        self._blob = b"".join([MAGIC, _SIZE.pack(len(text)), text, weights])

    def _link(self, library: ctypes.CDLL) -> None:
        try:
            self._call: Any = library[self.function]
        except AttributeError as error:
            raise CompileError(f"the C source has no function {self.function!r}") from error
        self._call.restype = ctypes.c_int
        self._call.argtypes = [ctypes.c_void_p] * 4

    @classmethod
    def stored(cls, blob: bytes) -> CSource:
        """The model that `serialize` returned as bytes, where this user has compiled it on this processor.

        Raises `CompileError` elsewhere, and for bytes that cannot be used.
        """
        model = cls.__new__(cls)
        try:
            start = len(MAGIC) + _SIZE.size
            (size,) = _SIZE.unpack_from(blob, len(MAGIC))
            facts = json.loads(blob[start : start + size])
            inputs, outputs = (
                [Meta(_LABELS[name], tuple(map(int, dims))) for name, dims in facts[key]]
                for key in ("inputs", "outputs")
            )
            function, code, flags = str(facts["function"]), str(facts["code"]), [*map(str, facts["flags"])]
            weights, workspace = bytes(blob[start + size :]), int(facts["workspace_bytes"])
            model._open(function, code, inputs, outputs, weights, workspace, flags)
        except (ValueError, TypeError, LookupError, struct.error, OverflowError, RecursionError) as error:
            raise CompileError(f"the stored C source is damaged: {error!r}") from error
        library = link_kept(model._blob, flags) if model._blob == bytes(blob) else None
        if library is None:
            raise CompileError("its C source was not compiled by this user on this processor")
        model._link(library)
        return model

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        """Call the function; see `CompiledModel.run`."""
        self._check(inputs)
        results = [
            np.empty(shape, dtype) if output is None else output
            for (dtype, shape), output in zip(self._outputs, outputs, strict=True)
        ]
        workspace = self._workspaces.pop() if self._workspaces else _aligned(self.workspace_bytes)
        status = self._call(
            _pointers(inputs), _pointers(results), self._weights.ctypes.data, workspace.ctypes.data
        )
        self._workspaces.append(workspace)
        if status:
            raise ExecutionError(f"{self.function} returned {status}")
        return results

    def _check(self, inputs: Sequence[Array]) -> None:
        """Raise `ExecutionError` for arrays that the code was not written for."""
        for array, (dtype, shape) in zip(inputs, self._inputs, strict=True):
            if array.dtype != dtype or array.shape != shape:
                given = f"{array.dtype}{shape_text(array.shape)}"
                raise ExecutionError(f"{self.function} takes {dtype}{shape_text(shape)}, got {given}")

    def serialize(self) -> bytes:
        """The source, the types of its arguments, and the weights."""
        return self._blob

    def files(self) -> Mapping[str, bytes]:
        """The source, and the weights if it has some."""
        files = {"region.c": self.code.encode()}
        return {**files, "weights.bin": self._weights.tobytes()} if self._weights.size else files


def _types(metas: Sequence[Meta]) -> list[tuple[np.dtype[Any], tuple[int, ...]]]:
    return [(meta.dtype.numpy, meta.sizes) for meta in metas]


def _aligned(size: int) -> Array:
    memory = np.empty(size + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    return memory[start : start + size]


def _pointers(arrays: Sequence[Array]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
