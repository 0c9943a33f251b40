"""Which files make a model, and their bytes; every failure is a `ModelParseError` naming the path."""

from __future__ import annotations

import mmap
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from lite.errors import ModelParseError, suggest
from lite.model_parser.paddle.tensor_stream import Buffer

MODEL_NAMES = ("__model__", "model", "model.pdmodel", "inference.pdmodel")
PARAMS_NAMES = ("__params__", "params", "weights", "model.pdiparams", "inference.pdiparams")


def find_model(path: Path) -> Path:
    """The program's file: `path` itself, or the one that a directory holds under a known name."""
    if not os.path.isdir(path):
        return path
    for name in MODEL_NAMES:
        if os.path.isfile(path / name):
            return path / name
    names = _names_in(path)
    programs = [name for name in names if name.endswith(".pdmodel")]
    if len(programs) > 1:
        raise ModelParseError(
            f"{path}: {len(programs)} programs here: {', '.join(programs)}; name one as model_file"
        )
    pir = [name for name in names if name.endswith(".json")]
    if programs or len(pir) == 1:
        return path / (programs or pir)[0]
    raise ModelParseError(
        f"{path}: no Paddle program here; looked for {', '.join(MODEL_NAMES)}, *.pdmodel; "
        f"found {', '.join(names[:10]) or 'nothing'}"
    )


def find_params(model: Path, separate: Sequence[Path]) -> Path | None:
    """The combined parameters beside the program `model`; None when they are in separate files.

    `separate` is where the parameters' own files would be; one that exists goes before the less
    specific names.
    Raises `ModelParseError` listing what was looked for.
    """
    own = model.with_suffix(".pdiparams").name if model.suffix == ".pdmodel" else "__params__"
    if os.path.isfile(model.parent / own):
        return model.parent / own
    if any(map(os.path.isfile, separate)):
        return None
    for name in PARAMS_NAMES:
        if os.path.isfile(model.parent / name):
            return model.parent / name
    looked = dict.fromkeys((own, *PARAMS_NAMES))
    raise ModelParseError(
        f"{model}: the program has parameters, but none lie beside it; looked in {model.parent} for "
        f"{', '.join(looked)}{f' and {separate[0]} (separate form)' if separate else ''}; name the "
        "parameters as params_file"
    )


def size_of(path: Path) -> int:
    """Bytes of a regular file; anything else at `path`, or nothing, is an error."""
    try:
        info = os.stat(path)
    except FileNotFoundError:
        near = suggest(path.name, _names_in(path.parent)) if os.path.isdir(path.parent) else ""
        raise ModelParseError(f"{path}: no such file or directory{near}; check the path") from None
    except (OSError, ValueError) as error:
        raise ModelParseError(f"{path}: cannot be read: {error}") from error
    if stat.S_ISDIR(info.st_mode):
        raise ModelParseError(f"{path}: is a directory, expected a file; name the file in it")
    if not stat.S_ISREG(info.st_mode):
        raise ModelParseError(f"{path}: is not a regular file; save the model to one")
    return info.st_size


def read_file(path: Path, limit: int = -1) -> bytes:
    """The file's bytes, or its first `limit`."""
    size_of(path)
    try:
        with open(path, "rb") as file:
            return file.read(limit)
    except OSError as error:
        raise ModelParseError(f"{path}: cannot be read: {error.strerror}; check its permissions") from error


def map_file(path: Path) -> Buffer:
    """The file, mapped read-only: bytes come from the disk when they are touched."""
    if size_of(path) == 0:
        return b""  # nothing cannot be mapped
    try:
        with open(path, "rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise ModelParseError(f"{path}: cannot be mapped: {error.strerror}; check its permissions") from error
    except ValueError:
        raise ModelParseError(f"{path}: was emptied while it was opened; load it again") from None


def _names_in(directory: Path) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except OSError as error:
        raise ModelParseError(f"{directory}: cannot be listed: {error.strerror}") from error
