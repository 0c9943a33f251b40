"""Which ops have kernels, as text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from lite.ir.types import HOST
from lite.ops import SCHEMAS
from lite.plugin.kernel import kernels_of
from lite.plugin.loader import load_all_kernels

_EXECUTED = "feed", "fetch"
"""Ops besides control flow that the engine runs without a kernel."""


def supported_on(op: str, targets: Collection[str]) -> bool:
    """Whether an op runs on one of `targets`; those that the engine runs itself count as the host's."""
    return any(_runs(op, target) for target in targets)


def op_table(ops: Iterable[str], targets: Sequence[str]) -> str:
    """A line for each op with Y under each target it runs on."""
    load_all_kernels()
    rows = [["op", *targets]]
    rows += [[op, *("Y" if _runs(op, target) else "" for target in targets)] for op in sorted(ops)]
    width = max(len(row[0]) for row in rows) + 2
    return "\n".join(
        (row[0].ljust(width) + "".join(cell.ljust(8) for cell in row[1:])).rstrip() for row in rows
    )


def all_ops() -> list[str]:
    """Every op type there is a schema for, and those that feed and fetch."""
    return sorted({*SCHEMAS, *_EXECUTED})


def all_targets() -> list[str]:
    """Every target with a kernel, the host first."""
    load_all_kernels()
    others = {kernel.place.target for op in SCHEMAS for kernel in kernels_of(op)} - {HOST}
    return [HOST, *sorted(others)]


def kernel_lines() -> list[str]:
    """Every kernel as ``op: target/dtype/layout``."""
    load_all_kernels()
    return [f"{op}: {kernel.place}" for op in sorted(SCHEMAS) for kernel in kernels_of(op)]


def _runs(op: str, target: str) -> bool:
    schema = SCHEMAS.get(op)
    if op in _EXECUTED or (schema is not None and schema.control_flow):
        return target == HOST
    if schema is not None and schema.canonical is not None:
        # An older spelling: the op becomes the other one before kernels are picked.
        return _runs(schema.canonical.op, target)
    return any(kernel.place.target == target for kernel in kernels_of(op))
