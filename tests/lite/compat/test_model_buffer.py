"""Buffers with their sizes."""

from __future__ import annotations

import pytest

from lite.compat.model_buffer import first_bytes
from lite.errors import ConfigError


def test_only_so_many_bytes_count() -> None:
    assert first_bytes("model", b"abc", 2) == b"ab"
    assert first_bytes("model", b"abc", 3) == b"abc"
    assert first_bytes("model", b"", 0) == b""


@pytest.mark.parametrize("size", [-1, 4])
def test_a_size_that_cannot_be(size: int) -> None:
    with pytest.raises(
        ConfigError, match=f"set_model_buffer: model has 3 bytes, its size is given as {size}"
    ):
        first_bytes("model", b"abc", size)
