"""The files and inputs of the models."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from lite.tools.bench.peers.fixed_set import FIXED_SET, files_of
from lite.tools.demo.package_models import PACKAGES, VARIABLE


def test_every_model_is_in_a_package() -> None:
    packaged = {package.path(Path(), model).as_posix() for package in PACKAGES for model in package.models}

    assert {model.onnx for model in FIXED_SET} <= packaged


def test_feeds_are_reproducible() -> None:
    for model in FIXED_SET:
        first, second = model.feeds(), model.feeds()
        assert list(first) == list(second)
        assert all((array == second[name]).all() for name, array in first.items())


def test_a_model_outside_the_cache_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))

    with pytest.raises(click.ClickException, match=r"det_infer\.onnx is missing; run python -m"):
        files_of(FIXED_SET[0])


def test_paddle_files_are_used_if_they_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    det, rec, nudenet = FIXED_SET[0], FIXED_SET[1], FIXED_SET[4]
    for model in (det, rec, nudenet):
        (tmp_path / model.onnx).parent.mkdir(exist_ok=True)
        (tmp_path / model.onnx).touch()
    folder = tmp_path / "paddle" / "ch_PP-OCRv4_det_infer"
    folder.mkdir(parents=True)

    assert files_of(det, tmp_path / "paddle").paddle == folder
    assert files_of(rec, tmp_path / "paddle").paddle is None
    assert files_of(nudenet, tmp_path / "paddle").paddle is None
