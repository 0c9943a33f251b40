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
from lite.plugin.device import BRIDGES, DEVICES
from lite.plugin.loader import load_all_bridges, load_devices
from lite.tools.conformance import read_cases
from tests.bridges.region import on_device, reasons
from tests.bridges.sim_npu.opened import nodes_of, opened
from tests.bridges.sim_npu.sdk.program_run import floats


def test_the_loader_finds_it() -> None:
    load_devices()
    assert DEVICES.get("sim_npu") is SimNpu


def test_it_is_here_and_says_which() -> None:
    assert opened().available() is None
    assert opened().version() == f"SimNPU SDK {version()}"


def test_the_sdk_is_imported_when_it_is_needed(root: Path) -> None:
    code = (
        "import sys; from lite.plugin.loader import load_devices, load_all_bridges; load_devices(); "
        "load_bridges = __import__('lite.plugin.loader').plugin.loader.load_bridges; "
        "load_bridges('sim_npu', ['conv2d', 'batch_norm', 'pool2d']); "
        "print([name for name in sys.modules if name.startswith('lite.bridges.sim_npu.sdk')])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_regions_are_limited() -> None:
    found = opened(max_ops=7, max_inputs=3).limits

    assert (found.ops, found.inputs) == (7, 3)
    assert opened().limits.ops == limits.NODES // NODES_OF_AN_OP
    assert opened().limits.weight_bytes == limits.WEIGHT_BYTES


def test_a_sentence_of_a_bridge_stops_the_conversion() -> None:
    text = "graph main(%x: float32[2]) { %y = relu(X=%x) %z = leaky_relu(X=%y) {alpha=2.0} return %z }"

    assert reasons(opened(), text) == [None, "alpha is 2.0; the device's is at most 1"]
    with pytest.raises(CompileError, match=r"leaky_relu 'z': alpha is 2\.0") as caught:
        on_device(opened(), text, [floats(2)])
    assert caught.value.op == "z"


def test_ops_without_a_bridge() -> None:
    text = "graph main(%x: float32[2]) { %y = sin(X=%x) return %y }"
    assert reasons(opened(), text) == ["sim_npu has no bridge for sin"]


def test_no_bridge_adds_more_nodes_than_the_limits_count_on() -> None:
    # Those with the most: mul reshapes both operands and its result, stack reshapes what it joins.
    text = """graph main(%x: float32[2,3,4,5], %y: float32[4,5,6,7]) {
        %z = mul(X=%x, Y=%y) {x_num_col_dims=2, y_num_col_dims=2} return %z }"""
    assert sum(nodes_of(text).values()) == NODES_OF_AN_OP


def test_every_bridge_is_of_an_op_with_conformance_cases() -> None:
    load_all_bridges("sim_npu")
    bridged = {op for device, op in BRIDGES if device == "sim_npu" and "." not in op}

    assert bridged - {case.op for case in read_cases()} == set()
    assert len(bridged) == 52


def test_threads_open_the_hardware_once() -> None:
    device = opened()
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(device._npu)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 8
    assert len({id(npu) for npu in found}) == 1
