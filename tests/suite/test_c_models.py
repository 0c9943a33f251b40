"""Whole models in C against the engine, by gcc and clang."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lite.config import Config
from lite.ir.types import Array, Shape
from lite.session.predictor import create_predictor
from tests.support.compiled_c import QUICK, compile_model
from tests.support.data_folders import SHARED
from tests.support.ocr_models import TWINS, Twin

PADDLE = SHARED / "models" / "paddle"

SHAPES: dict[str, dict[str, Shape]] = {
    "mobilenet_v3_small_x0_5": {"image": (1, 3, 64, 64)},
    "transformer_encoder": {"ids": (2, 7)},
    "crnn_lstm_gru": {"x": (1, 3, 32, 64)},
    "unet": {"x": (1, 3, 64, 64)},
    "vit_tiny": {"x": (1, 3, 64, 64)},
    "while_and_cond": {"x": (2, 8), "n": (1,)},
}

INTEGERS = ("ids", "n")
"""The inputs that are int64."""

COMPILERS = {"transformer_encoder": "clang", "unet": "clang"}
"""The others are compiled by gcc."""


def feeds_of(shapes: dict[str, Shape]) -> dict[str, Array]:
    rng = np.random.default_rng(0)
    sizes = {name: tuple(dim for dim in shape if isinstance(dim, int)) for name, shape in shapes.items()}
    return {
        name: rng.integers(0, 9, size) if name in INTEGERS else rng.standard_normal(size).astype(np.float32)
        for name, size in sizes.items()
    }


def check(config: Config, feeds: dict[str, Array], folder: Path, compiler: str = "gcc") -> None:
    expected = create_predictor(config).run(dict(feeds))
    model = compile_model(config, folder, QUICK, compiler)
    for argument, result in zip(model.export.outputs, model.run(feeds), strict=True):
        wanted = expected[argument.name]
        if wanted.dtype.kind == "f":
            np.testing.assert_allclose(result, wanted, rtol=0, atol=2e-5 * np.abs(wanted).max(initial=1e-6))
        else:
            np.testing.assert_array_equal(result, wanted)


@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
def test_reference_models_equal_the_engine(name: str, tmp_path: Path) -> None:
    if not (PADDLE / name).is_dir():
        pytest.skip("the shared models are absent")

    config = Config(PADDLE / name, input_shapes=SHAPES[name])
    check(config, feeds_of(SHAPES[name]), tmp_path / "c", COMPILERS.get(name, "gcc"))


@pytest.mark.slow
@pytest.mark.parametrize("twin", [twin for twin in TWINS if twin.is_own or twin.name == "cls"], ids=str)
def test_readers_of_text_equal_the_engine(twin: Twin, tmp_path: Path) -> None:
    path = twin.path("onnx")
    x = twin.image(0)
    program = Config(model_file=path, passes=[])
    name = create_predictor(program).input_names[0]

    check(Config(model_file=path, input_shapes={name: x.shape}), {name: x}, tmp_path / "c")
