"""A folder with a tiny model, as the examples in help pages suppose it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.tools.result_files import write_results
from tests.tools.tiny_model import X, reference, tiny


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: model_dir, other.onnx (the same), x.npy, reference.npz and an empty model_cache."""
    lite.save_program(tiny(), tmp_path / "model_dir")
    lite.save_program(tiny(), tmp_path / "other.onnx", format="onnx")
    np.save(tmp_path / "x.npy", X)
    write_results({"in:x": X, "out:y": reference(X)}, tmp_path / "reference.npz")
    (tmp_path / "model_cache").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path
