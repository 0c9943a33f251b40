"""Versions that deployed code asks for."""

from __future__ import annotations

from lite import __version__

PADDLE_VERSION = "2.6.2"
"""The release of Paddle whose inference API this follows."""


def get_version() -> str:
    """The API's version and the engine's, a line each."""
    return f"version: {PADDLE_VERSION}\nengine: litebridge {__version__}\n"


def get_trt_compile_version() -> tuple[int, int, int]:
    """TensorRT at build time: (0, 0, 0), Paddle's answer without TensorRT."""
    return (0, 0, 0)


def get_trt_runtime_version() -> tuple[int, int, int]:
    """TensorRT at run time: (0, 0, 0), Paddle's answer without TensorRT."""
    return (0, 0, 0)
