"""Weights of shapes that numpy cannot hold, although they have no element, are refused in each format."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import DType
from lite.model_parser.paddlelite_nb.flat_parameters import stored_weight
from lite.model_parser.pnnx.archive import Archive
from lite.model_parser.pnnx.param_file import TensorType
from lite.model_parser.tflite.parser import TfliteParser
from lite.plugin.format import ModelSource
from tests.model_parser.pnnx.models import archive
from tests.model_parser.tflite.builder import Table as Fields
from tests.model_parser.tflite.builder import TfliteBuilder

HUGE = [0, 2**31 - 1, 2**31 - 1, 2**31 - 1]


def test_naive_buffers() -> None:
    with pytest.raises(ModelParseError, match="parameter 'w': numpy cannot hold the sizes"):
        stored_weight(DType.FLOAT32, HUGE, memoryview(b""), "w")
    assert stored_weight(DType.FLOAT32, [0, 3], memoryview(b""), "w").array.shape == (0, 3)


def test_pnnx() -> None:
    stored = Archive(archive({"a": np.empty(0, np.float32)}), "w.bin")
    with pytest.raises(ModelParseError, match="entry 'a': numpy cannot hold its shape"):
        stored.array("a", TensorType(DType.FLOAT32, tuple(HUGE)))
    assert stored.array("a", TensorType(DType.FLOAT32, (0, 3))).shape == (0, 3)


def test_tflite() -> None:
    builder = TfliteBuilder()
    x = builder.constant("x", np.ones(1, np.float32))
    y = builder.tensor("y", (1,))
    builder.tensors[x][0] = np.array(HUGE, np.int32)
    builder.buffers[1] = Fields({0: b""})
    builder.op("RELU", [x], [y])
    with pytest.raises(ModelParseError):
        TfliteParser().parse(ModelSource(model=builder.model([], [y])))
