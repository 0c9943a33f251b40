"""The kernels that a model needs and this machine lacks, before a run."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from lite.errors import LiteError
from lite.ir.types import Lod
from lite.plugin.kernel import KERNEL_ERRORS
from lite.plugin.kernel.compilation import KernelTask, NotCompiledError
from lite.plugin.kernel.run_context import MissingKernels, current_run
from lite.runtime import PlanState, Runtime


def missing_kernels(
    state: PlanState, memory: str, args: Sequence[Any], lods: Sequence[Lod]
) -> list[KernelTask]:
    """The kernels to compile for arguments of these shapes, as far as they are known before a run.

    To be called inside a run, of which nothing else follows.
    """
    missing = current_run().missing = MissingKernels(only_binds=True)
    # Values that no kernel computed may stop it; a later run finds the other kernels.
    with contextlib.suppress(LiteError, NotCompiledError, *KERNEL_ERRORS):
        # A state of its own, as what it prepares has no content.
        fresh = PlanState(state.plan, None, None, state.limits)
        Runtime(fresh, memory).prepare(args, lods)
    return list(missing.tasks)
