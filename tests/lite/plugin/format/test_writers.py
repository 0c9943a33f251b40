"""Model writers: found by their decorator, one per format."""

from __future__ import annotations

import pytest

from lite.errors import PluginError
from lite.plugin.format import MODEL_WRITERS, model_writer
from lite.plugin.loader import load_writers


def test_onnx_is_written() -> None:
    load_writers()

    assert "onnx" in MODEL_WRITERS
    assert MODEL_WRITERS.get("onnx").suffix == ".onnx"


def test_a_format_has_one_writer() -> None:
    load_writers()

    with pytest.raises(PluginError, match="model writer onnx is registered twice"):
        model_writer("onnx")(type(MODEL_WRITERS.get("onnx")))
