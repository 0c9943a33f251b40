"""The inputs of a run: arrays from files, recorded arrays, or generated ones."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from lite.errors import InputError
from lite.ir.types import Array, DType, is_known, shape_text
from lite.session.handles import InputHandle
from lite.session.predictor import Predictor
from lite.tools.arrays.files import read_array
from lite.tools.arrays.images import SUFFIXES, drawn_image, is_image, read_image

log = logging.getLogger(__name__)

GENERATORS = ("random", "zeros", "ones", "image")
"""The sources that need only a shape."""

SIDE = 224
"""The height and width of an image where the model leaves them open."""


def make_feeds(
    predictor: Predictor,
    sources: Mapping[str, str],
    shapes: Mapping[str, tuple[int, ...]],
    recorded: Mapping[str, Array],
    seed: int,
    *,
    draws: bool = False,
) -> dict[str, Array]:
    """An array for each input: from its source, else the recorded one, else random.

    Random floats have a standard normal distribution; random integers and booleans are 0 or 1, so that
    they are valid indices.  With `draws`, an input that can be an image is one, drawn, instead of random.
    The elements of an input depend only on the seed and the input's position.

    The open sizes of an image are `SIDE`, and 1 for the batch, with a line in the log.

    Raises `InputError` for a name that is not an input, a file without an array for the input, and an
    unknown size of a generated input that is no image.
    """
    for name in (*sources, *shapes, *recorded):
        predictor.get_input(name)
    feeds: dict[str, Array] = {}
    for position, name in enumerate(predictor.input_names):
        if name in recorded and name not in sources and name not in shapes:
            feeds[name] = recorded[name]
            continue
        handle = predictor.get_input(name)
        can_be_image = is_image(shapes.get(name, handle.shape), handle.dtype)
        source = sources.get(name, "image" if draws and can_be_image else "random")
        if source in GENERATORS:
            sizes = shapes.get(name)
            if sizes is None and can_be_image:
                sizes = _image_sizes(handle)
            feeds[name] = _generate(source, handle, sizes, (seed, position))
        elif source.lower().endswith(SUFFIXES):
            dtype = handle.dtype or DType.FLOAT32
            feeds[name] = read_image(Path(source), shapes.get(name, handle.shape), dtype, name)
        elif name in shapes:
            raise InputError(
                f"input {name!r}: --shape needs one of {', '.join(GENERATORS)}; {source} has its own shape"
            )
        elif source.endswith((".npy", ".npz")):
            feeds[name] = read_array(Path(source), name)
        else:
            raise InputError(
                f"input {name!r}: expected {', '.join(GENERATORS)}, an .npy or .npz file or an image, "
                f"got {source!r}"
            )
    return feeds


def _image_sizes(handle: InputHandle) -> tuple[int, ...] | None:
    """The shape of an image whose open sizes are filled in; None where none is open."""
    shape = handle.shape
    if shape is None or is_known(shape):
        return None
    batch, *sides = shape
    sizes = (1 if isinstance(batch, str) else batch, *(SIDE if isinstance(d, str) else d for d in sides))
    text = ",".join(map(str, sizes))
    log.info(
        "input %r is %s: %s is taken; --shape %s=… chooses other sizes",
        handle.name,
        shape_text(shape),
        text,
        handle.name,
    )
    return sizes


def _generate(
    source: str, handle: InputHandle, sizes: tuple[int, ...] | None, seed: tuple[int, int]
) -> Array:
    shape = handle.shape if sizes is None else sizes
    if shape is None or not is_known(shape):
        raise InputError(
            f"input {handle.name!r} is {handle.dtype or 'of any dtype'}{shape_text(shape)}: the model leaves "
            f"sizes open; give a shape, such as --shape {handle.name}={_example(shape)}, or an array, "
            f"--input {handle.name}=FILE"
        )
    dtype = handle.dtype or DType.FLOAT32
    if dtype is DType.STRING:
        raise InputError(f"input {handle.name!r} holds strings; give an array, --input {handle.name}=FILE")
    dims = tuple(int(dim) for dim in shape)
    if source == "image":
        if not is_image(dims, dtype):
            raise InputError(
                f"input {handle.name!r}: an image is [N, C, H, W] or [N, H, W, C] with 1 or 3 channels, the "
                f"input is {list(dims)}"
            )
        return drawn_image(dims, dtype, seed)
    if source == "random":
        return _random(dims, dtype, np.random.default_rng(seed))
    return np.full(dims, source == "ones", dtype.numpy)


def _random(shape: tuple[int, ...], dtype: DType, generator: np.random.Generator) -> Array:
    if dtype.is_integer or dtype is DType.BOOL:
        return generator.integers(0, 2, shape).astype(dtype.numpy)
    return np.asarray(generator.standard_normal(shape)).astype(dtype.numpy)


def _example(shape: tuple[int | str, ...] | None) -> str:
    return "1,3,224,224" if shape is None else ",".join("1" if isinstance(d, str) else str(d) for d in shape)
