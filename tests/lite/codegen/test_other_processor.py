"""The same sources for another processor, run by user-mode QEMU, and as a shared library."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.codegen import export_c
from lite.config import Config
from lite.io.save import save_program
from lite.ir.program import Program
from lite.tools.bench.run_by_host import run_by_host
from tests.support.compiled_c import need
from tests.support.small_convnet import convnet
from tests.support.small_images import separable_net

X = np.random.default_rng(0).standard_normal((1, 3, 12, 10)).astype(np.float32)
SYSROOT = "/usr/aarch64-linux-gnu"


def run_on_aarch64(config: Config, folder: Path) -> list[float]:
    """The elements of the output; skips the test where the compiler or QEMU is not installed."""
    emulator = need("qemu-aarch64")
    compiler = need("aarch64-linux-gnu-gcc")
    export = export_c(config, folder, name="net")
    X.tofile(folder / "x.bin")
    subprocess.run(["make", "-s", "-C", str(folder), f"CC={compiler}", "MACHINE="], check=True)
    command = [emulator, "-L", SYSROOT, str(folder / export.name), "x.bin", "y.bin"]
    subprocess.run(command, check=True, cwd=folder)
    return [float(each) for each in np.fromfile(folder / "y.bin", np.float32)]


@pytest.mark.parametrize("net", [convnet(), separable_net(2)], ids=["dense", "separable"])
def test_float_models_run_on_aarch64(net: Program, tmp_path: Path) -> None:
    save_program(net, tmp_path / "float")
    config = Config(tmp_path / "float", input_shapes={"x": X.shape})

    result = run_on_aarch64(config, tmp_path / "c")

    [wanted] = run_by_host(config, {"x": X})
    np.testing.assert_allclose(result, wanted.reshape(-1), rtol=0, atol=2e-6 * np.abs(wanted).max())


def test_a_shared_library_runs_on_aarch64(tmp_path: Path) -> None:
    emulator, compiler = need("qemu-aarch64"), need("aarch64-linux-gnu-gcc")
    save_program(convnet(), tmp_path / "float")
    config = Config(tmp_path / "float", input_shapes={"x": X.shape})
    folder = tmp_path / "shared"
    export_c(config, folder, "shared", "net")
    (folder / "libnet.so").unlink()
    make = ["make", "-s", "-C", str(folder), f"CC={compiler}", "MACHINE="]
    subprocess.run([*make, "libnet.so", "example"], check=True)
    X.tofile(folder / "x.bin")

    command = [emulator, "-L", SYSROOT, "./example", "./libnet.so", "x.bin", "y.bin"]
    subprocess.run(command, check=True, cwd=folder)

    [wanted] = run_by_host(config, {"x": X})
    result = np.fromfile(folder / "y.bin", np.float32)
    np.testing.assert_allclose(result, wanted.reshape(-1), rtol=0, atol=2e-6 * np.abs(wanted).max())


def test_a_quantised_model_has_the_same_bits_on_aarch64(tmp_path: Path) -> None:
    save_program(separable_net(2), tmp_path / "float")
    lite.quantize(tmp_path / "float", [{"x": X}], tmp_path / "int8", layers="all")
    config = Config(tmp_path / "int8", input_shapes={"x": X.shape})

    result = run_on_aarch64(config, tmp_path / "c")

    [wanted] = run_by_host(config, {"x": X})
    np.testing.assert_array_equal(result, wanted.reshape(-1))
