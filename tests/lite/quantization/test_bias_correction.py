"""Corrected biases give the results of quantised layers the means of the float ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.types import Array
from lite.ops.program_graph import program_graph
from lite.quantization.bias_correction import Means
from lite.quantization.geometry import Geometry
from lite.quantization.grid import Scheme, quantize_weight
from lite.quantization.offsets import nodes_of, offset_of
from lite.quantization.onnx_model import OnnxModel
from tests.lite.quantization.models import onnx_model, samples, save_onnx


def test_the_shift_is_what_the_mean_lacks() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 3, (40, 6)).astype(np.float32)
    weight = rng.standard_normal((6, 4)).astype(np.float32)
    grid, rounded = Scheme(symmetric=False).grid(0.0, 2.0), quantize_weight(weight, 1, 4)
    means = Means(Geometry(), grid)
    for part in (x[:10], x[10:]):
        means.see(part)

    shift = means.shift(weight, rounded, 1)

    assert shift is not None
    expected = (x @ weight - grid.nearest(x) @ rounded.dequantized()).mean(0)
    np.testing.assert_allclose(shift, expected, atol=1e-5)


def test_the_constants_after_layers_are_found() -> None:
    source = OnnxModel(onnx_model(), "model")
    nodes = nodes_of(program_graph(source.program), source.layers)

    offsets = {
        name: offset_of(node, size) for (name, node), size in zip(nodes.items(), (8, 8, 5), strict=True)
    }

    assert {name: offset and (offset.name, offset.sign) for name, offset in offsets.items()} == {
        "a": ("b1", 1),
        "c": None,
        "y": ("b3", 1),
    }


def test_the_mean_of_the_output_is_that_of_the_float_model(tmp_path: Path) -> None:
    model, target = save_onnx(tmp_path / "float.onnx"), tmp_path / "int8.onnx"
    exact = outputs(model)
    means = []
    for correct in (False, True):
        lite.quantize(
            model,
            samples(),
            target,
            rounding="nearest",
            percentile=95.0,
            layers="all",
            keep=["a", "c"],
            correct_biases=correct,
        )
        means.append(np.abs((outputs(target) - exact).mean(axis=(0, 1))).mean())

    assert means[1] < 0.1 * means[0]


def outputs(model: Path) -> Array:
    predictor = lite.create_predictor(lite.Config(model, valid_places=["host"]))
    return np.stack([next(iter(predictor.run(sample).values())) for sample in samples()])


@pytest.mark.parametrize("is_better", [True, False])
def test_the_correction_is_kept_if_it_lowers_the_noise(
    is_better: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A correction of the wrong sign is left out."""
    shift = Means.shift
    if not is_better:
        monkeypatch.setattr(Means, "shift", lambda *args: -np.asarray(shift(*args)))
    model, targets = save_onnx(tmp_path / "float.onnx"), [tmp_path / f"{n}.onnx" for n in range(2)]
    options = {"rounding": "nearest", "percentile": 95.0, "layers": "all", "keep": ["a", "c"]}

    for target, correct in zip(targets, (None, is_better), strict=True):
        lite.quantize(model, samples(), target, correct_biases=correct, **options)  # type: ignore[arg-type]

    assert targets[0].read_bytes() == targets[1].read_bytes()
