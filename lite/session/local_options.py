"""Options that name files, libraries or services of one machine: a model file does not store or set them.

An artifact brings the devices and passes of the Config that it was built with.  A file from a stranger must
not choose, by them, which library the process loads or where it writes.
"""

from __future__ import annotations

import dataclasses
import pathlib
import typing
from collections.abc import Callable

from lite.plugin.device import DEVICES, FileOption
from lite.plugin.loader import load_devices
from lite.spec.grammar import Spec, SpecValue, parse_spec

_PATH_TYPES = (pathlib.Path, FileOption)


def without_local_options(text: str) -> str:
    """The text of a device or pass without the options that name things of this machine.

    >>> without_local_options("openvino{hint=LATENCY, cache_dir=\\"/tmp/blobs\\"}")
    'openvino{hint=LATENCY}'
    """
    spec = parse_spec(text)
    portable = _portable(spec)
    return text if portable == spec else str(portable)


def check_portable(text: str) -> None:
    """Raise `ValueError` if a file may not name a device or pass with these options, at any depth."""
    _check_spec(parse_spec(text))


def _portable(spec: Spec) -> Spec:
    local = _is_local(spec.name)
    kept = ((key, _portable_value(value)) for key, value in spec.options if not local(key, value))
    return Spec(spec.name, tuple(kept))


def _portable_value(value: SpecValue) -> SpecValue:
    if isinstance(value, tuple):
        return tuple(map(_portable_value, value))
    if not isinstance(value, Spec):
        return value
    portable = _portable(value)
    return portable if portable.options else portable.name


def _check_spec(spec: Spec) -> None:
    local = _is_local(spec.name)
    for key, value in spec.options:
        if local(key, value):
            raise ValueError(f"{spec.name}: a model file may not set {key}; name the device in the Config")
        _check_value(value)


def _check_value(value: SpecValue) -> None:
    if isinstance(value, Spec):
        _check_spec(value)
    elif isinstance(value, tuple):
        for item in value:
            _check_value(item)
    elif isinstance(value, str) and "{" in value:
        _check_spec(parse_spec(value))


def _is_local(name: str) -> Callable[[str, SpecValue], bool]:
    """Whether an option of a device, with its value, is local; none of a pass or of a missing device is."""
    load_devices(name)
    cls = DEVICES.find(name)
    if cls is None:
        return lambda *_: False
    hints = typing.get_type_hints(cls.Options)
    paths = (field.name for field in dataclasses.fields(cls.Options) if _names_a_file(hints[field.name]))
    local = {*cls.local_options, *paths}
    return lambda key, value: key in local or _has_slash(value)


def _has_slash(value: SpecValue) -> bool:
    if isinstance(value, tuple):
        return any(map(_has_slash, value))
    return isinstance(value, str) and ("/" in value or "\\" in value)


def _names_a_file(hint: object) -> bool:
    return hint in _PATH_TYPES or any(map(_names_a_file, typing.get_args(hint)))
