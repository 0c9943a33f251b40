"""Models that Paddle-Lite 2.13 optimised, against their references, also saved as artifacts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from tests.support.data_folders import SHARED

MODELS = sorted((SHARED / "models" / "paddlelite_nb").glob("*/*.nb"))

if not MODELS:
    pytest.skip("needs ../shared, which a clone does not contain", allow_module_level=True)

STORED = {"model_arm_w8": 1e-2, "model_arm_w16": 1e-4}
"""The largest error of models with weights of 8 and 16 bits; the references are those of real weights."""


def _name(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


@pytest.mark.parametrize("place", ["host", "cpu"])
@pytest.mark.parametrize("path", MODELS, ids=_name)
def test_a_model_equals_its_reference(path: Path, place: str, tmp_path: Path) -> None:
    with np.load(path.with_name("reference.npz")) as file:
        arrays = dict(file)
    feeds = {name[3:]: array for name, array in arrays.items() if name.startswith("in:")}
    expected = [array for name, array in arrays.items() if name.startswith("out:")]
    predictor = lite.create_predictor(lite.Config(path, valid_places=[place]))
    lite.save_artifact(predictor, tmp_path / "m.lbm")
    again = lite.create_predictor(lite.Config(tmp_path / "m.lbm"))
    tolerance = STORED.get(path.stem, 2e-6)
    for results in (predictor.run(feeds), again.run(feeds)):
        for got, want in zip(results.values(), expected, strict=True):
            assert (got.shape, got.dtype) == (want.shape, want.dtype)
            assert np.abs(got.astype(np.float64) - want).max() <= tolerance * max(np.abs(want).max(), 1)
