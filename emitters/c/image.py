"""Sizes of a stored image."""

from __future__ import annotations

from lite.dataclass import dataclass
from lite.plugin.emitter import EmitValue


@dataclass(frozen=True)
class Image:
    """A stored image in NHWC."""

    images: int
    height: int
    width: int
    channels: int

    @classmethod
    def of(cls, value: EmitValue) -> Image:
        """The sizes of a value in NHWC."""
        n, h, w, c = value.shape
        return cls(n, h, w, c)
