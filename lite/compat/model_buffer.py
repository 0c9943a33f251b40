"""Models given as bytes with their sizes, as interfaces of C++ do."""

from __future__ import annotations

from lite.errors import ConfigError


def first_bytes(name: str, data: bytes, size: int) -> bytes:
    """The first `size` bytes of the buffer `name`; raises `ConfigError` where it has fewer."""
    if not 0 <= size <= len(data):
        raise ConfigError(f"set_model_buffer: {name} has {len(data)} bytes, its size is given as {size}")
    return data[:size]
