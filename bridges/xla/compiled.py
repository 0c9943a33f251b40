"""A compiled region: a function of JAX and the StableHLO that it was made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lite.bridges.xla.blob import Program, pack
from lite.errors import ExecutionError
from lite.ir.types import Array
from lite.plugin.device import CompiledModel


class XlaModel(CompiledModel):
    """Any number of threads may run it."""

    threads = "shared"

    def __init__(self, program: Program, function: Any) -> None:
        import jax

        self.program = program
        self._function = function
        self._wide = jax.enable_x64

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        """Call the function, and copy its results to the outputs."""
        return self.wait(self.start(inputs, outputs))

    def start(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> object:
        """Call the function, whose results may not be there yet."""
        try:
            # Otherwise JAX would read int64 and float64 as 32 bits.
            with self._wide(True):
                return self._function(*inputs), outputs
        except (RuntimeError, TypeError, ValueError) as error:
            raise ExecutionError(f"xla: the run failed: {error}") from error

    def wait(self, ticket: object) -> list[Array]:
        """The results, copied to the outputs."""
        results: Sequence[Array]
        outputs: Sequence[Array | None]
        results, outputs = ticket  # type: ignore[misc]
        try:
            return [_stored(np.asarray(result), out) for result, out in zip(results, outputs, strict=True)]
        except RuntimeError as error:
            raise ExecutionError(f"xla: the run failed: {error}") from error

    def serialize(self) -> bytes:
        """The StableHLO."""
        return pack(self.program)

    def files(self) -> Mapping[str, bytes]:
        """The StableHLO, as compilers read it."""
        return {"region.mlir": self.program.text.encode()}


def _stored(result: Array, out: Array | None) -> Array:
    if out is None:
        return np.array(result)
    np.copyto(out, result)
    return out
