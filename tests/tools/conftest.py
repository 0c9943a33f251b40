"""A folder with the files that the examples of help pages use."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.tools.arrays.files import write_arrays
from tests.tools.tiny_model import X, reference, tiny


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: model_dir, other.onnx (the same model), x.npy, reference.npz, model_cache."""
    lite.save_program(tiny(), tmp_path / "model_dir")
    lite.save_program(tiny(), tmp_path / "other.onnx", format="onnx")
    np.save(tmp_path / "x.npy", X)
    write_arrays({"in:x": X, "out:y": reference(X)}, tmp_path / "reference.npz")
    (tmp_path / "model_cache").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path
