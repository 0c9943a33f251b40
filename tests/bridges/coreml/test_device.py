"""Core ML as a build-only device: packages, reasons, stored models, and the host in its place."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.bridges.coreml.device import Coreml
from lite.bridges.coreml.model import CoremlModel
from lite.errors import CompileError
from lite.ir.lower import lower_graph
from lite.plugin.device import FLOAT16, FLOAT32, Settings
from tests.bridges.arrays import floats
from tests.bridges.devices import COREML
from tests.bridges.region import on_host, reasons, region

CHAIN = """\
graph main(%x: float32[2,3,8,8], %n: int64[2]) {
  %w = const float32[1,3,1,1] [0.5, -1.0, 2.0]
  Output=%y = conv2d(Input=%x, Filter=%w)
  %z = relu(X=%y)
  Out=%c = equal(X=%n, Y=%n) {}
  return %z, %c
}
"""

not_on_a_mac = pytest.mark.skipif(sys.platform == "darwin", reason="macOS runs the packages")


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        if name.endswith("/"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        else:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)


def test_a_missing_package_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ImportError("No module named 'coremltools'")

    monkeypatch.setattr("lite.bridges.coreml.device.sdk", missing)

    reason = Coreml(Coreml.Options(), Settings()).available()

    assert reason == (
        "coremltools is not installed (No module named 'coremltools'); pip install 'litebridge[coreml]'"
    )


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"precision": "int8"}, "precision: expected one of float16, float32, got 'int8'"),
        ({"target": "iOS9"}, "target: expected one of iOS16, iOS17, iOS18, got 'iOS9'"),
        ({"units": "TPU"}, "units: expected one of ALL, CPU_AND_NE, CPU_AND_GPU, CPU_ONLY, got 'TPU'"),
    ],
)
def test_an_option_out_of_range_is_a_reason(options: dict[str, str], reason: str) -> None:
    assert Coreml(Coreml.Options(**options), Settings()).available() == reason


def test_strict_precision_is_float32() -> None:
    assert Coreml(Coreml.Options(), Settings()).precisions == (FLOAT16,)
    assert Coreml(Coreml.Options(), Settings(precision="strict")).precisions == (FLOAT32,)
    assert Coreml(Coreml.Options(precision="float32"), Settings()).precisions == (FLOAT32,)


def test_a_package_has_the_operations_of_its_region(tmp_path: Path) -> None:
    import coremltools

    device = COREML.open(precision="float32")
    files = COREML.compile(CHAIN, device).files()
    write_files(tmp_path, files)

    spec = coremltools.models.MLModel(str(tmp_path / "region.mlpackage"), skip_model_load=True).get_spec()

    (block,) = spec.mlProgram.functions["main"].block_specializations.values()
    kinds = [operation.type for operation in block.operations if operation.type != "const"]
    assert [kind for kind in kinds if kind not in ("cast", "identity")] == ["conv", "relu", "equal"]
    assert [each.name for each in spec.description.input] == ["input_0", "input_1"]
    assert [each.name for each in spec.description.output] == ["output_0", "output_1"]
    assert list(spec.description.input[0].type.multiArrayType.shape) == [2, 3, 8, 8]


def test_a_stored_model_has_the_same_files() -> None:
    device = COREML.open()
    model = COREML.compile(CHAIN, device)

    loaded = device.load(model.serialize())

    assert isinstance(loaded, CoremlModel)
    assert loaded.files() == model.files()
    assert loaded.serialize() == model.serialize()


@pytest.mark.parametrize("blob", [b"", b"x" * 500])
def test_other_bytes_are_an_error(blob: bytes) -> None:
    with pytest.raises(CompileError, match="coreml: expected a stored model"):
        COREML.open().load(blob)


def test_half_a_stored_model_is_an_error() -> None:
    device = COREML.open()
    blob = COREML.compile(CHAIN, device).serialize()

    with pytest.raises(CompileError, match="coreml: expected a stored model"):
        device.load(blob[: len(blob) // 2])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "graph main(%x: float32[1,1,1,1,1,2]) { Out=%y = exp(X=%x) {} return %y }",
            "%x has 6 axes; Core ML has 5 at most",
        ),
        (
            "graph main(%x: float64[2]) { Out=%y = exp(X=%x) {} return %y }",
            "%x has elements of float64; ML programs have float32, int32 and bool",
        ),
        (
            "graph main(%x: float32[4]) { Out=%y = celu(X=%x) {alpha = inf} return %y }",
            "alpha is inf, expected a finite number",
        ),
    ],
)
def test_what_it_does_not_build_is_a_sentence(text: str, reason: str) -> None:
    assert reasons(COREML.open(), text) == [reason]


def save_model(folder: Path) -> str:
    text = """graph main(%x: float32[1,4]) {
        Out=%y = tanh(X=%x) {} Out=%z = exp(X=%y) {} return %z }"""
    lite.save_program(lower_graph(region(text)), folder)
    return text


@not_on_a_mac
def test_the_host_answers_with_one_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    COREML.open()
    text, x = save_model(tmp_path / "model"), floats(1, 4)
    config = lite.Config(tmp_path / "model", devices=["coreml"], cache_dir=tmp_path / "cache")

    results = [lite.create_predictor(config).run([x]) for _ in range(2)]

    for result in results:
        np.testing.assert_allclose(next(iter(result.values())), on_host(text, [x])[0], rtol=1e-6)
    reason = f"coreml only builds models here: Core ML runs on macOS, and this is {sys.platform}"
    messages = [record.getMessage() for record in caplog.records]
    # The host may have to compile a kernel.
    assert [reason in text for text in messages if not text.startswith("compiling kernels")] == [True, True]
    predictor = lite.create_predictor(config)
    for _ in range(2):
        predictor.run([x])
    assert sum(reason in record.getMessage() for record in caplog.records) == 3
    (entry,) = predictor.report().to_dict()["regions"]
    assert entry["state"] == "host"
    assert entry["reason"].startswith(reason)
    (notes,) = predictor.explain_cache().values()
    assert list(notes.values()) == ["hit"]


@not_on_a_mac
def test_a_strict_run_is_an_error(tmp_path: Path) -> None:
    COREML.open()
    save_model(tmp_path)
    config = lite.Config(tmp_path, devices=["coreml"], fallback="error")

    with pytest.raises(CompileError, match="coreml only builds models here"):
        lite.create_predictor(config).run([floats(1, 4)])


def test_threads_compile_at_the_same_time() -> None:
    device = COREML.open()
    failures: list[CompileError] = []

    def work() -> None:
        try:
            COREML.compile(CHAIN, device)
        except CompileError as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
