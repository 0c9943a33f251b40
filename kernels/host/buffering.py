"""Keeps numpy from copying operands into its buffers in broadcast operations."""

from __future__ import annotations

from contextlib import AbstractContextManager
from types import TracebackType

import numpy as np

_ELEMENTS = 512


class _SmallBuffers(AbstractContextManager[None]):
    def __enter__(self) -> None:
        self._before = np.setbufsize(_ELEMENTS)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        np.setbufsize(self._before)


def small_buffers() -> AbstractContextManager[None]:
    """Run with small ufunc buffers, which numpy allocates for each operation, in this thread.

    Since 2.3 numpy copies rows of up to 2048 elements into its buffers to make longer inner loops, even
    where no operand needs a cast, which takes three times as long as looping over the rows themselves.
    """
    return _SmallBuffers()
