"""Exports of networks from torch: every device gives torch's outputs, also at a second size."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import lite
from lite.ir.types import Array
from tests.support.data_folders import SHARED

ZOO = SHARED / "models" / "zoo"

MODELS = sorted(path.parent.name for path in ZOO.glob("*/model.onnx"))
"""The folders of the models; none where the data beside this checkout is absent."""

CONFIGS: Mapping[str, Mapping[str, Any]] = {
    "host": {"valid_places": ["host"]},
    "cpu": {},
    "openvino": {"devices": ["openvino"]},
    "onnxruntime": {"devices": ["onnxruntime"]},
}

TIE = 1e-5
"""Scores that differ less are equal but for rounding."""


@pytest.mark.parametrize("name", MODELS or [pytest.param("", marks=pytest.mark.skip(f"{ZOO} is absent"))])
@pytest.mark.parametrize("config", CONFIGS)
def test_equal_to_torch(name: str, config: str) -> None:
    if config not in ("host", "cpu"):
        pytest.importorskip(config)
    folder = ZOO / name
    tolerance = json.loads((folder / "meta.json").read_text())["tolerance"]
    with np.load(folder / "reference.npz") as arrays:
        reference = dict(arrays)
    predictor = lite.create_predictor(lite.Config(str(folder / "model.onnx"), **CONFIGS[config]))

    for inputs, outputs in (("in.", "out."), ("alt_in.", "alt_out.")):
        expected = _with_prefix(reference, outputs)
        if expected:
            _check(predictor.run(_with_prefix(reference, inputs)), expected, tolerance)


def _with_prefix(arrays: Mapping[str, Array], prefix: str) -> dict[str, Array]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _ordered(detections: Mapping[str, Array], scores: Array) -> dict[str, Array]:
    """Detections, those of equal `scores` ordered by their boxes: rounding decides about their places."""
    groups = np.concatenate([[0], np.cumsum(-np.diff(scores) > TIE)])
    assert len(detections["boxes"]) == len(groups)
    order = np.lexsort((detections["boxes"][:, 0], groups))
    return {name: array[order] for name, array in detections.items()}


def _check(outputs: Mapping[str, Array], expected: Mapping[str, Array], tolerance: float) -> None:
    """Differences are relative to the largest element of an output."""
    assert set(outputs) == set(expected)
    if set(expected) >= {"boxes", "scores"}:
        outputs, expected = (_ordered(each, expected["scores"]) for each in (outputs, expected))
    for name, array in expected.items():
        assert (outputs[name].dtype, outputs[name].shape) == (array.dtype, array.shape), name
        if array.dtype.kind != "f":
            np.testing.assert_array_equal(outputs[name], array)
        elif array.size:
            atol = tolerance * float(np.abs(array).max())
            np.testing.assert_allclose(outputs[name], array, rtol=0, atol=atol, err_msg=name)
