"""print: writes tensors to the log, never to the standard output."""

import logging

import numpy as np

from lite.plugin.kernel import Array, is_tensor_array, kernel

_LOG = logging.getLogger(__name__)


@kernel("print")
def print_(
    In: Array | list[Array],
    *,
    message: str,
    summarize: int,
    print_tensor_shape: bool,
    print_tensor_type: bool,
) -> Array | list[Array]:
    """Paddle print: logs the first `summarize` elements (negative: all) and returns In.

    Every run logs: Paddle's `first_n` would need a counter, and kernels have no state.
    """
    for tensor in In if is_tensor_array(In) else [In]:
        parts = [message] if message else []
        if print_tensor_shape:
            parts.append(f"shape: {list(tensor.shape)}")
        if print_tensor_type:
            parts.append(f"dtype: {tensor.dtype}")
        flat = tensor.reshape(-1)
        shown = flat if summarize < 0 else flat[:summarize]
        parts.append(f"data: {np.array2string(shown, threshold=max(shown.size, 1))}")
        _LOG.info("print: %s", "  ".join(parts))
    return In
