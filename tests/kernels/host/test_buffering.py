"""small_buffers changes numpy's buffer size for its block only."""

import numpy as np
import pytest

from lite.kernels.host.buffering import small_buffers


def test_small_buffers_restore_the_size() -> None:
    before = np.getbufsize()

    with small_buffers():
        inside = np.getbufsize()

    assert inside < before
    assert np.getbufsize() == before


def test_small_buffers_restore_the_size_after_an_error() -> None:
    before = np.getbufsize()

    with pytest.raises(ValueError, match="broadcast"), small_buffers():
        np.add(np.zeros(2), np.zeros(3))

    assert np.getbufsize() == before
