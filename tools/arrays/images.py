"""Inputs that are images: read from a file, or drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lite.errors import ConfigError, InputError
from lite.ir.types import Array, DType

SUFFIXES = (".jpg", ".jpeg", ".png", ".bmp", ".gif", ".webp", ".ppm", ".tif", ".tiff")
"""The names of image files end with one of these."""

MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""What floats of three channels are normalised by, for numbers from 0 to 1, as most networks are trained."""

CHANNELS = (1, 3)
MIN_SIDE = 16
STEP = 32
"""The sides of a file's image are rounded to a multiple of this, where the model leaves them open."""


def is_image(shape: Sequence[int | str] | None, dtype: DType | None) -> bool:
    """Whether an input of this shape is an image: [N, C, H, W] or [N, H, W, C] with 1 or 3 channels."""
    if shape is None or len(shape) != 4 or (dtype is not None and not (dtype.is_float or dtype.is_integer)):
        return False
    sides = shape[1:3] if _channels_last(shape) else shape[2:]
    channels = shape[3] if _channels_last(shape) else shape[1]
    return channels in CHANNELS and all(isinstance(side, str) or side >= MIN_SIDE for side in sides)


def drawn_image(shape: Sequence[int], dtype: DType, seed: Sequence[int]) -> Array:
    """Discs and strokes on a light ground that gets darker to one side, as an input of a network."""
    generator = np.random.default_rng(seed)
    last = _channels_last(shape)
    height, width = shape[1:3] if last else shape[2:]
    y, x = np.mgrid[:height, :width]
    pictures = []
    for _ in range(shape[0]):
        picture = np.empty((height, width, 3))
        picture[:] = (0.95 - 0.35 * (x / width + y / height) / 2)[..., None]
        for _ in range(6):
            middle = generator.uniform(0, 1, 2) * (height, width)
            radius = generator.uniform(0.05, 0.25) * min(height, width)
            picture[(y - middle[0]) ** 2 + (x - middle[1]) ** 2 < radius**2] = generator.uniform(0.1, 0.9, 3)
        for _ in range(max(8, height * width // 1500)):
            top, left = generator.integers(0, height), generator.integers(0, width)
            size = generator.integers(2, 3 + min(height, width) // 16, 2)
            picture[top : top + size[0], left : left + size[1]] = generator.uniform(0, 0.4)
        pictures.append(picture)
    return _as_input(np.stack(pictures), shape[3] if last else shape[1], dtype, last)


def read_image(path: Path, shape: Sequence[int | str] | None, dtype: DType, name: str) -> Array:
    """An image file in the shape of an input: RGB or grey, resized; floats are normalised, integers not.

    Open sizes become those of the file, rounded to `STEP`.  Raises `ConfigError` without Pillow, and
    `InputError` for a file that is no image and for an input that takes none.
    """
    if not is_image(shape, dtype) or shape is None:
        found = "any shape" if shape is None else list(shape)
        raise InputError(f"input {name!r}: {path} is an image, but the input has {found}, not [N, C, H, W]")
    try:
        from PIL import Image
    except ImportError as error:
        raise ConfigError(f"{path}: reading images needs Pillow; run pip install pillow") from error
    last = _channels_last(shape)
    sides = shape[1:3] if last else shape[2:]
    channels = shape[3] if last else shape[1]
    try:
        with Image.open(path) as image:
            full = image.convert("RGB")
            own = (full.height, full.width)
            height, width = (
                max(STEP, round(side / STEP) * STEP) if isinstance(open_side, str) else open_side
                for side, open_side in zip(own, sides, strict=True)
            )
            pixels = np.asarray(full.resize((width, height)), np.float64) / 255
    except FileNotFoundError as error:
        raise InputError(f"input {name!r}: {path}: no such file; check the path") from error
    except OSError as error:
        raise InputError(f"input {name!r}: {path} cannot be read as an image: {error}") from error
    count = shape[0] if isinstance(shape[0], int) else 1
    return _as_input(np.repeat(pixels[None], count, axis=0), channels, dtype, last)


def _channels_last(shape: Sequence[int | str]) -> bool:
    return shape[1] not in CHANNELS and shape[3] in CHANNELS


def _as_input(pictures: Array, channels: int | str, dtype: DType, last: bool) -> Array:
    """Numbers from 0 to 1 in [N, H, W, 3] as an input."""
    if channels == 1:
        pictures = pictures.mean(axis=3, keepdims=True)
    if dtype.is_float:
        mean, deviation = (MEAN, DEVIATION) if channels == 3 else (0.5, 0.5)
        pictures = (pictures - mean) / deviation
    else:
        pictures = np.rint(pictures * 255).clip(0, 127 if dtype is DType.INT8 else 255)
    ordered = pictures if last else pictures.transpose(0, 3, 1, 2)
    return np.ascontiguousarray(ordered.astype(dtype.numpy))
