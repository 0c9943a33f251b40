"""What `litebridge run` feeds: arrays from files, or made up."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from lite.errors import InputError
from lite.ir.types import Array, DType, is_known, shape_text
from lite.session.handles import InputHandle
from lite.session.predictor import Predictor

MADE_UP = ("random", "zeros", "ones")
"""Sources that need a shape only."""


def make_feeds(
    predictor: Predictor,
    sources: Mapping[str, str],
    shapes: Mapping[str, tuple[int, ...]],
    recorded: Mapping[str, Array],
    seed: int,
) -> dict[str, Array]:
    """An array for every input: from its source, else as `recorded`, else random.

    Random floats are standard normal, whole numbers and booleans 0 or 1: a valid index of anything.
    The same seed gives an input the same elements whatever the others are.

    Raises `InputError` for a name that is no input, a file that holds no array for it, and sizes that
    nobody says.
    """
    for name in (*sources, *shapes, *recorded):
        predictor.get_input(name)
    feeds: dict[str, Array] = {}
    for position, name in enumerate(predictor.input_names):
        if name in recorded and name not in sources and name not in shapes:
            feeds[name] = recorded[name]
            continue
        source = sources.get(name, "random")
        if source in MADE_UP:
            handle = predictor.get_input(name)
            feeds[name] = _made_up(source, handle, shapes.get(name), (seed, position))
        elif name in shapes:
            raise InputError(f"input {name!r}: --shape is for made-up elements, {source} has its own shape")
        else:
            feeds[name] = read_array(Path(source), name)
    return feeds


def read_arrays(path: Path) -> dict[str, Array]:
    """All arrays of an .npz file; raises `InputError` when it is none."""
    loaded = _load(path)
    if isinstance(loaded, np.ndarray):
        raise InputError(f"{path}: expected an .npz file with several arrays, got a single array")
    return loaded


def read_array(path: Path, name: str) -> Array:
    """The array of an .npy file, or the one called `name`, or the only one, of an .npz file."""
    loaded = _load(path)
    if isinstance(loaded, np.ndarray):
        return loaded
    if name in loaded:
        return loaded[name]
    if len(loaded) == 1:
        return next(iter(loaded.values()))
    raise InputError(f"{path}: no array is called {name!r}; it has {', '.join(loaded) or 'none'}")


def _load(path: Path) -> Array | dict[str, Array]:
    if path.suffix not in (".npy", ".npz"):
        raise InputError(f"{str(path)!r}: expected {', '.join(MADE_UP)}, or an .npy or .npz file")
    try:
        with path.open("rb") as file:
            loaded = np.load(file, allow_pickle=False)
            return loaded if isinstance(loaded, np.ndarray) else dict(loaded)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error


def _made_up(source: str, handle: InputHandle, sizes: tuple[int, ...] | None, seed: tuple[int, int]) -> Array:
    shape = handle.shape if sizes is None else sizes
    if shape is None or not is_known(shape):
        raise InputError(
            f"input {handle.name!r} is {handle.dtype or 'of any dtype'}{shape_text(shape)}: the model leaves "
            f"sizes open; say them, as in --shape {handle.name}={_example(shape)}, "
            f"or give --input {handle.name}=FILE"
        )
    dtype = handle.dtype or DType.FLOAT32
    if dtype is DType.STRING:
        raise InputError(f"input {handle.name!r} holds strings; give --input {handle.name}=FILE")
    dims = tuple(int(dim) for dim in shape)
    if source == "random":
        return _random(dims, dtype, np.random.default_rng(seed))
    return np.full(dims, source == "ones", dtype.numpy)


def _random(shape: tuple[int, ...], dtype: DType, generator: np.random.Generator) -> Array:
    if dtype.is_integer or dtype is DType.BOOL:
        return generator.integers(0, 2, shape).astype(dtype.numpy)
    return np.asarray(generator.standard_normal(shape)).astype(dtype.numpy)


def _example(shape: tuple[int | str, ...] | None) -> str:
    return "1,3,224,224" if shape is None else ",".join("1" if isinstance(d, str) else str(d) for d in shape)
