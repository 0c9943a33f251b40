"""Fill colours of nested graphs and regions."""

from __future__ import annotations

import colorsys

_DEVICE_HUES = (0.58, 0.08, 0.36, 0.92, 0.75, 0.48)
_BLOCK_HUES = (0.62, 0.12, 0.30, 0.95, 0.80, 0.50)
_GOLDEN_RATIO = 0.618034


def block_color(index: int) -> str:
    """The colour of the nested graph number `index` of a picture, as ``#rrggbb``."""
    return _rgb(_hue(_BLOCK_HUES, index), 0.93, 0.7)


def region_color(device: int, index: int) -> str:
    """The colour of region number `index` of device number `device`, as ``#rrggbb``.

    Regions of one device share a hue and differ in lightness.
    """
    return _rgb(_hue(_DEVICE_HUES, device), (0.90, 0.85, 0.80)[index % 3], 0.65)


def _hue(hues: tuple[float, ...], index: int) -> float:
    return hues[index] if index < len(hues) else (index * _GOLDEN_RATIO) % 1


def _rgb(hue: float, lightness: float, saturation: float) -> str:
    red, green, blue = colorsys.hls_to_rgb(hue, lightness, saturation)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"
