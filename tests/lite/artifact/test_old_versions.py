"""Artifacts that each version of the format wrote keep loading, with their plans or from their origins."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import lite
from lite.artifact.artifact import Artifact
from lite.plugin.format import ModelSource
from tests.lite.artifact.files import edit
from tests.record_artifacts import FOLDER, RECORDED
from tests.support.reference_models import difference, reference_model

FILES = sorted(FOLDER.glob("*.lbm"))

each_file = pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])


def recorded_model(path: Path) -> str:
    return RECORDED[path.stem.partition("_")[2]][0]


def test_every_version_has_its_files() -> None:
    assert [path.name for path in FILES] == sorted(f"v1_{name}.lbm" for name in RECORDED)


@each_file
def test_its_checksums_are_right(path: Path) -> None:
    artifact = Artifact.open(ModelSource(path))
    assert artifact.meta.problems(artifact.container) == []


@each_file
def test_it_runs(path: Path) -> None:
    model = reference_model(recorded_model(path))
    predictor = lite.create_predictor(lite.Config(path))

    assert difference(predictor.run(model.inputs), model.outputs) == ""


@each_file
def test_it_runs_from_its_origin(path: Path, tmp_path: Path) -> None:
    model = reference_model(recorded_model(path))
    copy = shutil.copy(path, tmp_path / "m.lbm")
    edit(Path(copy), "meta.json", lambda meta: meta["producer"].update(litebridge="0.0.1"))
    predictor = lite.create_predictor(lite.Config(copy))

    assert "litebridge 0.0.1 planned it" in predictor.report().warnings[0]
    assert difference(predictor.run(model.inputs), model.outputs) == ""
