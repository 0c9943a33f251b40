"""Which regions are not worth running on a device, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lite.ops.schema import SCHEMAS
from lite.subgraph.transfer_cost import BANDWIDTH, region_cost

MIN_SUBGRAPH_OPS = 2
"""Ops that compute which a region has at least."""
MIN_MACS_PER_BYTE = 0.05
"""Multiply-accumulate operations a region does at least for each byte over its boundary.  The lightest
convolutions, those of one channel with a 3 × 3 filter, do more than 1."""
FREE_BYTES = 16 * 2**20
"""Bytes over its boundary up to which a region need not compute anything for them."""


@dataclass(frozen=True)
class RegionWork:
    """A region as the pruner sees it.

    `ops` are the types of its ops; `macs` their multiply-accumulate operations and `bytes` what crosses
    the boundary in one run, None where not known.  `host_seconds` and `device_seconds` are what its ops
    take there, where both were measured.
    """

    device: str
    ops: Sequence[str]
    macs: int | None = None
    bytes: int | None = None
    host_seconds: float | None = None
    device_seconds: float | None = None


def prune(
    regions: Iterable[RegionWork],
    min_subgraph_ops: int = MIN_SUBGRAPH_OPS,
    min_macs_per_byte: float = MIN_MACS_PER_BYTE,
    free_bytes: int = FREE_BYTES,
    bandwidth: float = BANDWIDTH,
) -> list[tuple[RegionWork, str]]:
    """Regions to give back to the host, each with the reason.

    A region is too small with fewer than `min_subgraph_ops` ops that compute: all but ``shape`` and those
    that only see the same bytes with another shape or type (`OpSchema.view`).
    It does not pay when the host was measured to be faster than the device with what the boundary costs
    at `bandwidth` bytes per second; where nothing was measured, when more than `free_bytes` cross its
    boundary and fewer than `min_macs_per_byte` operations are done for each.  What is not known is no
    reason to prune.
    """
    found: list[tuple[RegionWork, str]] = []
    for region in regions:
        reason = _too_small(region, min_subgraph_ops)
        if reason is None and None not in (region.host_seconds, region.device_seconds):
            reason = _too_slow(region, bandwidth)
        elif reason is None:
            reason = _too_little_work(region, min_macs_per_byte, free_bytes)
        if reason is not None:
            found.append((region, reason))
    return found


def _too_small(region: RegionWork, least: int) -> str | None:
    count = sum(_computes(op) for op in region.ops)
    if count >= least:
        return None
    return (
        f"{count} of its {len(region.ops)} ops compute ({_shown(region.ops)}), fewer than the {least} wanted"
    )


def _computes(op: str) -> bool:
    schema = SCHEMAS.get(op)
    return op != "shape" and (schema is None or not schema.view)


def _too_slow(region: RegionWork, bandwidth: float) -> str | None:
    host, device = region.host_seconds or 0.0, region.device_seconds or 0.0
    boundary = region_cost(region.bytes or 0, 1, bandwidth)
    if device + boundary <= host:
        return None
    return (
        f"the host takes {_ms(host)} for it, {region.device} {_ms(device)} and {_ms(boundary)} more for the "
        f"boundary ({region.bytes or 0:,} bytes)"
    )


def _too_little_work(region: RegionWork, least: float, free_bytes: int) -> str | None:
    if region.macs is None or region.bytes is None or region.bytes <= free_bytes:
        return None
    if region.macs >= least * region.bytes:
        return None
    return (
        f"{region.bytes:,} bytes cross its boundary for {region.macs:,} multiply-accumulate operations, "
        f"{region.macs / region.bytes:.2g} for each byte; at least {least:g} are wanted"
    )


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms"


def _shown(ops: Sequence[str]) -> str:
    return ", ".join(ops[:5]) + (", …" if len(ops) > 5 else "")
