"""TreeEnsemble of opset 5 with random trees, against ONNX's reference."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import run

FEATURES, TARGETS, MEMBER = 3, 2, 6


def random_trees(seed: int, count: int, dtype: type[np.generic]) -> dict[str, Any]:
    """The attributes of an ensemble of unbalanced trees, whose nodes compare in all ways."""
    rng = np.random.default_rng(seed)
    rows: list[list[Any]] = []
    leaves: list[tuple[int, float]] = []
    members: list[float] = []

    def grow(left: int) -> tuple[int, int]:
        """The number of the node, and 1 for a leaf."""
        if left == 0 or (left < 3 and rng.random() < 0.3):
            leaves.append((int(rng.integers(TARGETS)), round(float(rng.uniform(-1, 1)), 2)))
            return len(leaves) - 1, 1
        at = len(rows)
        mode = int(rng.integers(MEMBER + 1))
        row: list[Any] = [mode, int(rng.integers(FEATURES)), float(rng.integers(-2, 3)), int(rng.integers(2))]
        rows.append(row)
        if mode == MEMBER:
            members.extend([*map(float, 1 + rng.choice(3, 2, replace=False)), np.nan])
        row.extend(grow(left - 1))
        row.extend(grow(left - 1))
        return at, 0

    roots = [grow(3)[0] for _ in range(count)]
    modes, features, splits, tracks, yes, yes_leaf, no, no_leaf = (
        list(part) for part in zip(*rows, strict=True)
    )
    attrs = {
        "nodes_modes": numpy_helper.from_array(np.array(modes, np.uint8)),
        "nodes_featureids": features,
        "nodes_splits": numpy_helper.from_array(np.array(splits, dtype)),
        "nodes_missing_value_tracks_true": tracks,
        "nodes_truenodeids": yes,
        "nodes_trueleafs": yes_leaf,
        "nodes_falsenodeids": no,
        "nodes_falseleafs": no_leaf,
        "leaf_targetids": [target for target, _ in leaves],
        "leaf_weights": numpy_helper.from_array(np.array([weight for _, weight in leaves], dtype)),
        "tree_roots": roots,
        "n_targets": TARGETS,
    }
    if members:
        attrs["membership_values"] = numpy_helper.from_array(np.array(members, dtype))
    return attrs


def model_of(dtype: type[np.generic], attrs: dict[str, Any]) -> onnx.ModelProto:
    node = helper.make_node("TreeEnsemble", ["x"], ["y"], domain="ai.onnx.ml", **attrs)
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    infos = [helper.make_tensor_value_info(name, kind, ["n", size]) for name, size in (("x", 3), ("y", 2))]
    graph = helper.make_graph([node], "graph", infos[:1], infos[1:])
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", 5)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def samples(dtype: type[np.generic]) -> Array:
    x = np.random.default_rng(1).integers(-3, 4, (40, FEATURES)).astype(dtype)
    x[::7, 1] = np.nan
    return x


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("aggregate", [0, 1])
def test_sums_and_averages(seed: int, dtype: type[np.generic], aggregate: int) -> None:
    made = model_of(dtype, {**random_trees(seed, 3, dtype), "aggregate_function": aggregate})
    x = samples(dtype)

    result = run(made, {"x": x})["y"]

    expected = cast(list[Array], ReferenceEvaluator(made).run(None, {"x": x}))[0]
    assert result.dtype == dtype
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("aggregate", [2, 3])
def test_the_least_and_largest_weight_of_one_target(aggregate: int) -> None:
    attrs = random_trees(5, 3, np.float32)
    attrs |= {"leaf_targetids": [0] * len(attrs["leaf_targetids"]), "n_targets": 1}
    made, x = model_of(np.float32, {**attrs, "aggregate_function": aggregate}), samples(np.float32)

    expected = cast(list[Array], ReferenceEvaluator(made).run(None, {"x": x}))[0]

    np.testing.assert_array_equal(run(made, {"x": x})["y"], expected)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"aggregate_function": 4}, "aggregate_function: expected 0"),
        ({"aggregate_function": 2}, "least or largest weight of several targets"),
        ({"post_transform": 4}, "post_transform: expected 0"),
        ({"tree_roots": [99]}, "tree_roots: expected numbers from 0"),
        ({"leaf_targetids": [0]}, "nodes_trueleafs, nodes_truenodeids: expected numbers"),
        ({"n_targets": 1}, "leaf_targetids: expected 0 to 0"),
    ],
)
def test_invalid_attributes_are_refused(changes: dict[str, Any], reason: str) -> None:
    made = model_of(np.float32, {**random_trees(0, 2, np.float32), **changes})
    with pytest.raises(ModelParseError, match=reason):
        run(made, {"x": samples(np.float32)})
