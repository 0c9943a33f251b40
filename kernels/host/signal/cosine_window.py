"""cosine_window on the host."""

from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.plugin.kernel import Array, kernel


@kernel("cosine_window")
def cosine_window(Size: Array, *, coefficients: Sequence[float], periodic: bool, dtype: int) -> Array:
    """Σ coefficients[k] · cos(2πkn / N) for n below Size; N is Size if periodic, else Size - 1."""
    size = int(Size.reshape(-1)[0])
    angles = np.arange(size) * (2 * np.pi / max(size if periodic else size - 1, 1))
    window = sum((c * np.cos(k * angles) for k, c in enumerate(coefficients)), np.zeros(size))
    return np.asarray(window).astype(DType.from_code(dtype).numpy)
