"""Elements of a region's values that follow from the sizes of its inputs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import lite
from lite.ir.lower import lower_graph
from lite.ir.text import parse_graph
from lite.ir.types import Array, DType
from lite.ops import Meta
from lite.ops.infer_graph import infer_metas
from lite.runtime.regions.known_elements import enter_known_elements
from tests.support.fake_device import fake_device

SIZES = """graph main(%x: float32[?,3,?], %n: int64[1]) {
  %i = const int64[1] [2]
  %s = shape(Input=%x) : int32[3]
  %c = cast(X=%s) {in_dtype=2, out_dtype=3} : int64[3]
  %w = gather(X=%c, Index=%i) {axis=0} : int64[1]
  %p = concat(X=[%w, %i]) {axis=0} : int64[2]
  %q = concat(X=[%w, %n]) {axis=0} : int64[2]
  %f = fill_constant(ShapeTensor=%p) {shape=[], dtype=5, value=1.0, str_value=""} : float32[?,?]
  return %p, %q, %f
}"""


def test_elements_and_the_shapes_that_follow_are_known() -> None:
    graph = parse_graph(SIZES)
    x, n = graph.args
    metas = infer_metas(graph, {x: Meta(DType.FLOAT32, (2, 3, 8)), n: Meta(DType.INT64, (1,))})
    enter_known_elements(graph, metas)
    sizes, others, filled = (metas[value] for value in graph.results)
    assert sizes.value is not None
    np.testing.assert_array_equal(sizes.value, [8, 2])
    assert others.value is None
    assert filled.shape == (8, 2)


def test_open_sizes_stay_unknown() -> None:
    graph = parse_graph(SIZES)
    metas = infer_metas(graph)
    before = dict(metas)
    enter_known_elements(graph, metas)
    assert metas == before


def test_a_region_reads_sizes_that_another_computes(tmp_path: Path) -> None:
    graph = parse_graph(SIZES.replace("return %p, %q, %f", "return %f"))
    lite.save_program(lower_graph(graph), tmp_path)
    with fake_device("cast", "gather", "fill_constant"):
        config = lite.Config(tmp_path, devices=["fake"], min_subgraph_ops=1, fallback="error")
        predictor = lite.create_predictor(config)
        [result] = predictor.run([np.zeros((2, 3, 8), np.float32), np.zeros(1, np.int64)]).values()
        regions = predictor.report().regions
    # The host computes the concat of known sizes before the run.
    assert [region.signatures[0].signature for region in regions] == [
        "int32[3] = [2, 3, 8]",
        "int64[2] = [8, 2]",
    ]
    np.testing.assert_array_equal(result, np.ones((8, 2), np.float32))


def test_a_kept_model_is_found_by_the_shapes_that_its_region_computes(tmp_path: Path) -> None:
    graph = parse_graph(SIZES.replace("return %p, %q, %f", "return %f"))
    lite.save_program(lower_graph(graph), tmp_path / "model")
    inputs: list[Array] = [np.zeros((2, 3, 8), np.float32), np.zeros(1, np.int64)]
    with fake_device("shape", "cast", "gather", "concat", "fill_constant") as faults:
        config = lite.Config(tmp_path / "model", devices=["fake"], min_subgraph_ops=1, fallback="error")
        predictor = lite.create_predictor(config)
        predictor.run(inputs)
        lite.save_artifact(predictor, tmp_path / "model.lbm")
        [result] = lite.create_predictor(lite.Config(tmp_path / "model.lbm")).run(inputs).values()
        assert (faults.compiled, faults.loaded) == (1, 1)
    np.testing.assert_array_equal(result, np.ones((8, 2), np.float32))
