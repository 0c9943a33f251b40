"""Arrays written down in tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.plugin.kernel import Array


def float32(values: Any) -> Array:
    """Nested lists of numbers as float32."""
    return np.array(values, np.float32)
