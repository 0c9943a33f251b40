"""The part of ``paddle.device`` that inference code asks: what hardware is there."""

# ruff: noqa: ARG001 - the arguments are Paddle's

from __future__ import annotations

from lite.compat.paddle_inference.notice import warn_once

_CPU = "cpu"


def is_compiled_with_cuda() -> bool:
    """Always False."""
    return False


def is_compiled_with_rocm() -> bool:
    """Always False."""
    return False


def is_compiled_with_xpu() -> bool:
    """Always False."""
    return False


def is_compiled_with_custom_device(device_type: str) -> bool:
    """Always False."""
    return False


def get_device() -> str:
    """Always ``"cpu"``."""
    return _CPU


def set_device(device: str) -> str:
    """Accepted, with a warning for anything but ``"cpu"``; the device that holds."""
    if device != _CPU:
        warn_once(f"set_device({device!r})", "name devices when installing: install(devices=[…])")
    return _CPU


def device_count() -> int:
    """CUDA devices: none."""
    return 0
