"""Execution providers, which are devices of litebridge here."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from lite.compat.onnxruntime.environment import current_settings, warn_ignored
from lite.compat.onnxruntime.errors import InvalidArgument
from lite.errors import suggest
from lite.plugin.device.opening import facts_of, open_device
from lite.session.devices import in_its_process

CPU = "CPUExecutionProvider"

DEVICES = {
    "OpenVINOExecutionProvider": "openvino",
    "QNNExecutionProvider": "qnn",
    "CoreMLExecutionProvider": "coreml",
    "RknpuExecutionProvider": "rknn",
}
"""Providers → devices, in the order of `get_available_providers`."""

_OPTIONS = {
    ("openvino", "device_type"): "device",
    ("openvino", "precision"): "precision",
    ("openvino", "num_streams"): "streams",
    ("openvino", "cache_dir"): "cache_dir",
    ("qnn", "soc_model"): "soc_model",
    ("qnn", "htp_arch"): "htp_arch",
}
"""Devices and options of providers → options of the device; others have no effect."""

_OPENVINO_PRECISIONS = {"FP32": "f32", "FP16": "f16", "ACCURACY": "f32"}

_READ_ONNXRUNTIME = {"onnxruntime", "qnn"}
"""Devices that import the real package, which they find in a process of their own only."""

Choice = tuple[str, dict[str, str]]
"""A provider and its options."""


def get_all_providers() -> list[str]:
    """The providers that stand for devices, and the CPU."""
    return [*DEVICES, CPU]


def get_available_providers() -> list[str]:
    """The providers of the devices of `install`, if they can be used on this machine, and the CPU.

    A program that uses every available provider runs on the CPU, unless `install` names devices.
    """
    installed = {text.partition("{")[0] for text in current_settings().devices}
    return [
        *(name for name, device in DEVICES.items() if device in installed and _is_usable(device)),
        CPU,
    ]


def chosen(
    providers: Sequence[str | tuple[str, Mapping[str, Any]]] | None,
    provider_options: Sequence[Mapping[str, Any]] | None,
) -> list[Choice]:
    """The requested providers whose devices can be used on this machine, with the CPU at the end.

    Warns of each other one, as ONNX Runtime does.  None stands for the CPU.  Raises `InvalidArgument` for
    arguments of a wrong form.
    """
    requested = _pairs(providers, provider_options)
    found: dict[str, dict[str, str]] = {}
    for name, options in requested:
        if name == CPU or (name in DEVICES and _is_usable(DEVICES[name])):
            found.setdefault(name, options)
            continue
        warnings.warn(
            f"Specified provider '{name}' is not in available provider names: {_why_not(name)}. "
            f"Available providers: '{', '.join(get_available_providers())}'",
            UserWarning,
            stacklevel=4,
        )
    found.setdefault(CPU, {})
    return list(found.items())


def device_texts(choices: Sequence[Choice]) -> tuple[str, ...]:
    """The devices of these providers, as in `lite.Config`, then those of `install`."""
    own = [_text(DEVICES[name], options) for name, options in choices if name in DEVICES]
    named = {text.partition("{")[0] for text in own}
    more = [text for text in current_settings().devices if text.partition("{")[0] not in named]
    return (*own, *more)


def needs_processes(devices: Sequence[str]) -> bool:
    """Whether one of the devices imports the real ``onnxruntime``."""
    return any(text.partition("{")[0] in _READ_ONNXRUNTIME for text in devices)


def _pairs(
    providers: Sequence[str | tuple[str, Mapping[str, Any]]] | None,
    provider_options: Sequence[Mapping[str, Any]] | None,
) -> list[Choice]:
    if isinstance(providers, str):
        raise InvalidArgument(
            f"providers: expected a list, got the string {providers!r}; write [{providers!r}]"
        )
    names = [] if providers is None else list(providers)
    more = [{}] * len(names) if provider_options is None else list(provider_options)
    if len(more) != len(names):
        raise InvalidArgument(
            f"providers and provider_options must have equal length, got {len(names)} and {len(more)}"
        )
    pairs: list[Choice] = []
    for entry, options in zip(names, more, strict=True):
        name, own = (entry, options) if isinstance(entry, str) else (entry[0], {**options, **entry[1]})
        pairs.append((name, {str(key): str(value) for key, value in own.items()}))
    return pairs


def _text(device: str, options: Mapping[str, str]) -> str:
    known: dict[str, str] = {}
    for key, value in options.items():
        own = _OPTIONS.get((device, key))
        if own is None:
            warn_ignored(f"the provider option {key!r}", f"the device {device!r} has no such option")
            continue
        known[own] = _OPENVINO_PRECISIONS.get(value.upper(), value) if own == "precision" else value
    inner = ",".join(f"{key}={value}" for key, value in known.items())
    return f"{device}{{{inner}}}" if inner else device


def _why_not(provider: str) -> str:
    """Why a provider cannot be used."""
    if provider in DEVICES:
        return f"device {DEVICES[provider]}: {_device_why_not(DEVICES[provider])}"
    return f"no device of litebridge stands for it{suggest(provider, get_all_providers())}"


def _is_usable(device: str) -> bool:
    return _device_why_not(device) is None


@functools.cache
def _device_why_not(device: str) -> str | None:
    isolate = needs_processes([device])
    return facts_of(in_its_process(open_device(device), device, isolate=isolate)).why_not
