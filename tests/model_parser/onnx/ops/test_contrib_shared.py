"""Ops of com.microsoft that are those of ONNX, or a few of them, against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import run
from tests.model_parser.onnx.onnxruntime_models import check_against_onnxruntime, contrib_model, feeds_of

RNG = np.random.default_rng(11)


def floats(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize(
    ("op", "inputs", "attrs", "outputs", "constants"),
    [
        ("Trilu", [floats(2, 4, 5), np.array(1)], {"upper": 0}, 1, [1]),
        ("GatherND", [floats(3, 4, 2), np.array([[0, 1], [2, 3]])], {}, 1, []),
        ("GridSample", [floats(1, 2, 5, 6), 0.7 * floats(1, 3, 4, 2)], {"padding_mode": "border"}, 1, []),
        ("Pad", [floats(3, 4), np.array([1, 0, 0, 2]), np.array(0.5, np.float32)], {}, 1, [1]),
        ("Range", [np.array(x, np.float32) for x in (1, 6, 2)], {}, 1, [0, 1, 2]),
        ("Unique", [np.array([3, 1, 3, 2, 1], np.float32)], {}, 3, []),
        ("ExpandDims", [floats(2, 3), np.array(-1, np.int32)], {}, 1, [1]),
        ("Inverse", [floats(2, 3, 3) + 3 * np.eye(3, dtype=np.float32)], {}, 1, []),
        ("CDist", [floats(4, 3), floats(5, 3)], {}, 1, []),
        ("CDist", [floats(4, 3), floats(5, 3)], {"metric": "euclidean"}, 1, []),
        ("ScaledSiLU", [floats(2, 5)], {"alpha": 0.7}, 1, []),
        ("ScaledSiLU", [floats(2, 5), np.array(1.3, np.float32)], {}, 1, []),
        ("GatedRMSNorm", [floats(2, 3, 8), floats(4), floats(2, 3, 8)], {"epsilon": 0.01}, 1, [1]),
        ("GatedRMSNorm", [floats(6, 8), floats(8), floats(6, 8)], {"activation": "sigmoid"}, 1, []),
    ],
)
def test_equal_to_onnxruntime(
    op: str, inputs: list[Array], attrs: dict[str, Any], outputs: int, constants: list[int]
) -> None:
    check_against_onnxruntime(op, inputs, attrs, outputs=outputs, constants=constants, tolerance=1e-5)


@pytest.mark.parametrize(
    ("op", "inputs", "attrs", "reason"),
    [
        ("CDist", [floats(2, 3), floats(2, 3)], {"metric": "cosine"}, "metric: expected sqeuclidean or"),
        (
            "GatedRMSNorm", [floats(2, 4), floats(4), floats(2, 4)], {"activation": "relu"},
            "activation: expected silu, swish or sigmoid",
        ),
    ],
)  # fmt: skip
def test_what_is_not_known_is_refused(
    op: str, inputs: list[Array], attrs: dict[str, Any], reason: str
) -> None:
    model = contrib_model(op, inputs, attrs)

    with pytest.raises(ModelParseError, match=reason):
        run(model, feeds_of(model, inputs))
