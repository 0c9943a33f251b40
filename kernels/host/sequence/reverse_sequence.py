"""reverse_sequence on the host."""

import numpy as np

from lite.plugin.kernel import Array, kernel, write


@kernel("reverse_sequence")
def reverse_sequence(
    X: Array, SequenceLens: Array, *, batch_axis: int, time_axis: int, out: Array | None = None
) -> Array:
    """X with the first elements of each sequence in reverse, as many as SequenceLens says."""
    steps = np.arange(X.shape[time_axis])
    lengths = SequenceLens.reshape(-1, 1)
    places = np.where(steps < lengths, lengths - 1 - steps, steps)
    places = places if batch_axis < time_axis else places.T
    shape = [X.shape[axis] if axis in (batch_axis, time_axis) else 1 for axis in range(X.ndim)]
    return write(out, np.take_along_axis(X, places.reshape(shape), time_axis))
