"""SQNR, cosine, largest error and saturation of the values of two runs."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.types import Array
from lite.tools.analysis.value_differences import Recording
from lite.tools.analysis.value_quality import Qualities, ValueQuality
from tests.lite.quantization.models import program, samples, save_onnx
from tests.tools.tiny_model import call, call_json


def host(path: Path) -> lite.Predictor:
    return lite.create_predictor(lite.Config(path, passes=[], valid_places=["host"]))


def qualities(a: Path, b: Path, feed: dict[str, Array]) -> dict[str, ValueQuality]:
    recording = Recording()
    host(a).observe(recording.see, feed)
    result = Qualities(recording)
    host(b).observe(result.see, feed)
    return {each.name: each for each in result.values}


@pytest.mark.parametrize("format", ["paddle", "onnx"])
def test_measures_follow_their_definitions(format: str, tmp_path: Path) -> None:
    if format == "onnx":
        source, target = save_onnx(tmp_path / "float.onnx"), tmp_path / "int8.onnx"
    else:
        source, target = tmp_path / "float", tmp_path / "int8"
        lite.save_program(program(), source)
    # The calibration data are smaller than the feed, part of which is clipped.
    lite.quantize(source, [{"x": each["x"] / 2} for each in samples()], target, method="min_max")
    feed = samples(9)[8]

    found = qualities(source, target, feed)

    seen: list[dict[str, Array]] = [{}, {}]
    for arrays, path in zip(seen, (source, target), strict=True):
        host(path).observe(lambda each, kept=arrays: kept.update({each.name: np.array(each.value)}), feed)  # type: ignore[misc]
    exact, got = (arrays["a"].astype(np.float64) for arrays in seen)
    noise = ((exact - got) ** 2).sum()
    assert found["a"].sqnr == pytest.approx(10 * math.log10((exact**2).sum() / noise))
    cosine = (exact * got).sum() / math.sqrt((exact**2).sum() * (got**2).sum())
    assert found["a"].cosine == pytest.approx(cosine)
    assert found["a"].largest_error == pytest.approx(np.abs(exact - got).max())
    assert found["a"].saturated is None
    reach = [np.array(0.0), np.array(0.0)]
    for each in samples():
        half = host(source).run_part({"x": each["x"] / 2}, ["d"])["d"]
        reach = [np.minimum(reach[0], half.min()), np.maximum(reach[1], half.max())]
    low, high = (-max(-reach[0], reach[1]), max(-reach[0], reach[1])) if format == "paddle" else reach
    slack = (high - low) / 254 / 2
    outside = (seen[0]["d"] < low - slack) | (seen[0]["d"] > high + slack)
    assert 0 < outside.mean() < 1
    assert found["d"].saturated == pytest.approx(outside.mean(), abs=1.01 / outside.size)


def test_equal_models_have_no_noise(tmp_path: Path) -> None:
    lite.save_program(program(), tmp_path / "float")

    found = qualities(tmp_path / "float", tmp_path / "float", samples(1)[0])

    assert set(found) == {"a", "b", "c", "d", "y"}
    assert {(each.sqnr, each.largest_error, each.saturated) for each in found.values()} == {
        (math.inf, 0, None)
    }


def test_compare_prints_the_measures(workplace: Path) -> None:
    call("quantize", "model_dir", "--weights-only", "-o", "int8")
    arguments = ("compare", "model_dir", "int8", "--input", "x=x.npy", "--quality", "--tolerance", "1")
    rows = call_json(*arguments)["qualities"]

    assert [row["name"] for row in rows] == ["y"]
    assert rows[0]["sqnr"] > 30
    assert "values of both, B against A" in call(*arguments).stdout
    assert "qualities" not in call_json(*arguments[:-3], "--no-quality", "--tolerance", "1")
    assert "the worst are y (" in call_json(*arguments)["loss"]
