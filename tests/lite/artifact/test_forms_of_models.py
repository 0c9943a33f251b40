"""Device models as a graph, as C and as a binary end in one artifact, and start lazily, in running order."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.ir.lower import lower_graph
from lite.ir.types import Array, DType
from lite.plugin.device import DEVICES, CompiledModel, c_objects, machine_code
from lite.plugin.device.opening import open_device
from tests.lite.artifact.files import members
from tests.support.abacus import load_abacus

DEVICES_IN_ORDER = ("abacus_c", "sim_npu", "abacus")
X = np.array([[1, -2, 3], [0.5, 0, -4]], np.float32)
RULES = "\n".join(
    f"*::{name}{number} -> {device}"
    for name, device in zip("abc", DEVICES_IN_ORDER, strict=True)
    for number in (1, 2)
)


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The devices, and an empty folder for machine code."""
    load_abacus()
    open_device("sim_npu")
    monkeypatch.setattr(machine_code, "private_folder", lambda: tmp_path / "own")
    monkeypatch.setattr(c_objects, "_linked", {})


@pytest.fixture
def activities(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the devices compiled and loaded so far."""
    seen: list[str] = []
    for name in DEVICES_IN_ORDER:
        cls = DEVICES.get(name)
        for method in ("compile", "load"):
            monkeypatch.setattr(cls, method, recorded(getattr(cls, method), f"{method} {name}", seen))
    return seen


def recorded(method: Any, text: str, seen: list[str]) -> Any:
    def call(*args: Any) -> CompiledModel:
        seen.append(text)
        model: CompiledModel = method(*args)
        return model

    return call


def model(folder: Path) -> Path:
    """Three pairs of an addition and a relu, with a tanh between them."""
    graph = Graph()
    x = graph.add_arg("x")
    x.dtype, x.shape = DType.FLOAT32, X.shape
    for name in "abc":
        bias = graph.add_constant(f"bias_{name}", np.array([[-1, 0, 1]], np.float32))
        x = graph.add_node(
            "elementwise_add", {"X": [x], "Y": [bias]}, {"Out": [f"{name}1"]}, {"axis": -1}
        ).output()
        x = graph.add_node("relu", {"X": [x]}, {"Out": [f"{name}2"]}).output()
        x = graph.add_node("cos", {"X": [x]}, {"Out": [f"{name}3"]}).output()
    graph.set_results([x], ["y"])
    lite.save_program(lower_graph(graph), folder)
    return folder


def expected(x: Array) -> Array:
    for _ in range(3):
        x = np.cos(np.maximum(x + np.array([[-1, 0, 1]], np.float32), 0))
    return x


def saved(tmp_path: Path) -> Path:
    config = lite.Config(model(tmp_path / "model"), devices=DEVICES_IN_ORDER, partition_rules=RULES)
    predictor = lite.create_predictor(config)
    predictor.run({"x": X})
    lite.save_artifact(predictor, tmp_path / "model.lbm")
    return tmp_path / "model.lbm"


def test_three_forms_are_loaded_in_order_at_the_first_run(
    tmp_path: Path, activities: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, path = activities, saved(tmp_path)
    assert seen == [f"compile {name}" for name in DEVICES_IN_ORDER]
    blobs = [content for name, content in members(path).items() if name.startswith("regions/")]
    assert {blob[:4] for blob in blobs} == {b"LBCS", b"SNPU", b'{"co'}
    seen.clear()
    monkeypatch.setattr(c_objects, "_linked", {})
    monkeypatch.setenv("CC", "no-such-compiler")

    predictor = lite.create_predictor(lite.Config(path, fallback="error"))
    assert seen == []
    result = predictor.run({"x": X})["y"]

    np.testing.assert_allclose(result, expected(X), rtol=1e-5)
    assert seen == [f"load {name}" for name in DEVICES_IN_ORDER]


def test_an_artifact_of_another_user_does_not_bring_code(
    tmp_path: Path,
    activities: list[str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    seen, path = activities, saved(tmp_path)
    seen.clear()
    monkeypatch.setattr(c_objects, "_linked", {})
    monkeypatch.setattr(machine_code, "private_folder", lambda: tmp_path / "another")

    result = lite.create_predictor(lite.Config(path)).run({"x": X})["y"]

    np.testing.assert_allclose(result, expected(X), rtol=1e-5)
    assert seen == ["load abacus_c", "compile abacus_c", "load sim_npu", "load abacus"]
    assert "was not compiled by this user" in caplog.text


def test_without_a_compiler_the_host_runs_the_region(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    config = lite.Config(model(tmp_path / "model"), devices=DEVICES_IN_ORDER, partition_rules=RULES)

    np.testing.assert_allclose(lite.create_predictor(config).run({"x": X})["y"], expected(X), rtol=1e-5)

    assert "there is no C compiler" in caplog.text
    with pytest.raises(CompileError, match="there is no C compiler"):
        lite.create_predictor(dataclasses.replace(config, fallback="error")).run({"x": X})
