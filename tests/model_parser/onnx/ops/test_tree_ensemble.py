"""Ensembles of random trees against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from lite.errors import LiteError, ModelParseError
from tests.model_parser.onnx.node_models import check_against_onnxruntime, run

FEATURES = 4
X = np.round(np.random.default_rng(5).uniform(-2, 2, (7, FEATURES)), 1).astype(np.float32)


def random_trees(seed: int, count: int, depth: int, columns: int, kind: str, mode: str) -> dict[str, Any]:
    """The attributes of an ensemble whose trees are unbalanced, with weights in all columns of each leaf."""
    rng = np.random.default_rng(seed)
    names = ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids")
    nodes: dict[str, list[Any]] = {f"nodes_{name}": [] for name in names}
    leaves: dict[str, list[Any]] = {f"{kind}_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")}

    def grow(tree: int, ids: list[int], left: int) -> int:
        number = len(ids)
        ids.append(number)
        is_leaf = left == 0 or (number > 0 and rng.random() < 0.3)
        at = len(nodes["nodes_treeids"])
        row = (tree, number, 0 if is_leaf else int(rng.integers(FEATURES)), "LEAF" if is_leaf else mode)
        for name, value in zip(names, (*row, round(float(rng.uniform(-1, 1)), 1), 0, 0), strict=True):
            nodes[f"nodes_{name}"].append(value)
        if is_leaf:
            for column in range(columns):
                weight = round(float(rng.uniform(-1, 1)), 2)
                for name, value in zip(
                    ("treeids", "nodeids", "ids", "weights"), (tree, number, column, weight), strict=True
                ):
                    leaves[f"{kind}_{name}"].append(value)
            return number
        nodes["nodes_truenodeids"][at] = grow(tree, ids, left - 1)
        nodes["nodes_falsenodeids"][at] = grow(tree, ids, left - 1)
        return number

    for tree in range(count):
        grow(tree, [], depth)
    return {**nodes, **leaves}


def model_of(op: str, outputs: int, **attrs: Any) -> onnx.ModelProto:
    names = [f"y{n}" for n in range(outputs)]
    node = helper.make_node(op, ["x"], names, domain="ai.onnx.ml", **attrs)
    info = helper.make_tensor_value_info("x", 1, ["n", FEATURES])
    graph = helper.make_graph([node], "graph", [info], [onnx.ValueInfoProto(name=name) for name in names])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


@pytest.mark.parametrize(
    "mode", ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
)
@pytest.mark.parametrize(("count", "depth", "targets"), [(1, 1, 1), (5, 4, 1), (3, 3, 2)])
def test_regressors(mode: str, count: int, depth: int, targets: int) -> None:
    attrs = random_trees(1, count, depth, targets, "target", mode)
    model = model_of("TreeEnsembleRegressor", 1, **attrs, n_targets=targets, base_values=[0.5] * targets)

    check_against_onnxruntime(model, {"x": X}, {"x": X[:1]})


def test_nodes_of_one_tree_compare_differently() -> None:
    attrs = random_trees(7, 5, 4, 1, "target", "BRANCH_LT")
    other = iter(["BRANCH_LEQ", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_GTE"] * 99)
    attrs["nodes_modes"] = [mode if mode == "LEAF" else next(other) for mode in attrs["nodes_modes"]]
    model = model_of("TreeEnsembleRegressor", 1, **attrs, n_targets=1)

    check_against_onnxruntime(model, {"x": X})


@pytest.mark.parametrize("aggregate", ["AVERAGE", "MIN", "MAX"])
@pytest.mark.parametrize("base", [{}, {"base_values": [0.3, -0.2]}])
def test_averages_and_extremes(aggregate: str, base: dict[str, Any]) -> None:
    attrs = random_trees(2, 4, 3, 2, "target", "BRANCH_LEQ")
    model = model_of("TreeEnsembleRegressor", 1, **attrs, **base, n_targets=2, aggregate_function=aggregate)

    check_against_onnxruntime(model, {"x": X})


def _doubled(attrs: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """The attributes with these lists of numbers as tensors of float64."""
    tensors = {f"{name}_as_tensor": numpy_helper.from_array(np.array(attrs[name])) for name in names}
    return {name: value for name, value in attrs.items() if name not in names} | tensors


def test_float64_is_compared_and_summed_as_float64() -> None:
    """Each limit lies between a feature and the float32 next to it."""
    x = X.astype(np.float64) + 1e-10
    attrs = random_trees(12, 6, 4, 2, "class", "BRANCH_LEQ")
    attrs["nodes_values"] = [value + 5e-11 for value in attrs["nodes_values"]]
    attrs["class_weights"] = [abs(weight) for weight in attrs["class_weights"]]
    attrs = _doubled(attrs, ["nodes_values", "class_weights"])
    model = model_of("TreeEnsembleClassifier", 2, **attrs, classlabels_int64s=[0, 1])
    model.graph.input[0].type.tensor_type.elem_type = onnx.TensorProto.DOUBLE

    check_against_onnxruntime(model, {"x": x})


def test_a_feature_that_the_rows_lack_is_refused() -> None:
    attrs = random_trees(2, 1, 2, 1, "target", "BRANCH_LEQ")
    attrs["nodes_featureids"][0] = FEATURES
    model = model_of("TreeEnsembleRegressor", 1, **attrs, n_targets=1)

    with pytest.raises(LiteError, match=f"features from 0 to {FEATURES - 1}"):
        run(model, {"x": X})


def test_a_deep_tree() -> None:
    """A chain of 200 nodes, each with a leaf."""
    depth = 200
    nodes = range(depth)
    attrs = {
        "nodes_treeids": [0] * (2 * depth + 1),
        "nodes_nodeids": list(range(2 * depth + 1)),
        "nodes_featureids": [n % FEATURES for n in nodes] + [0] * (depth + 1),
        "nodes_modes": ["BRANCH_LEQ"] * depth + ["LEAF"] * (depth + 1),
        "nodes_values": [2 - n / 50 for n in nodes] + [0.0] * (depth + 1),
        "nodes_truenodeids": [n + 1 for n in nodes] + [0] * (depth + 1),
        "nodes_falsenodeids": [depth + 1 + n for n in nodes] + [0] * (depth + 1),
        "target_treeids": [0] * (depth + 1),
        "target_nodeids": list(range(depth, 2 * depth + 1)),
        "target_ids": [0] * (depth + 1),
        "target_weights": [float(n) for n in range(depth + 1)],
    }
    model = model_of("TreeEnsembleRegressor", 1, **attrs, n_targets=1)

    check_against_onnxruntime(model, {"x": X})


def test_missing_values_take_the_branch_that_the_node_names() -> None:
    attrs = random_trees(3, 4, 4, 1, "target", "BRANCH_LT")
    tracks = [n % 2 for n in range(len(attrs["nodes_values"]))]
    model = model_of("TreeEnsembleRegressor", 1, **attrs, n_targets=1, nodes_missing_value_tracks_true=tracks)
    x = X.copy()
    x[::2, 1] = x[1, :] = np.nan

    check_against_onnxruntime(model, {"x": x})


@pytest.mark.parametrize("transform", ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"])
@pytest.mark.parametrize("labels", [[0, 1], [9, 4, 6], ["no", "yes"], ["a", "b", "c"]])
def test_classifiers(transform: str, labels: list[Any]) -> None:
    attrs = random_trees(4, 5, 3, len(labels), "class", "BRANCH_LEQ")
    attrs["classlabels_strings" if isinstance(labels[0], str) else "classlabels_int64s"] = labels
    model = model_of("TreeEnsembleClassifier", 2, **attrs, post_transform=transform)

    check_against_onnxruntime(model, {"x": X})


def _with_half_of_the_weights(attrs: dict[str, Any], kind: str) -> dict[str, Any]:
    """The attributes without every second weight of the leaves."""
    names = [f"{kind}_{name}" for name in ("treeids", "nodeids", "ids", "weights")]
    return {**attrs, **{name: attrs[name][::2] for name in names}}


@pytest.mark.parametrize("base", [{}, {"base_values": [0.3, -0.2, 0.1]}])
def test_classes_without_a_weight_in_the_leaves(base: dict[str, Any]) -> None:
    attrs = _with_half_of_the_weights(random_trees(9, 2, 3, 3, "class", "BRANCH_LEQ"), "class")
    attrs["class_weights"] = [-abs(weight) for weight in attrs["class_weights"]]
    model = model_of("TreeEnsembleClassifier", 2, **attrs, **base, classlabels_int64s=[2, 1, 0])

    check_against_onnxruntime(model, {"x": X})


@pytest.mark.parametrize("transform", ["NONE", "SOFTMAX"])
def test_base_values_of_targets_without_a_weight_in_the_leaves(transform: str) -> None:
    attrs = _with_half_of_the_weights(random_trees(10, 2, 3, 3, "target", "BRANCH_LT"), "target")
    base = {"base_values": [0.3, -0.2, 0.1], "post_transform": transform}
    model = model_of("TreeEnsembleRegressor", 1, **attrs, **base, n_targets=3)

    check_against_onnxruntime(model, {"x": X})


def test_nodes_may_compare_in_different_ways() -> None:
    attrs = random_trees(11, 4, 3, 1, "target", "BRANCH_LEQ")
    others = ["BRANCH_GT", "BRANCH_LEQ", "BRANCH_NEQ"]
    attrs["nodes_modes"] = [
        mode if mode == "LEAF" else others[n % 3] for n, mode in enumerate(attrs["nodes_modes"])
    ]
    model = model_of("TreeEnsembleRegressor", 1, **attrs, n_targets=1)

    check_against_onnxruntime(model, {"x": X})


@pytest.mark.parametrize("transform", ["NONE", "SOFTMAX", "LOGISTIC"])
@pytest.mark.parametrize("is_positive", [True, False])
@pytest.mark.parametrize("base", [{}, {"base_values": [0.03]}])
def test_one_score_for_two_classes(transform: str, is_positive: bool, base: dict[str, Any]) -> None:
    attrs = random_trees(6, 5, 3, 1, "class", "BRANCH_LEQ")
    if is_positive:
        attrs["class_weights"] = [abs(weight) / 4 for weight in attrs["class_weights"]]
    model = model_of(
        "TreeEnsembleClassifier", 2, **attrs, **base, classlabels_int64s=[3, 5], post_transform=transform
    )

    check_against_onnxruntime(model, {"x": X})


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"nodes_truenodeids": [5, 0, 0]}, "a node that does not exist"),
        ({"nodes_modes": ["BRANCH_MEMBER", "LEAF", "LEAF"]}, "nodes_modes: expected LEAF, BRANCH_LEQ"),
        ({"nodes_values": [0.0]}, "expected lists of one length"),
        ({"nodes_truenodeids": [0, 0, 0], "nodes_falsenodeids": [0, 0, 0]}, "nodes_[*]: expected one root"),
        ({"target_nodeids": [1, 7]}, "target_ids: no node"),
        ({"post_transform": "PROBIT"}, "post_transform: expected NONE"),
        ({"aggregate_function": "MEDIAN"}, "aggregate_function: expected SUM, AVERAGE, MIN, MAX, got MEDIAN"),
        ({"aggregate_function": "MIN", "target_nodeids": [1]}, "leaves without a weight"),
    ],
)
def test_damaged_trees_are_refused(changes: dict[str, Any], reason: str) -> None:
    attrs: dict[str, Any] = {
        "nodes_treeids": [0, 0, 0],
        "nodes_nodeids": [0, 1, 2],
        "nodes_featureids": [0, 0, 0],
        "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
        "nodes_values": [0.0, 0.0, 0.0],
        "nodes_truenodeids": [1, 0, 0],
        "nodes_falsenodeids": [2, 0, 0],
        "target_treeids": [0, 0],
        "target_nodeids": [1, 2],
        "target_ids": [0, 0],
        "target_weights": [1.0, 2.0],
        **changes,
    }

    with pytest.raises(ModelParseError, match=reason):
        run(model_of("TreeEnsembleRegressor", 1, **attrs, n_targets=1), {"x": X})
