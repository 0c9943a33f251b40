"""XLA as a device: reasons, runs, stored models, machine code that is kept, and a second process."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.bridges.xla import executable
from lite.bridges.xla.blob import Program, pack
from lite.bridges.xla.device import Xla
from lite.errors import CompileError
from lite.ir.lower import lower_graph
from lite.ir.types import DType
from lite.plugin.device import Settings, machine_code
from tests.bridges.arrays import floats
from tests.bridges.devices import XLA
from tests.bridges.region import reasons, region

CHAIN = """\
graph main(%x: float32[2,3,8,8], %n: int64[2]) {
  %w = const float32[1,3,1,1] [0.5, -1.0, 2.0]
  Output=%y = conv2d(Input=%x, Filter=%w)
  %z = relu(X=%y)
  Out=%m = elementwise_add(X=%n, Y=%n)
  return %z, %m
}
"""

WIDE = np.array([1 << 40, -3], np.int64)


@pytest.fixture(autouse=True)
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder for machine code, empty."""
    monkeypatch.setattr(machine_code, "private_folder", lambda: tmp_path / "own")
    return tmp_path / "own" / executable.FOLDER


def test_a_missing_package_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)

    reason = Xla(Xla.Options(), Settings()).available()

    assert reason == "package jax is not installed; pip install 'litebridge[xla]'"


def test_a_missing_platform_is_a_reason() -> None:
    XLA.open()

    reason = Xla(Xla.Options(platform="tpu"), Settings()).available()

    assert reason is not None
    assert reason.startswith("JAX cannot use tpu: ")


def test_a_missing_chip_is_a_reason() -> None:
    XLA.open()

    assert Xla(Xla.Options(number=-1), Settings()).available() == (
        "number: expected 0 or more, got -1; 0 is the first chip"
    )
    assert Xla(Xla.Options(number=99), Settings()).available() == (
        "JAX cannot use cpu: cpu has 1 devices, and number 99 is not one of them; install its plug-in of JAX"
    )


def test_a_region_equals_its_definition() -> None:
    model, x = XLA.compile(CHAIN), floats(2, 3, 8, 8)

    image, doubled = model.run([x, WIDE], [None, None])

    expected = np.maximum(np.einsum("nchw,c->nhw", x, np.array([0.5, -1, 2], np.float32))[:, None], 0)
    np.testing.assert_allclose(image, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(doubled, 2 * WIDE)
    assert doubled.dtype == np.int64


def test_given_outputs_are_written_and_earlier_results_stay() -> None:
    model, x, out = XLA.compile(CHAIN), floats(2, 3, 8, 8), np.zeros((2, 1, 8, 8), np.float32)
    first, _ = model.run([x, WIDE], [None, None])
    kept = first.copy()

    result, _ = model.run([x + 1, WIDE], [out, None])

    assert result is out
    np.testing.assert_array_equal(first, kept)
    assert not np.array_equal(out, kept)


def test_runs_may_wait() -> None:
    model, x = XLA.compile(CHAIN), floats(2, 3, 8, 8)
    tickets = [model.start([x * n, WIDE], [None, None]) for n in (1, 2)]

    results = [model.wait(ticket)[0] for ticket in reversed(tickets)][::-1]

    np.testing.assert_allclose(results[1], 2 * results[0], rtol=1e-6)


def test_a_stored_model_runs_kept_machine_code(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device, x = XLA.open(), floats(2, 3, 8, 8)
    model = XLA.compile(CHAIN, device)
    assert len(list(own_folder.iterdir())) == 1
    monkeypatch.setattr(executable, "_compiled", None)

    loaded = device.load(model.serialize())

    expected, got = (each.run([x, WIDE], [None, None]) for each in (model, loaded))
    for left, right in zip(expected, got, strict=True):
        np.testing.assert_array_equal(left, right)
    assert loaded.serialize() == model.serialize()


def test_without_machine_code_a_stored_model_is_compiled(own_folder: Path) -> None:
    device, x = XLA.open(), floats(2, 3, 8, 8)
    model = XLA.compile(CHAIN, device)
    for path in own_folder.iterdir():
        path.write_bytes(b"damaged")

    loaded = device.load(model.serialize())

    np.testing.assert_array_equal(
        loaded.run([x, WIDE], [None, None])[0], model.run([x, WIDE], [None, None])[0]
    )


def test_text_that_is_no_module_is_an_error() -> None:
    program = Program("no module", ((DType.FLOAT32, (2,)),), ((DType.FLOAT32, (2,)),))

    with pytest.raises(CompileError, match="xla: compiling a region failed"):
        XLA.open().load(pack(program))


def test_the_file_is_the_module() -> None:
    files = XLA.compile(CHAIN).files()

    assert list(files) == ["region.mlir"]
    assert b"stablehlo.convolution" in files["region.mlir"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "graph main(%x: float16[2]) { Out=%y = exp(X=%x) {} return %y }",
            (
                "%x has elements of float16; conversions to StableHLO take "
                "bool, float32, float64, int8, int16, int32, int64, uint8"
            ),
        ),
        (
            "graph main(%x: float32[2,0]) { Out=%y = exp(X=%x) {} return %y }",
            "%x is empty; the host runs ops on empty tensors",
        ),
        (
            "graph main(%x: float32[4], %i: int64[2]) { Out=%y = gather(X=%x, Index=%i) {} return %y }",
            "Index is computed, and StableHLO does not check that its numbers are below 4",
        ),
        (
            "graph main(%x: int32[4], %y: int32[4]) { Out=%z = elementwise_div(X=%x, Y=%y) {} return %z }",
            "X is int32[4]; quotients are of real numbers, and bool has no arithmetic",
        ),
    ],
)
def test_what_it_does_not_run_is_a_sentence(text: str, reason: str) -> None:
    assert reasons(Xla(Xla.Options(), Settings()), text) == [reason]


SECOND = """
import sys, numpy as np, lite
config = lite.Config(sys.argv[1], devices=["xla"], cache_dir=sys.argv[2], fallback="error")
predictor = lite.create_predictor(config)
predictor.run({"x": np.ones((1, 4), np.float32)})
print(*[note for notes in predictor.explain_cache().values() for note in notes.values()])
"""


def test_a_second_process_takes_the_kept_model(tmp_path: Path, root: Path) -> None:
    XLA.open()
    text = "graph main(%x: float32[1,4]) { Out=%y = tanh(X=%x) {} Out=%z = exp(X=%y) {} return %z }"
    lite.save_program(lower_graph(region(text)), tmp_path / "model")
    command = [sys.executable, "-c", SECOND, str(tmp_path / "model"), str(tmp_path / "cache")]

    notes = [
        subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout for _ in range(2)
    ]

    assert notes[1] == "hit\n"
