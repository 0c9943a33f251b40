"""Views between joined steps: they are made before, and part no steps."""

from __future__ import annotations

import numpy as np
import onnx.parser
import pytest

import lite
from lite.ir.program import Program
from lite.ir.types import DType
from lite.runtime.direct_run import DirectRun
from lite.runtime.joined_steps import JoinedStep
from tests.support.small_programs import make_program

pytest.importorskip("numba", reason="only compiled kernels launch")


def viewed() -> Program:
    """``z`` = softmax of relu(x · w), seen as one row, and ``y`` = its softmax, for float32[?, 4, 4]."""
    weights = {"w": np.random.default_rng(0).standard_normal((16, 16)).astype(np.float32)}
    return make_program(
        {"x": (DType.FLOAT32, (-1, 4, 4))},
        weights,
        [
            ("reshape2", {"X": ["x"]}, {"Out": ["flat"]}, {"shape": [-1, 16]}),
            ("matmul_v2", {"X": ["flat"], "Y": ["w"]}, {"Out": ["a"]}, {}),
            ("relu", {"X": ["a"]}, {"Out": ["b"]}, {}),
            ("reshape2", {"X": ["b"]}, {"Out": ["c"]}, {"shape": [-1, 4, 4]}),
            ("softmax", {"X": ["c"]}, {"Out": ["d"]}, {"axis": -1}),
            ("unsqueeze2", {"X": ["d"]}, {"Out": ["e"]}, {"axes": [1]}),
            ("softmax", {"X": ["e"]}, {"Out": ["y"]}, {"axis": -1}),
            ("flatten_contiguous_range", {"X": ["d"]}, {"Out": ["z"]}, {"start_axis": 0, "stop_axis": -1}),
        ],
        ["y", "z"],
    )


def predictor() -> lite.Predictor:
    return lite.Predictor.of_program(viewed(), lite.Config("unused"))


def test_views_do_not_part_the_steps_around_them() -> None:
    model = predictor()
    for seed in range(4):
        x = np.random.default_rng(seed).standard_normal((3, 4, 4)).astype(np.float32)
        # Not contiguous: the first view is a copy.
        for given in (x, np.asfortranarray(x)):
            expected = predictor().run({"x": given})
            result = model.run({"x": given})
            for name in ("y", "z"):
                np.testing.assert_array_equal(result[name], expected[name])
    (segment,) = model._runtime.segments()
    assert segment.joined is not None
    assert [type(step) is JoinedStep for step in segment.joined.steps].count(True) == 1
    assert isinstance(model._runs._short, DirectRun)


def test_the_arguments_of_the_first_run_may_be_no_contiguous_arrays() -> None:
    """The record of this run, by which later ones launch, must not hold the copy that the first view is."""
    model = predictor()
    for seed in range(4):
        x = np.random.default_rng(seed).standard_normal((3, 4, 8)).astype(np.float32)[..., ::2]
        expected, result = predictor().run({"x": x.copy()}), model.run({"x": x})
        for name in ("y", "z"):
            np.testing.assert_array_equal(result[name], expected[name])
    (segment,) = model._runtime.segments()
    assert segment.joined is not None


def test_a_view_of_a_result_is_the_result_of_each_run() -> None:
    model = predictor()
    kept = []
    for seed in range(4):
        x = np.random.default_rng(seed).standard_normal((2, 4, 4)).astype(np.float32)
        kept.append((x, model.run({"x": x})))
    for x, result in kept:
        expected = predictor().run({"x": x})
        for name in ("y", "z"):
            np.testing.assert_array_equal(result[name], expected[name])


def test_a_tensor_array_is_viewed_beside_launches() -> None:
    text = """
        <ir_version: 9, opset_import: ["" : 17]>
        main (float[2,3] x) => (float[n,3] y, float[2,3] z) <int64 count = {2}> {
          array = SequenceConstruct (x)
          grown = Loop (count, "", array) <body = inner (int64 i, bool c, seq(float[2,3]) s)
            => (bool d, seq(float[2,3]) t) {
            number = Cast <to = 1> (i)
            more = Add (x, number)
            t = SequenceInsert (s, more)
            d = Identity (c)
          }>
          y = ConcatFromSequence <axis = 0> (grown)
          z = Softmax (x)
        }
    """
    model = onnx.parser.parse_model(text).SerializeToString()
    predictor = lite.create_predictor(lite.Config(model_buffer=model, passes=[]))
    for seed in range(4):
        x = np.random.default_rng(seed).standard_normal((2, 3)).astype(np.float32)
        result = predictor.run({"x": x})
        np.testing.assert_array_equal(result["y"], np.concatenate([x, x, x + 1]))
        np.testing.assert_allclose(result["z"], np.exp(x) / np.exp(x).sum(1, keepdims=True), rtol=1e-6)
