"""Packages that only some uses need, and the extra of litebridge that installs each."""

from __future__ import annotations

import importlib.util

from lite.errors import PluginError


def require(package: str, extra: str, use: str) -> None:
    """Raise `PluginError` with the command that installs a package, if it is not there.

    `use` says what needs it, as in "reading ONNX models".  Call it before the import, which is slow.
    """
    if importlib.util.find_spec(package) is None:
        raise missing(package, extra, use)


def missing(package: str, extra: str, use: str) -> PluginError:
    """The error about a package that is not installed."""
    return PluginError(f"{use} needs the package {package}; run: pip install 'litebridge[{extra}]'")
