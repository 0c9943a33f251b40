"""Equalised models compute the same, and the ranges of their channels are alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.program import Program
from lite.ir.types import Array, DType
from lite.ops.program_graph import program_graph
from lite.quantization.equalization import Link, equalized, find_links
from lite.quantization.offsets import Slice
from lite.quantization.onnx_model import OnnxModel
from lite.quantization.paddle_model import PaddleModel
from lite.quantization.recipe import FloatModel
from lite.session.predictor import Predictor
from tests.lite.quantization.models import CONV, onnx_model, program, samples
from tests.support.small_programs import make_program


def outputs(source: FloatModel) -> list[Array]:
    predictor = Predictor.of_program(source.program, lite.Config("unused", passes=[], valid_places=["host"]))
    return [next(iter(predictor.run(sample).values())).copy() for sample in samples(2)]


def links_of(source: FloatModel) -> list[Link]:
    return find_links(program_graph(source.program), source.layers)


def normalised() -> Program:
    """conv2d, batch_norm, leaky_relu, pool2d, conv2d; and a layer_norm that two products read."""
    rng = np.random.default_rng(3)
    weights = {
        "w1": rng.standard_normal((8, 3, 3, 3)),
        "w2": rng.standard_normal((4, 8, 1, 1)),
        **{name: rng.uniform(0.5, 2, 8) for name in ("scale", "bias", "mean", "variance")},
        "gamma": rng.uniform(0.5, 2, 3),
        "beta": rng.standard_normal(3),
        "w3": rng.standard_normal((3, 5)),
        "w4": rng.standard_normal((3, 5)),
    }
    norm = {"X": ["a"], "Scale": ["scale"], "Bias": ["bias"], "Mean": ["mean"], "Variance": ["variance"]}
    return make_program(
        {"x": (DType.FLOAT32, (-1, 3, 6, 6))},
        {name: array.astype(np.float32) for name, array in weights.items()},
        [
            ("conv2d", {"Input": ["x"], "Filter": ["w1"]}, {"Output": ["a"]}, CONV),
            ("batch_norm", norm, {"Y": ["b"]}, {"is_test": True}),
            ("leaky_relu", {"X": ["b"]}, {"Out": ["c"]}, {"alpha": 0.1}),
            ("pool2d", {"X": ["c"]}, {"Out": ["d"]}, {"pooling_type": "max", "ksize": [2, 2]}),
            ("conv2d", {"Input": ["d"], "Filter": ["w2"]}, {"Output": ["e"]}, {**CONV, "paddings": [0, 0]}),
            ("reduce_mean", {"X": ["x"]}, {"Out": ["f"]}, {"dim": [2, 3], "keep_dim": False}),
            (
                "layer_norm",
                {"X": ["f"], "Scale": ["gamma"], "Bias": ["beta"]},
                {"Y": ["g"]},
                {"begin_norm_axis": 1},
            ),
            ("matmul_v2", {"X": ["g"], "Y": ["w3"]}, {"Out": ["h"]}, {}),
            ("matmul_v2", {"X": ["g"], "Y": ["w4"]}, {"Out": ["i"]}, {}),
        ],
        ["e", "h", "i"],
    )


CASES: dict[str, tuple[Callable[[], FloatModel], list[Link]]] = {
    "paddle": (
        lambda: PaddleModel(program()),
        [Link("b", 1, 8, (Slice("w1", 0),), (Slice("w2", 0),))],
    ),
    "onnx": (
        lambda: OnnxModel(onnx_model(), "model"),
        [
            Link("b", 1, 8, (Slice("w1", 0), Slice("b1", 0)), (Slice("w2", 0),)),
            Link("d", -1, 8, (Slice("w2", 0),), (Slice("w3", 0),)),
        ],
    ),
    "normalised": (
        lambda: PaddleModel(normalised()),
        [
            Link("d", 1, 8, (Slice("scale", 0), Slice("bias", 0)), (Slice("w2", 1),)),
            Link("g", -1, 3, (Slice("gamma", 0), Slice("beta", 0)), (Slice("w3", 0), Slice("w4", 0))),
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_links_are_found_and_the_model_computes_the_same(name: str) -> None:
    make, expected = CASES[name]
    source = make()
    links = links_of(source)
    ranges = {link.activation: np.linspace(0.01, 10, link.channels) for link in links}

    arrays = equalized(source, links, ranges)

    assert links == expected
    assert set(arrays) == {each.name for link in links for each in (*link.before, *link.after)}
    for result, exact in zip(outputs(source.with_constants(arrays)), outputs(source), strict=True):
        np.testing.assert_allclose(result, exact, rtol=1e-4, atol=1e-4)


def test_channels_get_ranges_like_those_of_their_weights() -> None:
    source = PaddleModel(program())
    [link] = links_of(source)
    reach = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 0.0, 1.0, 1.0])

    weights = equalized(source, [link], {"b": reach})

    factors = (weights["w2"] / source.weight("w2")).reshape(8, -1)
    most = np.abs(source.weight("w2")).reshape(8, -1).max(1)
    balanced = reach[:5] / factors[:5, 0] / (most[:5] * factors[:5, 0])
    np.testing.assert_allclose(factors, factors[:, :1] * np.ones(9), rtol=1e-5)
    np.testing.assert_allclose(balanced, balanced[0], rtol=1e-4)


def test_an_activation_that_others_read_is_left() -> None:
    ops = [
        ("conv2d", {"Input": ["x"], "Filter": ["w1"]}, {"Output": ["a"]}, CONV),
        ("relu", {"X": ["a"]}, {"Out": ["b"]}, {}),
        ("depthwise_conv2d", {"Input": ["b"], "Filter": ["w2"]}, {"Output": ["c"]}, {**CONV, "groups": 8}),
    ]
    weights = {name: array for name, array in program().weights.items() if name != "w3"}
    inputs = {"x": (DType.FLOAT32, (-1, 3, 6, 6))}
    arrays = {name: weight.array for name, weight in weights.items()}

    assert links_of(PaddleModel(make_program(inputs, arrays, ops, ["c"])))
    assert not links_of(PaddleModel(make_program(inputs, arrays, ops, ["b", "c"])))
    tanh = [ops[0], ("tanh", *ops[1][1:]), ops[2]]
    assert not links_of(PaddleModel(make_program(inputs, arrays, tanh, ["c"])))


def test_uneven_channels_lose_less(tmp_path: Path) -> None:
    source = program()
    weights = {name: weight.array for name, weight in source.weights.items()}
    factors = np.logspace(-2, 1, 8, dtype=np.float32).reshape(8, 1, 1, 1)
    uneven = PaddleModel(source).with_constants(
        {"w1": weights["w1"] * factors, "w2": weights["w2"] / factors}
    )
    lite.save_program(uneven.program, tmp_path / "float")

    plain, even = (
        lite.quantize(tmp_path / "float", samples(), tmp_path / "int8", layers="all", equalize=equalize)
        for equalize in (False, True)
    )

    assert even.outputs[0].sqnr > plain.outputs[0].sqnr + 6
