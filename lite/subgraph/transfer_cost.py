"""What it costs to leave the host: the constants behind placement by cost, splitting and pruning."""

BANDWIDTH = 1e10
"""Bytes per second over the boundary of a place: what one core copies between arrays."""
REGION_SECONDS = 1e-4
"""What starting one region takes, however little it does."""
OP_SECONDS = 1e-5
"""What an op takes on a place that gives no cost for it."""


def region_cost(crossing: float, regions: int, bandwidth: float = BANDWIDTH) -> float:
    """Seconds that the boundaries cost: bytes that cross, and regions to start."""
    return crossing / bandwidth + regions * REGION_SECONDS
