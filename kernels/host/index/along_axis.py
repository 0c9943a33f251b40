"""take_along_axis and put_along_axis on the host."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.index.scattered import UPDATES
from lite.plugin.kernel import Array, kernel, write


@kernel("take_along_axis")
def take_along_axis(Input: Array, Index: Array, *, Axis: int, out: Array | None = None) -> Array:
    """Each element is that of Input at its own place, but on `Axis` at the place that Index says."""
    return write(out, Input[_places(Index, Axis)])


@kernel("put_along_axis")
def put_along_axis(
    Input: Array, Index: Array, Value: Array, *, Axis: int, Reduce: str, out: Array | None = None
) -> Array:
    """Input with each of Value at its own place, but on `Axis` at the place that Index says.

    What is there takes part in the reduction; with "assign", the last value for a place counts.
    """
    result = np.array(Input, order="C") if out is None else write(out, Input)
    UPDATES[Reduce](result, _places(Index, Axis), np.broadcast_to(Value, Index.shape))
    return result


def _places(index: Array, axis: int) -> tuple[Array, ...]:
    places = list(np.ogrid[tuple(slice(size) for size in index.shape)])
    places[axis] = index
    return tuple(places)
