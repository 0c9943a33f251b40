"""tensor_scatter on the host."""

import numpy as np

from lite.plugin.kernel import Array, kernel, write


@kernel("tensor_scatter")
def tensor_scatter(
    X: Array, Updates: Array, Starts: Array | None, *, axis: int, mode: str, out: Array | None = None
) -> Array:
    """X with Updates along an axis, for each of the batch from its start on (ONNX TensorScatter).

    Without Starts all begin at 0.  In mode "circular" what reaches beyond the end goes to the front.
    Raises `IndexError` where it reaches beyond in mode "linear".
    """
    result = np.array(X, order="C") if out is None else write(out, X)
    starts = np.zeros(len(X), np.int64) if Starts is None else Starts
    size, count = X.shape[axis], Updates.shape[axis]
    for sample, start in enumerate(starts.tolist()):
        if start < 0 or (mode == "linear" and start + count > size):
            raise IndexError(f"Starts: expected at least 0 and at most {size - count}, got {start}")
        places = np.arange(start, start + count) % size
        np.moveaxis(result[sample], axis - 1 if axis > 0 else axis, 0)[places] = np.moveaxis(
            Updates[sample], axis - 1 if axis > 0 else axis, 0
        )
    return result
