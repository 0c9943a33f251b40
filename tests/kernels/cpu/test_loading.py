"""Compiled kernels in a process that did not compile them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import lite
from tests.support.small_convnet import convnet

CODE = """
import sys, numpy, lite
predictor = lite.create_predictor(lite.Config(sys.argv[1]))
predictor.run([numpy.ones((1, 3, 8, 8), numpy.float32)])
print("numba" in sys.modules, "llvmlite" in sys.modules)
"""


def test_a_second_process_imports_neither_numba_nor_llvm(root: Path, tmp_path: Path) -> None:
    lite.save_program(convnet(), tmp_path / "net")
    environment = {**os.environ, "LITEBRIDGE_KERNEL_CACHE": str(tmp_path / "kernels")}
    command = [sys.executable, "-c", CODE, str(tmp_path / "net")]
    printed = [
        subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert printed[0].split()[0] == "True"
    assert printed[1] == "False False\n"
