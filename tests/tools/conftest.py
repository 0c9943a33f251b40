"""A folder with the files that the examples of help pages use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.serving import embedded
from lite.serving.repository.folders import find_models
from lite.subgraph.saved_plan import SavedDevice, SavedPlan
from lite.tools.analysis.device_build import build_regions
from lite.tools.arrays.files import write_arrays
from tests.tools.tiny_model import X, reference, tiny


def check_and_end(settings: embedded.ServeSettings, started: Callable[[embedded.Addresses], None]) -> None:
    """What `serve` does before and after it serves."""
    settings.check()
    assert find_models(settings.models)
    started(embedded.Addresses("http://127.0.0.1:8000", "127.0.0.1:8001"))


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: models, inputs, calibration data, an empty cache and a build for a device.

    model_dir, int8_dir, det_dir, the model in repository, model.onnx and other.onnx hold the same model.
    `litebridge serve` checks what it would serve, and ends instead of serving it.
    """
    for name in ("model_dir", "int8_dir", "det_dir", "repository/tiny/1"):
        lite.save_program(tiny(), tmp_path / name)
    for name in ("model.onnx", "other.onnx"):
        lite.save_program(tiny(), tmp_path / name, format="onnx")
    np.save(tmp_path / "x.npy", X)
    (tmp_path / "in" / "a").mkdir(parents=True)
    np.savez(tmp_path / "in" / "0.npz", x=X)
    np.save(tmp_path / "in" / "a" / "b.npy", X)
    monkeypatch.setattr(embedded, "serve", check_and_end)
    (tmp_path / "samples").mkdir()
    np.save(tmp_path / "samples" / "0.npy", X)
    np.savez(tmp_path / "samples.npz", x=X)
    (tmp_path / "data.py").write_text(
        "import numpy as np\n\ndef batches():\n    yield {'x': np.eye(4, dtype=np.float32)}\n"
    )
    write_arrays({"in:x": X, "out:y": reference(X)}, tmp_path / "reference.npz")
    (tmp_path / "model_cache").mkdir()
    monkeypatch.chdir(tmp_path)
    predictor = lite.create_predictor(lite.Config("model_dir", devices=["sim_npu"]))
    build_regions(predictor, {"x": X}, tmp_path / "earlier_build")
    lite.save_program(tiny(), tmp_path / "zoo" / "tiny")
    for name in ("model.lbm", "old.lbm", "new.lbm"):
        lite.save_artifact(lite.Config("model_dir"), name)
    for name in ("plan.json", "new.json"):
        plan = SavedPlan.of(
            "model_dir", predictor.report(), {"sim_npu": SavedDevice("sim_npu", "1")}, {"x": None}
        )
        Path(name).write_text(plan.to_json(), encoding="utf-8")
    return tmp_path
