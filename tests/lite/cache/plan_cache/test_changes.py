"""Every change of the model or of the code makes a new plan."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest

import lite
from lite.cache import plan_cache
from lite.ir.program import Program
from lite.session import plan_key
from tests.lite.cache.plan_cache.starts import IMAGE, Starts, assert_alike, change_weights
from tests.support.small_convnet import convnet
from tests.support.small_programs import affine


def flip_one_bit(model: Path) -> None:
    """Change the weights, but not the size and time of the file."""
    path = model / "inference.pdiparams"
    status, content = path.stat(), path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "other weights": change_weights,
    "one bit": flip_one_bit,
    "another program": lambda model: lite.save_program(_without_relu(), model),
}


def _without_relu() -> Program:
    program = convnet()
    program.blocks[0].ops[2].type = "tanh"
    return program


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("verify", [False, True])
def test_a_changed_model_replaces_the_plan(starts: Starts, model: Path, change: str, verify: bool) -> None:
    starts(model).run([IMAGE])
    CHANGES[change](model)
    changed = starts(model, verify_weights=verify)
    assert starts.optimised == 2
    assert_alike(lite.create_predictor(lite.Config(model)), changed, IMAGE)
    assert len(starts.plans()) == 1  # the old plan was removed


def test_a_moved_model_is_parsed_but_not_optimised_again(starts: Starts, model: Path, tmp_path: Path) -> None:
    first = starts(model)
    model.rename(tmp_path / "moved")
    assert_alike(first, starts(tmp_path / "moved"), IMAGE)
    assert (starts.optimised, starts.parsed) == (1, 2)
    starts(tmp_path / "moved")
    assert starts.parsed == 2


def two_models(folder: Path) -> list[Path]:
    """Two models that differ in their weights, but not in the size of their files."""
    paths = [folder / "first" / "net", folder / "second" / "net"]
    for path in paths:
        lite.save_program(convnet(), path)
    change_weights(paths[1])
    return paths


@pytest.mark.parametrize("links", ["to folders", "to files"])
def test_a_link_with_a_new_target_is_another_model(starts: Starts, tmp_path: Path, links: str) -> None:
    place = tmp_path / "current"
    for model in two_models(tmp_path):
        if links == "to folders":
            place.unlink(missing_ok=True)
            place.symlink_to(model)
        else:
            place.mkdir(exist_ok=True)
            for path in model.iterdir():
                (place / path.name).unlink(missing_ok=True)
                (place / path.name).symlink_to(path)
        for _ in range(2):
            assert_alike(lite.create_predictor(lite.Config(model)), starts(place), IMAGE)
    assert starts.optimised == 2


def test_a_path_through_a_link_and_its_parent_is_not_shortened(starts: Starts, tmp_path: Path) -> None:
    """``link/..`` is the parent of the link's target, not the folder that holds the link."""
    first, second = two_models(tmp_path)
    (first.parent / "link").symlink_to(second)
    through_link = first.parent / "link" / ".." / "net"
    for model in (first, through_link):
        assert_alike(lite.create_predictor(lite.Config(model)), starts(model), IMAGE)


def test_models_in_different_places_keep_their_plans(
    starts: Starts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if they share the relative path, the program file, or have none because they are bytes."""
    first, second = two_models(tmp_path)
    for _ in range(2):
        for model in (first, second):
            monkeypatch.chdir(model.parent)
            starts(Path("net"))
    assert starts.optimised == 2
    program = first / "inference.pdmodel"
    params = [model / "inference.pdiparams" for model in (first, second)]
    for _ in range(2):
        for path in params:
            starts(model_file=program, params_file=path, valid_places=["host"])
    assert starts.optimised == 4
    for _ in range(2):
        for path in params:
            starts(model_buffer=program.read_bytes(), params_buffer=path.read_bytes(), valid_places=["host"])
    assert starts.optimised == 6


def test_a_new_file_that_the_parser_prefers_is_another_model(
    starts: Starts, model: Path, tmp_path: Path
) -> None:
    """In a folder with both, ``__model__`` comes before ``inference.pdmodel``."""
    starts(model)
    lite.save_program(affine(), tmp_path / "affine", combined=False)
    for path in (tmp_path / "affine").iterdir():
        path.rename(model / path.name)
    assert starts(model).output_names == lite.create_predictor(lite.Config(model)).output_names


def test_a_model_of_bytes_is_found_by_its_content(starts: Starts, model: Path) -> None:
    program, params = ((model / f"inference.{name}").read_bytes() for name in ("pdmodel", "pdiparams"))
    expected = lite.create_predictor(lite.Config(model))
    for _ in range(2):
        predictor = starts(model_buffer=program, params_buffer=params)
    assert starts.optimised == 1
    assert_alike(expected, predictor, IMAGE)
    starts(model_buffer=program, params_buffer=params[:-1] + b"\0")
    assert starts.optimised == 2


def test_a_change_in_one_of_many_parameter_files_is_found(starts: Starts, tmp_path: Path) -> None:
    lite.save_program(convnet(), tmp_path / "net", combined=False)
    first, second = starts(tmp_path / "net"), starts(tmp_path / "net")
    assert starts.optimised == 1
    assert_alike(first, second, IMAGE)
    path = tmp_path / "net" / "w3"
    path.write_bytes(path.read_bytes()[:-4] + np.float32(9).tobytes())
    assert_alike(lite.create_predictor(lite.Config(tmp_path / "net")), starts(tmp_path / "net"), IMAGE)
    assert starts.optimised == 2


def test_a_change_in_external_data_of_onnx_is_found(starts: Starts, tmp_path: Path) -> None:
    weight = np.random.default_rng(1).standard_normal((60, 50)).astype(np.float32)
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("MatMul", ["x", "w"], ["y"])],
        "g",
        [onnx.helper.make_tensor_value_info("x", 1, [1, 60])],
        [onnx.helper.make_tensor_value_info("y", 1, [1, 50])],
        [onnx.numpy_helper.from_array(weight, "w")],
    )
    proto = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    path = tmp_path / "m" / "m.onnx"
    path.parent.mkdir()
    onnx.save(proto, path, save_as_external_data=True, location="w.bin", size_threshold=0)
    x = np.ones((1, 60), np.float32)
    assert_alike(starts(path), starts(path), x)
    assert starts.optimised == 1
    (tmp_path / "m" / "w.bin").write_bytes((weight + 1).tobytes())
    np.testing.assert_allclose(starts(path).run([x])["y"], x @ (weight + 1), rtol=1e-4)
    assert starts.optimised == 2


PARTS = {
    "litebridge version": (plan_key, "VERSION", "99.0"),
    "key version": (plan_key, "KEY_VERSION", 99),
    "libraries": (plan_key, "LIBRARIES", ("numpy-",)),
    "sources": (plan_key, "folders_digest", lambda *_, **__: ("other sources", 1)),
}


@pytest.mark.parametrize("part", PARTS)
def test_every_part_of_the_code_is_in_the_key(
    starts: Starts, model: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, part: str
) -> None:
    starts(model)
    monkeypatch.setattr(*PARTS[part])
    with caplog.at_level(logging.INFO, plan_cache.__name__):
        starts(model)
    assert starts.optimised == 2
    (message,) = [record.getMessage() for record in caplog.records if record.name == plan_cache.__name__]
    assert message.startswith(f"{model} is optimised again: nearest entry differs in: {part}")
