"""Checked mode: compiled functions report accesses outside of their arrays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lite.kernels.cpu.checked import CHECKED_VARIABLE

pytest.importorskip("numba", reason="compiled kernels need the extra jit")

UNDECLARED = """
import numpy as np
from lite.kernels.cpu.native.function import Function
from lite.kernels.cpu.native.job import FREE

def message(name, *arguments, arrays, count, cost=0):
    # No lengths are declared, so that nothing but the machine code checks them.
    job = Function(name, lengths=lambda *_: [0] * 20).bind(*arguments, count=count)
    try:
        job(*arrays)
    except IndexError as error:
        return str(error)
    return ""

ones = np.ones(40, np.float32)
"""

RUN = """
import logging, sys
logging.disable()
import numpy as np, onnx
from onnx import helper, numpy_helper
import lite
from lite.kernels.cpu.lengths import table

def model(path):
    weights = [numpy_helper.from_array(np.ones(4, np.float32), "s")]
    node = helper.make_node("LayerNormalization", ["x", "s"], ["y"])
    x = helper.make_tensor_value_info("x", 1, [2, 4])
    graph = helper.make_graph([node], "g", [x], [onnx.ValueInfoProto(name="y")], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
"""


def output_of(code: str, tmp_path: Path, *, checked: str = "1") -> str:
    """What a program prints in checked mode."""
    environment = {
        **os.environ,
        CHECKED_VARIABLE: checked,
        "XDG_CACHE_HOME": str(tmp_path),
        "PYTHONWARNINGS": "ignore",
    }
    ended = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr[-2000:]
    return ended.stdout.strip()


def test_short_arrays_of_instructions_are_reported(tmp_path: Path) -> None:
    code = UNDECLARED + (
        "arrays = [ones, np.zeros(7, np.float32)]\n"
        "print(message('norm.scale_rows', FREE, ones, ones, FREE, 4, arrays=arrays, count=2))"
    )
    assert output_of(code, tmp_path) == (
        "the compiled function norm.scale_rows would read or write outside of its arrays: 16 bytes from byte "
        "16 on; the nearest array is argument 3, of 28 bytes"
    )


def test_indices_of_single_elements_are_reported(tmp_path: Path) -> None:
    code = UNDECLARED + (
        "groups = (ones[:3], ones, ones, FREE, ones.copy(), ones.copy(), 1e-5, 0, 1, 4, 4, 0)\n"
        "print(message('norm.normalise_groups', FREE, *groups, arrays=[ones, ones.copy()], count=1))"
    )
    assert output_of(code, tmp_path) == (
        "the compiled function norm.normalise_groups would read or write outside of its arrays: the index of "
        "an element is outside of its array"
    )


def test_addresses_of_windows_are_reported(tmp_path: Path) -> None:
    code = UNDECLARED + (
        "w, out = np.ones(4096, np.float32), np.zeros(4096, np.float32)\n"
        "more = (w, w, w, w, w, w, FREE, 0, 1, 0, 16, 8)\n"
        "for rows in 2, 3:\n"
        "    x = np.ones(32, np.float32)\n"
        "    print(message('matmul.multiply', FREE, *more, arrays=[x, out], count=rows))"
    )
    assert output_of(code, tmp_path) == (
        "the compiled function matmul.multiply would read or write outside of its arrays: 4 bytes from "
        "byte 128 on; the nearest array is argument 0, of 128 bytes"
    )


def test_arrays_of_the_right_lengths_are_not_reported(tmp_path: Path) -> None:
    code = UNDECLARED + (
        "out = np.zeros(8, np.float32)\n"
        "print([message('norm.scale_rows', FREE, ones, ones, FREE, 4, arrays=[ones[:8], out], count=2)])\n"
        "print(out.tolist())"
    )
    assert output_of(code, tmp_path).splitlines() == ["['']", str([2.0] * 8)]


@pytest.mark.parametrize(("checked", "folder"), [("1", "kernels-checked"), ("0", "kernels"), ("", "kernels")])
def test_the_mode_decides_the_folder(checked: str, folder: str, tmp_path: Path) -> None:
    code = (
        "from lite.kernels.cpu.native.folder import cache_folders\n"
        "print(cache_folders()[-1].name, 'checked' in cache_folders()[0].parts)"
    )
    assert output_of(code, tmp_path, checked=checked) == f"{folder} {folder == 'kernels-checked'}"


def test_a_model_whose_kernel_leaves_its_arrays_fails_with_a_clear_error(tmp_path: Path) -> None:
    code = RUN + (
        "predictor = lite.create_predictor(lite.Config(model_buffer=model('m')))\n"
        "x = np.ones((2, 4), np.float32)\n"
        "from lite.kernels.cpu.native.checked_job import CheckedJob\n"
        "from lite.kernels.cpu.native import checked_job\n"
        "table = checked_job.CheckedJob._table\n"
        "def shrunk(self, packed, given):\n"
        "    made = table(self, packed, given)\n"
        "    made[checked_job.FIRST_ARRAY + 1] -= 4\n"
        "    return made\n"
        "checked_job.CheckedJob._table = shrunk\n"
        "try:\n"
        "    predictor.run({'x': x})\n"
        "except lite.LiteError as error:\n"
        "    print(type(error).__name__, error)"
    )
    text = output_of(code, tmp_path)
    assert text.startswith("ExecutionError op 0: layer_norm(X=x float32[2, 4]")
    assert "would read or write outside of its arrays" in text
