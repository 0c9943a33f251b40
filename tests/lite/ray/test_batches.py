"""Rows of a dataset through a model; the actor alone, and on Ray where that is installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ray import map_batches
from lite.ray.batches import _ModelActor
from tests.tools.tiny_model import X, reference, tiny


@pytest.fixture
def config(tmp_path: Path) -> lite.Config:
    lite.save_program(tiny(), tmp_path / "model")
    return lite.Config(tmp_path / "model")


def test_rows_of_equal_shapes_run_together_and_bad_rows_have_messages(config: lite.Config) -> None:
    actor = _ModelActor(config, {"x": "image"})
    column = np.empty(3, object)
    column[:] = [X[0], np.zeros(5, np.float32), X[1]]

    result = actor({"image": column, "id": np.arange(3)})

    assert result["id"].tolist() == [0, 1, 2]
    assert [bool(text) for text in result["error"]] == [False, True, False]
    assert result["y"][1] is None
    assert np.allclose([result["y"][0], result["y"][2]], reference(X))


def test_a_whole_batch_is_one_array(config: lite.Config) -> None:
    result = _ModelActor(config, {})({"x": X})
    assert (result["y"].dtype, result["error"].tolist()) == (np.float32, ["", ""])
    assert np.allclose(result["y"], reference(X))


def test_a_missing_column_is_the_error_of_every_row(config: lite.Config) -> None:
    result = _ModelActor(config, {"x": "z"})({"x": X})
    assert set(result["error"]) == {"the dataset has no column z"}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_dataset_of_ray_gets_the_outputs(config: lite.Config) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    data = pytest.importorskip("ray.data", reason="Ray Data is not installed")
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        rows = [{"id": number, "x": X[number % 2] * number} for number in range(20)]
        result = map_batches(data.from_items(rows), config, batch_size=4).take_all()
    finally:
        ray.shutdown()

    assert sorted(row["id"] for row in result) == list(range(20))
    for row in result:
        expected = reference((X[row["id"] % 2] * row["id"])[None])[0]
        assert (row["error"], np.allclose(row["y"], expected, atol=1e-4)) == ("", True)
