"""Loads functions from users' scripts, as SCRIPT.py:function, and calls them."""

from __future__ import annotations

import importlib.util
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from lite.errors import ConfigError, InputError, suggest

T = TypeVar("T")


def is_function_path(text: str) -> bool:
    """Whether a text has the form SCRIPT.py:function."""
    path, colon, name = text.rpartition(":")
    return bool(colon) and path.endswith(".py") and name.isidentifier()


def load_function(text: str) -> Callable[..., object]:
    """The function that SCRIPT.py:function names; runs the script.

    Raises `ConfigError` for a missing script or function, and for an exception of the script.
    """
    path, _, name = text.rpartition(":")
    file = Path(path)
    if not file.is_file():
        raise ConfigError(f"{text}: there is no script {path!r}; expected SCRIPT.py:function")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{text}: {path!r} is not a Python script; expected SCRIPT.py:function")
    module, loader = importlib.util.module_from_spec(spec), spec.loader
    at_script(text, lambda: loader.exec_module(module))
    found = vars(module).get(name)
    if not callable(found):
        names = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        near = suggest(name, names)
        raise ConfigError(
            f"{text}: the script has no function {name!r}{near}; it has {', '.join(names) or 'none'}"
        )
    function: Callable[..., object] = found
    return function


def at_script(what: str, call: Callable[[], T]) -> T:
    """Call a user's code; its exceptions become an `InputError` that names the file and the line.

    A KeyboardInterrupt passes through.
    """
    try:
        return call()
    except (Exception, SystemExit) as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(frame.filename).name}, line {frame.lineno}"
        raise InputError(f"{what} failed at {where}: {type(error).__name__}: {error}") from error


def items_of(what: str, iterator: Iterator[T]) -> Iterator[T]:
    """The items of a user's iterator, whose exceptions become an `InputError`."""
    end = object()
    while True:
        item = at_script(what, lambda: next(iterator, end))
        if item is end:
            return
        yield item  # type: ignore[misc]
