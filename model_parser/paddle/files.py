"""The files of a model: their names, the kind of their content, and their bytes.

Every failure is a `ModelParseError` that names the path.
"""

from __future__ import annotations

import enum
import os
import stat
from collections.abc import Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath

from lite.errors import ModelParseError, suggest
from lite.model_parser.paddle.tensor_stream import Buffer, read_header
from lite.plugin.format import map_regular, open_regular

PREFIX = 4096
"""`detect_content` needs no more bytes than these."""

MODEL_NAMES = ("__model__", "model", "model.pdmodel", "inference.pdmodel", "inference.json", "model.json")
PARAMS_NAMES = ("__params__", "params", "weights", "model.pdiparams", "inference.pdiparams")

_BLOCK = 0x0A  # ProgramDesc.blocks
_IDX, _PARENT_IDX = 0x08, 0x10  # BlockDesc.idx, BlockDesc.parent_idx


class Content(enum.Enum):
    """The kind of content of a file or buffer."""

    EMPTY = "is empty"
    PROGRAM = "is a Paddle program"
    PARAMS = "is a Paddle parameter stream"
    PIR = "is a PIR program in JSON"
    OTHER = "is neither a Paddle program nor a parameter stream"


def detect_content(prefix: Buffer) -> Content:
    """The kind of content that begins with `prefix`: all of the bytes, or the first `PREFIX`."""
    if len(prefix) == 0:
        return Content.EMPTY
    if _is_pir(prefix):
        return Content.PIR
    if _is_program(prefix):
        return Content.PROGRAM
    return Content.PARAMS if _is_stream(prefix) else Content.OTHER


def check_is_program(prefix: Buffer, source: str) -> None:
    """Raise `ModelParseError` where the content is clearly not a program, before all of it is read."""
    content = detect_content(prefix)
    if content not in (Content.EMPTY, Content.PARAMS):
        return  # protobuf may have a better message for OTHER
    advice = {
        Content.EMPTY: "copy or export the model again",
        Content.PARAMS: "were the model and params files swapped?",
    }
    raise ModelParseError(f"{source}: {content.value}, expected a Paddle program; {advice[content]}")


def find_model(path: Path) -> Path:
    """The program's file: `path` itself, or the file with a known name in the directory `path`."""
    if not os.path.isdir(path):
        return path
    for name in MODEL_NAMES:
        if os.path.isfile(path / name):
            return path / name
    names = _list_directory(path)
    programs = [name for name in names if name.endswith(".pdmodel")]
    if len(programs) > 1:
        raise ModelParseError(
            f"{path}: {len(programs)} programs here: {', '.join(programs)}; name one as model_file"
        )
    pir = [name for name in names if name.endswith(".json")]
    if programs or len(pir) == 1:
        return path / (programs or pir)[0]
    raise ModelParseError(
        f"{path}: no Paddle program here; looked for {', '.join(MODEL_NAMES)}, *.pdmodel, *.json; "
        f"found {', '.join(names[:10]) or 'nothing'}"
    )


def find_params(model: Path, separate: Sequence[Path]) -> Path | None:
    """The combined parameter file beside the program `model`; None when each parameter has its own file.

    `separate` are the paths of the separate files.  One that exists takes precedence over a combined file
    without the program's name.  Raises `ModelParseError` that lists the names it looked for.
    """
    has_own = model.suffix in (".pdmodel", ".json")
    own = model.with_suffix(".pdiparams").name if has_own else "__params__"
    if os.path.isfile(model.parent / own):
        return model.parent / own
    if any(map(os.path.isfile, separate)):
        return None
    for name in PARAMS_NAMES:
        if os.path.isfile(model.parent / name):
            return model.parent / name
    looked = dict.fromkeys((own, *PARAMS_NAMES))
    raise ModelParseError(
        f"{model}: the program has parameters, but there is no parameter file beside it; looked in "
        f"{model.parent} for {', '.join(looked)}"
        f"{f' and {separate[0]} (separate form)' if separate else ''}; name the parameters as params_file"
    )


def separate_file(directory: Path, name: str) -> Path:
    """The separate file of the parameter `name`; slashes in the name are sub-folders of `directory`.

    Raises `ModelParseError` for a name that leads out of the directory, on any operating system.
    """
    posix, windows = PurePosixPath(name), PureWindowsPath(name)
    escapes = posix.is_absolute() or windows.root or ".." in posix.parts or ".." in windows.parts
    if escapes or (os.name == "nt" and windows.drive) or "\0" in name or not posix.parts:
        raise ModelParseError(
            f"{directory}: the variable name {name!r} is not a path inside the model's directory, so it "
            "cannot have a parameter file of its own; use one combined parameter file"
        )
    return directory / name


def file_size(path: Path) -> int:
    """The size in bytes; raises `ModelParseError` where `path` is not a regular file."""
    try:
        info = os.stat(path)
    except FileNotFoundError:
        near = suggest(path.name, _list_directory(path.parent)) if os.path.isdir(path.parent) else ""
        raise ModelParseError(f"{path}: no such file or directory{near}; check the path") from None
    except (OSError, ValueError) as error:
        raise ModelParseError(f"{path}: cannot be read: {error}") from error
    if stat.S_ISDIR(info.st_mode):
        raise ModelParseError(f"{path}: is a directory, expected a file; name the file in it")
    if not stat.S_ISREG(info.st_mode):
        raise ModelParseError(f"{path}: is not a regular file; save the model to one")
    return info.st_size


def read_file(path: Path, limit: int = -1) -> bytes:
    """The bytes of the file, or its first `limit` bytes."""
    file_size(path)
    try:
        with open_regular(path) as file:
            return file.read(limit)
    except OSError as error:
        raise ModelParseError(f"{path}: cannot be read: {error.strerror}; check its permissions") from error


def map_file(path: Path) -> Buffer:
    """The file, mapped or copied as `map_regular` does."""
    file_size(path)
    try:
        return map_regular(path)
    except OSError as error:
        raise ModelParseError(f"{path}: cannot be mapped: {error.strerror}; check its permissions") from error


def _list_directory(directory: Path) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except OSError as error:
        raise ModelParseError(f"{directory}: cannot be listed: {error.strerror}") from error


def _is_pir(prefix: Buffer) -> bool:
    text = prefix[:PREFIX].lstrip(b"\xef\xbb\xbf \t\r\n")
    return text.startswith(b"{") and b'"base_code"' in text


def _is_program(prefix: Buffer) -> bool:
    """Whether a block comes first, and in it its index and parent, as every serialiser writes them."""
    if prefix[0] != _BLOCK:
        return False
    position = _skip_varint(prefix, 1)
    for tag in (_IDX, _PARENT_IDX):
        if position >= len(prefix):
            return position > 1 and len(prefix) < PREFIX
        if prefix[position] != tag:
            return False
        position = _skip_varint(prefix, position + 1)
    return True


def _skip_varint(prefix: Buffer, position: int) -> int:
    while position < len(prefix) and prefix[position] & 0x80:
        position += 1
    return position + 1


def _is_stream(prefix: Buffer) -> bool:
    try:
        read_header(prefix, 0)
    except ModelParseError:
        return False
    return True
