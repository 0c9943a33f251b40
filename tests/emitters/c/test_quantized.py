"""Quantised ops in C have the bits of the host's kernels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.config import Config
from lite.io.save import save_program
from lite.tools.bench.run_by_host import run_by_host
from tests.support.compiled_c import FAST, SANITIZED, compile_model
from tests.support.small_images import separable_net


@pytest.mark.parametrize("flags", [FAST, SANITIZED], ids=["fast", "sanitized"])
@pytest.mark.parametrize("layers", ["dense", "all"])
def test_quantised_models_have_the_same_bits(flags: tuple[str, ...], layers: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    save_program(separable_net(3), tmp_path / "float")
    samples = [{"x": rng.standard_normal((2, 3, 12, 10)).astype(np.float32)} for _ in range(3)]
    lite.quantize(tmp_path / "float", samples, tmp_path / "int8", layers=layers)
    config = Config(tmp_path / "int8", input_shapes={"x": (2, 3, 12, 10)})
    exact = compile_model(config, tmp_path / "c", flags)

    for feeds in samples:
        [result] = exact.run(feeds)
        [wanted] = run_by_host(config, feeds)
        if layers == "all":
            np.testing.assert_array_equal(result, wanted)
        else:
            np.testing.assert_allclose(result, wanted, rtol=0, atol=0.05 * np.abs(wanted).max())
