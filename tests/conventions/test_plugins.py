"""Every plug-in file registers something, and the loader finds it by the names in its source."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lite.plugin import loader
from lite.plugin.kernel import KERNELS


def test_every_kernel_is_found_by_its_ops_name() -> None:
    loader.load_all_kernels()
    index = loader.modules_by_word(loader.KERNELS)
    lost = [
        (op, KERNELS.owner((op, place)))
        for op, place in KERNELS
        if KERNELS.owner((op, place)).startswith("lite.kernels.")
        and KERNELS.owner((op, place)) not in index.get(op, ())
    ]
    assert lost == []


def test_every_file_with_a_kernel_decorator_registers_one() -> None:
    loader.load_all_kernels()
    owners = {KERNELS.owner(key) for key in KERNELS}
    files = loader.modules_that_call("kernel", loader.KERNELS)
    assert [module for module in files if module not in owners] == []


@pytest.mark.parametrize("op", ["relu", "conv2d"])
def test_only_the_files_that_a_model_needs_are_imported(root: Path, op: str) -> None:
    code = (
        "import sys; from lite.plugin.loader import load_kernels; load_kernels([sys.argv[1]]); "
        "print(sum(name.startswith('lite.kernels.host.') for name in sys.modules))"
    )
    command = [sys.executable, "-c", code, op]
    loaded = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    assert 1 <= int(loaded) <= 20


def test_kernels_load_and_run_without_numba(root: Path) -> None:
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('numba', 'llvmlite'))); import numpy as np; "
        "from lite.plugin.loader import load_aot, load_all_kernels; load_all_kernels(); load_aot(); "
        "from lite.plugin.kernel.aot import AOT; print(AOT.get('cpu')().why_not); "
        "from tests.support.small_convnet import convnet; from tests.support.op_cases import predictor_of; "
        "y = predictor_of(convnet()).run([np.zeros((1, 3, 12, 40), np.float32)]); print(*y)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == "numba is not installed; pip install 'litebridge[jit]'\ny\n"
