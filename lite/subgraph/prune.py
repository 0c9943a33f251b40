"""Decide whether a region is worth running on its device."""

from __future__ import annotations

from lite.ops.schema import SCHEMAS
from lite.subgraph.op_graph import BANDWIDTH, REGION_SECONDS
from lite.subgraph.region_work import RegionWork

MIN_SUBGRAPH_OPS = 2
"""The fewest ops that compute in a region that is worth it."""
MIN_MACS_PER_BYTE = 0.05
"""The fewest multiply-accumulates per byte across the boundary.  The lightest convolutions, those of one
channel with a 3 × 3 filter, do more than 1."""
FREE_BYTES = 16 * 2**20
"""Bytes across the boundary up to which a region need not do any multiply-accumulates for them."""


def prune_reason(
    region: RegionWork,
    min_subgraph_ops: int = MIN_SUBGRAPH_OPS,
    min_macs_per_byte: float = MIN_MACS_PER_BYTE,
    free_bytes: int = FREE_BYTES,
    bandwidth: float = BANDWIDTH,
) -> str | None:
    """Why a region should be given back to the host, in one sentence; None when it should not.

    A region is too small with fewer than `min_subgraph_ops` ops that compute.  All ops compute except
    ``shape`` and views, which present the same bytes with another shape or type (`OpSchema.view`).

    Where times were measured, the device must be faster than the host including the cost of the boundary
    at `bandwidth` bytes per second.  Elsewhere, a region does not pay when more than `free_bytes` cross
    its boundary and it does fewer than `min_macs_per_byte` multiply-accumulates for each.  An unknown
    figure is no reason to prune.
    """
    reason = _too_small(region, min_subgraph_ops)
    if reason is not None:
        return reason
    if region.host_seconds is not None and region.device_seconds is not None:
        return _too_slow(region, region.host_seconds, region.device_seconds, bandwidth)
    return _too_little_work(region, min_macs_per_byte, free_bytes)


def _too_small(region: RegionWork, least: int) -> str | None:
    count = sum(_computes(op) for op in region.ops)
    if count >= least:
        return None
    ops = ", ".join(region.ops[:5]) + (", …" if len(region.ops) > 5 else "")
    return f"{count} of its {len(region.ops)} ops compute ({ops}), fewer than the {least} required"


def _computes(op: str) -> bool:
    schema = SCHEMAS.get(op)
    return op != "shape" and (schema is None or not schema.view)


def _too_slow(region: RegionWork, host: float, device: float, bandwidth: float) -> str | None:
    size = region.bytes or 0
    boundary = size / bandwidth + REGION_SECONDS
    if device + boundary <= host:
        return None
    return (
        f"the host takes {_ms(host)} for it, {region.device} {_ms(device)} and {_ms(boundary)} more for the "
        f"boundary ({size:,} bytes)"
    )


def _too_little_work(region: RegionWork, least: float, free_bytes: int) -> str | None:
    if region.macs is None or region.bytes is None or region.bytes <= free_bytes:
        return None
    if region.macs >= least * region.bytes:
        return None
    return (
        f"{region.bytes:,} bytes cross its boundary for {region.macs:,} multiply-accumulate operations, "
        f"{region.macs / region.bytes:.2g} for each byte; at least {least:g} are required"
    )


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms"
