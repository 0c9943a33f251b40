"""The version that deployed code asks for."""

from __future__ import annotations

from lite import __version__

PADDLE_LITE_VERSION = "2.13"
"""The release of Paddle-Lite whose Python API this follows."""


def get_version() -> str:
    """The API's version and the engine's."""
    return f"v{PADDLE_LITE_VERSION} (litebridge {__version__})"
