"""The device: availability, options, and its limits."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from lite.bridges.sim_npu import limits
from lite.bridges.sim_npu.device import NODES_OF_AN_OP, SimNpu
from lite.bridges.sim_npu.sdk import version
from lite.errors import CompileError
from lite.ops import canonical_op
from lite.plugin.device import BRIDGES, DEVICES
from lite.plugin.loader import load_all_bridges, load_devices
from lite.tools.conformance import read_cases
from tests.bridges.devices import SIM_NPU
from tests.bridges.sim_npu.nodes import nodes_of


def test_the_loader_finds_the_device() -> None:
    load_devices()
    assert DEVICES.get("sim_npu") is SimNpu


def test_the_device_is_available_and_has_a_version() -> None:
    assert SIM_NPU.open().available() is None
    assert SIM_NPU.open().version() == f"SimNPU SDK {version()}"


def test_loading_bridges_does_not_import_the_sdk(root: Path) -> None:
    code = (
        "import sys; from lite.plugin.loader import load_bridges, load_devices; load_devices(); "
        "load_bridges('sim_npu', ['conv2d', 'batch_norm', 'pool2d']); "
        "print([name for name in sys.modules if name.startswith('lite.bridges.sim_npu.sdk')])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_options_limit_regions() -> None:
    limited = SIM_NPU.open(max_ops=7, max_inputs=3).limits

    assert (limited.ops, limited.inputs) == (7, 3)
    assert SIM_NPU.open().limits.ops == limits.NODES // NODES_OF_AN_OP
    assert SIM_NPU.open().limits.weight_bytes == limits.WEIGHT_BYTES


def test_an_op_that_its_bridge_declines_is_a_compile_error() -> None:
    text = "graph main(%x: float32[2]) { %y = relu(X=%x) %z = leaky_relu(X=%y) {alpha=2.0} return %z }"

    assert SIM_NPU.reasons(text) == [None, "alpha is 2.0; the device takes at most 1"]
    with pytest.raises(CompileError, match=r"leaky_relu 'z': alpha is 2\.0") as caught:
        SIM_NPU.compile(text)
    assert caught.value.op == "z"


def test_an_op_without_a_bridge_is_declined() -> None:
    text = "graph main(%x: float32[2]) { %y = sin(X=%x) return %y }"
    assert SIM_NPU.reasons(text) == ["sim_npu has no bridge for sin"]


def test_the_bridge_with_the_most_nodes_is_within_the_limits() -> None:
    # mul reshapes both operands and its result.
    text = """graph main(%x: float32[2,3,4,5], %y: float32[4,5,6,7]) {
        %z = mul(X=%x, Y=%y) {x_num_col_dims=2, y_num_col_dims=2} return %z }"""
    assert sum(nodes_of(text).values()) == NODES_OF_AN_OP


def test_every_bridge_has_conformance_cases() -> None:
    load_all_bridges("sim_npu")
    bridged = {op for device, op in BRIDGES if device == "sim_npu" and "." not in op}

    assert bridged - {canonical_op(case.op) for case in read_cases()} == set()
    assert len(bridged) == 48


def test_threads_open_the_hardware_once() -> None:
    device = SIM_NPU.open()
    opened: list[object] = []
    threads = [threading.Thread(target=lambda: opened.append(device._npu)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(opened) == 8
    assert len({id(npu) for npu in opened}) == 1
