"""Models on emulated Cortex-M boards have the bits of the host's int8 kernels."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.codegen import export_c
from lite.config import Config
from lite.io.save import save_program
from lite.ir.types import Array
from lite.tools.bench.run_by_host import run_by_host
from tests.support.compiled_c import need
from tests.support.data_folders import SHARED
from tests.support.small_images import separable_net

X = np.random.default_rng(0).standard_normal((1, 3, 12, 10)).astype(np.float32)


@pytest.fixture(scope="module")
def quantised(tmp_path_factory: pytest.TempPathFactory) -> Config:
    folder = tmp_path_factory.mktemp("net")
    save_program(separable_net(3), folder / "float")
    lite.quantize(folder / "float", [{"x": X}, {"x": -2 * X}], folder / "int8", layers="all")
    return Config(folder / "int8", input_shapes={"x": X.shape})


def run_on_board(config: Config, board: str, folder: Path, x: Array) -> Array:
    """The output of the model in QEMU; skips the test where the compiler or QEMU is not installed."""
    need("qemu-system-arm")
    need("arm-none-eabi-gcc")
    export = export_c(config, folder, "cortex-m", name="net")
    x.tofile(folder / "input_0.bin")
    command = ["make", "-s", "-C", str(folder), "run", f"BOARD={board}"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "warning" not in result.stderr
    return np.fromfile(folder / "output_0.bin", np.float32).reshape(export.outputs[0].shape)


@pytest.mark.parametrize("board", ["lm3s6965evb", "mps2-an385", "mps2-an386", "mps3-an547"])
def test_a_quantised_model_has_the_same_bits_on_boards(quantised: Config, board: str, tmp_path: Path) -> None:
    result = run_on_board(quantised, board, tmp_path / "c", X)

    [wanted] = run_by_host(quantised, {"x": X})
    np.testing.assert_array_equal(result, wanted)


@pytest.mark.parametrize("board", ["mps2-an386", "mps3-an547"])
def test_a_float_model_runs_on_boards(board: str, tmp_path: Path) -> None:
    save_program(separable_net(1), tmp_path / "float")
    config = Config(tmp_path / "float", input_shapes={"x": X.shape})

    result = run_on_board(config, board, tmp_path / "c", X)

    [wanted] = run_by_host(config, {"x": X})
    np.testing.assert_allclose(result, wanted, rtol=0, atol=1e-6 * np.abs(wanted).max())


@pytest.mark.parametrize("board", ["mps2-an385", "mps2-an386", "mps3-an547"])
def test_paddles_quantised_model_has_the_same_bits_on_boards(board: str, tmp_path: Path) -> None:
    folder = SHARED / "models" / "paddle_quant" / "new_ptq_static_cnn"
    if not folder.is_dir():
        pytest.skip("the shared models are absent")
    config = Config(folder, input_shapes={"x": (1, 3, 32, 32)})
    x = np.random.default_rng(1).standard_normal((1, 3, 32, 32)).astype(np.float32)

    result = run_on_board(config, board, tmp_path / "c", x)

    [wanted] = run_by_host(config, {"x": x})
    np.testing.assert_array_equal(result, wanted)
