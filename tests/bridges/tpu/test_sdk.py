"""Regions and models on the simulator of TPU-MLIR, where the device's environment is installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.errors import CompileError
from lite.plugin.device import Device, Settings
from lite.session.devices import open_in_its_process
from tests.bridges.arrays import assert_close
from tests.bridges.region import check, compiled, on_host
from tests.bridges.tpu.conversion import numbers
from tests.bridges.tpu.test_ops import constant
from tests.support.device_availability import require
from tests.support.small_convnet import convnet


@pytest.fixture(scope="module", autouse=True)
def _sdk() -> None:
    require("tpu")


@pytest.fixture(scope="module")
def tpu() -> Device[Any]:
    """One worker for the tests that do not end it."""
    return open_in_its_process("tpu", Settings())


LAYERS = (
    "graph main(%x: float32[1,4,7,6]) { "
    + constant("w", numbers(8, 2, 3, 3))
    + constant("b", numbers(8))
    + constant("v", numbers(8, 3, 2, 2))
    + """
    Output=%c = conv2d(Input=%x, Filter=%w, Bias=%b) {groups=2, paddings=[0, 1, 2, 0], strides=[2, 1]}
    %h = hard_swish(X=%c)
    Output=%d = conv2d_transpose(Input=%h, Filter=%v) {groups=4, strides=[2, 2], output_padding=[1, 0]}
    %p = pool2d(X=%d) {ksize=[3, 2], strides=[2, 2], paddings=[1, 0], ceil_mode=true, pooling_type="max"}
    %s = softmax(X=%p) {axis=1}
    return %s, %c }
    """
)


def test_a_region_equals_the_host(tpu: Device[Any]) -> None:
    check(tpu, LAYERS, numbers(1, 4, 7, 6), tolerance=1e-5)


@pytest.mark.parametrize(("options", "tolerance"), [("precision=f16", 1e-2), ("chip=BM1688", 1e-5)])
def test_other_precisions_and_chips(options: str, tolerance: float) -> None:
    check(open_in_its_process(f"tpu{{{options}}}"), LAYERS, numbers(1, 4, 7, 6), tolerance=tolerance)


def test_a_stored_model_is_loaded_by_another_worker(tpu: Device[Any]) -> None:
    blob = compiled(tpu, LAYERS).serialize()
    assert blob is not None
    assert blob[:8] == b"LBTPUBM1"
    x = numbers(1, 4, 7, 6)
    results = open_in_its_process("tpu").load(blob).run([x], [None, None])
    for result, expected in zip(results, on_host(LAYERS, [x]), strict=True):
        assert_close(result, expected, 1e-5)


def test_the_bmodel_is_the_file_of_a_build(tpu: Device[Any]) -> None:
    model = compiled(tpu, LAYERS)
    ((path, content),) = model.files().items()
    assert path == "region.bmodel"
    assert (model.serialize() or b"").endswith(content)
    assert content[:4] == b"\xee\xaa\x55\xff"


@pytest.mark.parametrize("added", ["%m, Y=%b", "%b, Y=%m"])
def test_a_relu_after_a_product_and_a_computed_row_is_kept(tpu: Device[Any], added: str) -> None:
    text = f"""graph main(%x: float32[4,6], %w: float32[6,8], %b: float32[8]) {{
      %m = matmul_v2(X=%x, Y=%w)
      %s = elementwise_add(X={added})
      %y = relu(X=%s)
      return %y }}"""
    check(tpu, text, numbers(4, 6), numbers(6, 8), numbers(8), tolerance=1e-5)


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_a_scale_places_the_pixels_of_a_given_size(tpu: Device[Any], scale: float) -> None:
    text = f"""graph main(%x: float32[1,2,3,4]) {{
      %o = const int32[2] [5, 9]
      %y = nearest_interp_v2(X=%x, OutSize=%o) {{scale=[{scale}, {scale}], align_corners=false}}
      return %y }}"""
    check(tpu, text, numbers(1, 2, 3, 4), tolerance=1e-5)


def test_models_of_one_worker_run_in_turns(tpu: Device[Any]) -> None:
    sizes = (8, 16, 24)
    weights = constant("w", numbers(64, 3, 3, 3)) + constant("v", numbers(64, 64, 3, 3))
    texts = [
        f"graph main(%x: float32[1,3,{size},{size}]) {{ {weights}"
        """
        Output=%c = conv2d(Input=%x, Filter=%w) {paddings=[1, 1]}
        %h = hard_swish(X=%c)
        Output=%d = conv2d(Input=%h, Filter=%v) {paddings=[1, 1]}
        %y = sigmoid(X=%d)
        return %y }
        """
        for size in sizes
    ]
    models = [compiled(tpu, text) for text in texts]
    for n in (0, 1, 2, 1, 0, 2):
        x = numbers(1, 3, sizes[n], sizes[n])
        [result] = models[n].run([x], [None])
        [expected] = on_host(texts[n], [x])
        assert_close(result, expected, 1e-4)


@pytest.mark.parametrize("damage", ["short", "magic", "flipped"])
def test_a_damaged_model_is_refused(tpu: Device[Any], damage: str) -> None:
    blob = bytearray(
        compiled(tpu, "graph main(%x: float32[2]) { %y = exp(X=%x) return %y }").serialize() or b""
    )
    if damage == "flipped":
        blob[-1] ^= 1
    wrong = {"short": bytes(blob[:9]), "magic": b"other" + bytes(blob[5:])}.get(damage, bytes(blob))
    with pytest.raises(CompileError, match=r"tpu: .*a stored model"):
        tpu.load(wrong)


def test_results_that_are_inputs(tpu: Device[Any]) -> None:
    text = """
    graph main(%x: float32[2,3]) {
      %v = reshape2(X=%x) {shape=[3, 2]}
      %e = exp(X=%x)
      return %x, %v, %e, %e
    }
    """
    check(tpu, text, numbers(2, 3))


def test_strict_precision_is_float32() -> None:
    device = open_in_its_process("tpu{precision=f16}", Settings(precision="strict"))
    assert device.version().endswith("BM1684X, f32")
    assert device.precisions[0].name == "float32"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("chip=BM1690", "chip: expected one of BM1684X, BM1688, got 'BM1690'"),
        ("precision=int8", "precision: expected one of f32, f16, bf16, got 'int8'"),
        ("optimization=7", "optimization: expected one of 0, 1, 2, got 7"),
    ],
)
def test_unknown_options_give_a_reason(options: str, reason: str) -> None:
    assert open_in_its_process(f"tpu{{{options}}}").available() == reason


CODE = """
import sys, numpy, lite
model, cache = sys.argv[1:]
p = lite.create_predictor(lite.Config(model, devices=["tpu"], cache_dir=cache, fallback="error"))
p.run([numpy.ones((1, 3, 6, 6), numpy.float32)])
print(p.report().regions[0].state)
"""


def test_a_second_process_loads_the_model_and_prints_nothing_of_the_sdk(tmp_path: Path, root: Path) -> None:
    lite.save_program(convnet(), tmp_path / "net")
    command = [sys.executable, "-c", CODE, str(tmp_path / "net"), str(tmp_path / "cache")]
    outputs = [
        subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout for _ in range(2)
    ]
    assert outputs == ["built\n", "loaded\n"]
    assert not list(root.glob("region*"))


def test_the_results_of_a_model_equal_the_hosts(tmp_path: Path) -> None:
    lite.save_program(convnet(), tmp_path / "net")
    x = np.random.default_rng(0).standard_normal((1, 3, 6, 6)).astype(np.float32)
    config = lite.Config(tmp_path / "net", devices=["tpu"], fallback="error")
    [result] = lite.create_predictor(config).run([x]).values()
    [expected] = lite.create_predictor(lite.Config(tmp_path / "net", precision="strict")).run([x]).values()
    assert_close(result, expected, 1e-5)
