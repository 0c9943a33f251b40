"""The versions that a program asks for."""

from __future__ import annotations

import lite
from lite.compat.paddle_inference import get_trt_compile_version, get_trt_runtime_version, get_version


def test_versions_name_paddle_and_litebridge_and_no_tensorrt() -> None:
    assert get_version() == f"version: 3.3.1\nengine: litebridge {lite.__version__}\n"
    assert get_trt_compile_version() == get_trt_runtime_version() == (0, 0, 0)
