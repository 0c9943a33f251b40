"""Availability, version, precision, threads, and models that are kept."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from lite.bridges.openvino.compiled import OpenvinoModel
from lite.bridges.openvino.device import Openvino, OpenvinoOptions
from lite.errors import CompileError
from lite.plugin.device import DEVICES, Settings
from lite.plugin.loader import load_devices
from tests.bridges.arrays import floats
from tests.bridges.devices import OPENVINO
from tests.bridges.region import on_host

PRODUCT = """graph main(%x: float32[64,256]) {
    %w = const float32[256,32] random(1)
    Out=%y = matmul_v2(X=%x, Y=%w) {}
    Out=%z = tanh(X=%y) {} return %z }"""


def test_the_loader_finds_the_device() -> None:
    load_devices()
    assert DEVICES.get("openvino") is Openvino
    assert Openvino.dynamic_shapes


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({}, None),
        ({"device": "AUTO"}, None),
        ({"device": "AUTO:CPU"}, None),
        ({"device": "TPU"}, "OpenVINO finds no device TPU here; it has CPU"),
        ({"device": "HETERO:CPU,TPU"}, "OpenVINO finds no device TPU here; it has CPU"),
        ({"precision": "int4"}, "precision: expected one of f32, bf16, f16, got 'int4'"),
        ({"hint": "FAST"}, "hint: expected one of LATENCY, THROUGHPUT, got 'FAST'"),
    ],
)
def test_an_installed_package_is_available(options: dict[str, str], reason: str | None) -> None:
    why_not = OPENVINO.open(**options).available()

    assert why_not == reason if reason is None else str(why_not).startswith(reason)


def test_without_the_package_it_is_not_available(monkeypatch: pytest.MonkeyPatch) -> None:
    from lite.bridges.openvino import device

    monkeypatch.setitem(sys.modules, "openvino", None)
    device._core.cache_clear()

    reason = Openvino(OpenvinoOptions(), Settings()).available()

    assert str(reason).startswith("openvino is not installed")
    assert str(reason).endswith("pip install 'litebridge[openvino]'")


def test_version_names_the_build_and_the_chip() -> None:
    import openvino

    version = OPENVINO.open().version()

    assert openvino.Core().get_property("CPU", "FULL_DEVICE_NAME") in version
    assert openvino.get_version() in version
    assert version == OPENVINO.open().version()


def error_of(device: Openvino) -> float:
    x = floats(64, 256)
    (result,) = OPENVINO.compile(PRODUCT, device).run([x], [None])
    (expected,) = on_host(PRODUCT, [x])
    return float(np.abs(result - expected).max() / np.abs(expected).max())


def test_the_default_precision_is_float32() -> None:
    assert error_of(OPENVINO.open()) < 1e-5


@pytest.mark.parametrize(
    ("precision", "setting", "expected"),
    [
        ("f32", "default", "f32"),
        ("f32", "strict", "f32"),
        ("bf16", "default", "bf16"),
        ("bf16", "strict", "f32"),
    ],
)
def test_strict_precision_is_float32_whatever_the_option(precision: str, setting: str, expected: str) -> None:
    device = Openvino(OpenvinoOptions(precision=precision), Settings(precision=setting))
    model = OPENVINO.compile(PRODUCT, device)
    import openvino

    hint = {"f32": openvino.Type.f32, "bf16": openvino.Type.bf16}[expected]
    if "BF16" in openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES") or expected == "f32":
        assert model.compiled.get_property("INFERENCE_PRECISION_HINT") == hint


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_streams_and_hint_are_set(threads: int) -> None:
    model = OPENVINO.compile(PRODUCT, Openvino(OpenvinoOptions(), Settings(threads=threads)))

    assert model.compiled.get_property("INFERENCE_NUM_THREADS") == threads
    assert model.compiled.get_property("NUM_STREAMS") == 1
    assert str(model.compiled.get_property("PERFORMANCE_HINT")).endswith("LATENCY")
    assert model.compiled.get_property("ENABLE_CPU_PINNING") is False


def test_a_loaded_model_equals_the_compiled_one() -> None:
    x, model = floats(64, 256), OPENVINO.compile(PRODUCT)

    loaded = OPENVINO.open().load(blob_of(model))
    again = OPENVINO.open().load(blob_of(loaded))

    for kept in (loaded, again):
        np.testing.assert_array_equal(kept.run([x], [None])[0], model.run([x], [None])[0])


def blob_of(model: OpenvinoModel) -> bytes:
    blob = model.serialize()
    assert blob is not None
    return blob


@pytest.mark.parametrize(
    ("device", "kept"), [("CPU", True), ("HETERO:CPU", True), ("AUTO", False), ("AUTO:CPU", False)]
)
def test_other_plugins_equal_the_host(device: str, kept: bool) -> None:
    x = floats(64, 256)
    model = OPENVINO.compile(PRODUCT, OPENVINO.open(device=device))

    np.testing.assert_allclose(model.run([x], [None])[0], on_host(PRODUCT, [x])[0], atol=1e-5)
    assert (model.serialize() is not None) == kept
    assert list(model.files()) == ["region.blob"] * kept


def test_openvino_imports_the_file_of_a_build() -> None:
    import openvino

    x, model = floats(64, 256), OPENVINO.compile(PRODUCT)
    blob = model.files()["region.blob"]

    # By default, processors with AMX compute in bfloat16.
    imported = openvino.Core().import_model(blob, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})

    np.testing.assert_array_equal(imported(x)[0], model.run([x], [None])[0])
    assert OPENVINO.open().load(blob_of(model)).files() == {"region.blob": blob}


@pytest.mark.parametrize("keep", [0.0, 0.5, 0.99])
def test_a_truncated_model_is_an_error(keep: float) -> None:
    blob = blob_of(OPENVINO.compile(PRODUCT))

    with pytest.raises(CompileError, match="a stored model has"):
        OPENVINO.open().load(blob[: int(len(blob) * keep)])


def test_bytes_that_are_not_a_model_are_an_error() -> None:
    from lite.bridges.openvino.blob import pack

    with pytest.raises(CompileError, match="a stored model cannot be loaded"):
        OPENVINO.open().load(pack(b"<net>no model</net>" * 50))


def test_a_region_with_an_op_without_bridge_is_an_error() -> None:
    text = "graph main(%x: float32[4]) { Out=%y = unique(X=%x) {} return %y }"

    with pytest.raises(CompileError, match="openvino has no bridge for unique"):
        OPENVINO.compile(text)
