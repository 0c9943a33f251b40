"""The folder in which code blocks of pages run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lite.compat import onnxruntime, paddle_inference, paddlelite
from tests.support.user_ops import temporary_ops


@contextmanager
def page_folder(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """`path` as the current folder; ops and stand-ins that a page registers are removed at the end."""
    monkeypatch.chdir(path)
    # A page may install the stand-in for ONNX Runtime, which is refused beside the real one.
    for name in [each for each in sys.modules if each.partition(".")[0] == "onnxruntime"]:
        monkeypatch.delitem(sys.modules, name)
    with temporary_ops():
        yield path
    paddle_inference.uninstall()
    paddlelite.uninstall()
    onnxruntime.uninstall()
