"""Keeps numpy from copying operands into its buffers in broadcast operations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

_ELEMENTS = 512


@contextmanager
def small_buffers() -> Iterator[None]:
    """Run with small ufunc buffers, in this thread.

    Since 2.3 numpy copies rows of up to 2048 elements into its buffers to make longer inner loops, even
    where no operand needs a cast, which takes three times as long as looping over the rows themselves.
    """
    before = np.setbufsize(_ELEMENTS)
    try:
        yield
    finally:
        np.setbufsize(before)
