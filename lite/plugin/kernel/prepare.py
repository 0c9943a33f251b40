"""The argument and the result of a kernel's `prepare` function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from lite.dataclass import dataclass
from lite.ir.attributes import Attributes
from lite.ir.types import Array
from lite.ops.view import Meta
from lite.plugin.kernel.run_context import current_precision, current_threads
from lite.plugin.kernel.scratch import ALIGNMENT, Scratch, standalone_scratch

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

KernelFunction = Callable[..., Any]
"""Arrays in, arrays out, as `lite.plugin.kernel.kernels` describes."""


@dataclass(frozen=True)
class PrepareContext:
    """An op before it runs: metas of its inputs and outputs, and its attributes.

    Metas are by slot, and every shape is known.  A constant input's meta has its elements as `value`.
    `shared(name, make)` returns what `make` returned at the first call with this name for this op: packed
    weights, shared by all signatures and clones.  `precision` is `lite.Config.precision`; at most `threads`
    threads share the work of an op.  `request_scratch(shape, dtype)` is what `scratch` calls.
    """

    inputs: Mapping[str, Sequence[Meta]]
    outputs: Mapping[str, Sequence[Meta]]
    attrs: Attributes
    shared: Callable[[str, Callable[[], Array]], Array]
    precision: str = field(default_factory=current_precision)
    threads: int = field(default_factory=current_threads)
    request_scratch: Callable[[Sequence[int], np.dtype[Any]], Scratch] = standalone_scratch

    def constant(self, slot: str) -> Array | None:
        """The elements of an input that is constant, or None."""
        metas = self.inputs.get(slot)
        return metas[0].value if metas else None

    def scratch(self, shape: Sequence[int], dtype: DTypeLike = np.float32) -> Scratch:
        """Memory for intermediate results: an array of this shape while the prepared function runs.

        All kernels of a model use the same memory, one after the other; several requests of one op get
        separate parts of it.  So a run allocates nothing, and `Predictor.memory` counts it.
        """
        return self.request_scratch(shape, np.dtype(dtype))

    def scratch_per_thread(self, elements: int, dtype: DTypeLike = np.float32) -> Scratch:
        """At least so many elements for each thread: ``[threads, elements]``, row k for worker k.

        Rows are whole cache lines, so that no two threads write to the same line.
        """
        line = ALIGNMENT // np.dtype(dtype).itemsize
        return self.scratch((self.threads, -(-elements // line) * line), dtype)


Prepare = Callable[[PrepareContext], KernelFunction | None]
"""Packs weights or chooses an algorithm for known shapes; returns the function to run instead, or None.

The function takes the kernel's slots and, if the kernel writes into buffers, ``out``; no attributes."""
