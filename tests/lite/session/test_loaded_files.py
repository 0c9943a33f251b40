"""Model files that change between loading and the first run."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.errors import ExecutionError
from lite.ir.types import Array
from tests.support.resident import resident_bytes

onnx = pytest.importorskip("onnx", reason="the model is an ONNX model")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """y = x · w, with w in a file of its own."""
    helper = pytest.importorskip("onnx.helper")
    weight = onnx.numpy_helper.from_array(np.ones((64, 64), np.float32), "w")
    inputs = [helper.make_tensor_value_info("x", 1, [2, 64])]
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    graph = helper.make_graph([node], "g", inputs, [onnx.ValueInfoProto(name="y")], [weight])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    made.ir_version = 9
    onnx.save(made, tmp_path / "m.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    return tmp_path / "m.onnx"


X: Array = np.ones((2, 64), np.float32)

CHANGES: dict[str, Callable[[Path], object]] = {
    "cut short": lambda path: os.truncate(path, 100),
    "overwritten": lambda path: path.write_bytes(bytes(2 * path.stat().st_size)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("is_cached", [False, True])
def test_weights_that_were_overwritten_in_place_are_not_read(
    model: Path, change: Callable[[Path], object], is_cached: bool, tmp_path: Path
) -> None:
    config = lite.Config(model, cache_dir=tmp_path / "cache" if is_cached else None)
    for path in tmp_path.glob("*.*"):
        os.utime(path, (1e9, 1e9))
    if is_cached:
        lite.create_predictor(config).run({"x": X})
    predictor = lite.create_predictor(config)
    change(model.with_name("w.bin"))
    for each in (predictor, predictor.clone(), predictor):
        with pytest.raises(ExecutionError, match=r"w.bin was overwritten .*: 16384 bytes before"):
            each.run({"x": X})


@pytest.mark.parametrize("mapping", ["private", "copy"])
def test_a_cached_plan_that_was_cut_short_is_not_read(model: Path, mapping: str, tmp_path: Path) -> None:
    config = lite.Config(model, cache_dir=tmp_path / "cache", mapping=mapping)
    for path in tmp_path.glob("*.*"):
        os.utime(path, (1e9, 1e9))
    lite.create_predictor(config).run({"x": X})
    first, second = lite.create_predictor(config), lite.create_predictor(config)
    entries = [*(tmp_path / "cache" / "plans").glob("*.model")]
    for path in entries:
        os.utime(path)
    np.testing.assert_array_equal(first.run({"x": X})["y"], np.full((2, 64), 64))
    for path in entries:
        os.truncate(path, 100)
    with pytest.raises(ExecutionError, match=r"\.model was overwritten .*, 100 now"):
        second.run({"x": X})


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("is_cached", [False, True])
@pytest.mark.parametrize("is_open_to_all", [False, True], ids=["copy", "writable for all"])
def test_copied_weights_do_not_change(
    model: Path, change: Callable[[Path], object], is_cached: bool, is_open_to_all: bool, tmp_path: Path
) -> None:
    config = lite.Config(
        model,
        cache_dir=tmp_path / "cache" if is_cached else None,
        mapping="private" if is_open_to_all else "copy",
    )
    weights = model.with_name("w.bin")
    weights.chmod(0o666 if is_open_to_all else 0o644)
    for path in tmp_path.glob("*.*"):
        os.utime(path, (1e9, 1e9))
    if is_cached:
        lite.create_predictor(config).run({"x": X})
    predictor = lite.create_predictor(config)
    if is_open_to_all:
        assert not mapped(weights)
        return
    change(weights)
    for each in (predictor, predictor.clone(), predictor):
        np.testing.assert_array_equal(each.run({"x": X})["y"], np.full((2, 64), 64))


def mapped(path: Path) -> bool:
    """Whether this process has a file mapped."""
    return str(path) in Path("/proc/self/maps").read_text()


def test_weights_of_a_private_mapping_are_mapped(model: Path) -> None:
    predictor = lite.create_predictor(lite.Config(model))
    assert mapped(model.with_name("w.bin"))
    del predictor
    gc.collect()
    assert not mapped(model.with_name("w.bin"))


def test_the_mapping_has_two_values() -> None:
    with pytest.raises(lite.ConfigError, match="mapping: expected one of private, copy, got 'shared'"):
        lite.Config("m", mapping="shared")


def test_weights_that_were_replaced_or_removed_are_read_from_the_old_file(model: Path) -> None:
    first, second = lite.create_predictor(lite.Config(model)), lite.create_predictor(lite.Config(model))
    weights = model.with_name("w.bin")
    weights.with_name("new").write_bytes(bytes(16384))
    os.replace(weights.with_name("new"), weights)
    np.testing.assert_array_equal(first.run({"x": X})["y"], np.full((2, 64), 64))
    shutil.rmtree(model.parent)
    np.testing.assert_array_equal(second.run({"x": X})["y"], np.full((2, 64), 64))


def in_one_file(folder: Path, size: int) -> Path:
    """y = x · w, with w in the file of the model."""
    helper = pytest.importorskip("onnx.helper")
    weight = onnx.numpy_helper.from_array(np.ones((size, size), np.float32), "w")
    inputs = [helper.make_tensor_value_info("x", 1, [2, size])]
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    graph = helper.make_graph([node], "g", inputs, [onnx.ValueInfoProto(name="y")], [weight])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    path = folder / "whole.onnx"
    onnx.save(made, path)
    path.chmod(0o644)
    return path


@pytest.mark.parametrize("mapping", ["private", "copy"])
def test_large_weights_in_the_file_of_an_onnx_model_are_mapped(mapping: str, tmp_path: Path) -> None:
    size = 1100
    path = in_one_file(tmp_path, size)
    os.utime(path, (1e9, 1e9))
    config = lite.Config(path, mapping=mapping)
    predictor = lite.create_predictor(config)
    x = np.ones((2, size), np.float32)
    assert mapped(path) == (mapping == "private")
    path.write_bytes(bytes(2 * path.stat().st_size))
    if mapping == "copy":
        np.testing.assert_array_equal(predictor.run({"x": x})["y"], np.full((2, size), size))
    else:
        with pytest.raises(ExecutionError, match=r"whole.onnx was overwritten"):
            predictor.run({"x": x})


def test_weights_that_were_packed_leave_the_memory(tmp_path: Path) -> None:
    pytest.importorskip("numba", reason="only compiled kernels pack weights")
    size = 1100
    path = in_one_file(tmp_path, size)
    predictor = lite.create_predictor(lite.Config(path, compilation="wait"))
    x = np.ones((2, size), np.float32)
    for _ in range(3):
        np.testing.assert_array_equal(predictor.run({"x": x})["y"], np.full((2, size), size))
        assert mapped(path)
        assert resident_bytes(path) < 64 * 1024
