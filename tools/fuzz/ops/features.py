"""The domain ai.onnx.ml: preparation of features, linear models, ensembles of trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.tools.fuzz.draw import Draw, Value, row
from lite.tools.fuzz.evaluate import Rejected

_ML = "ai.onnx.ml"
_POST = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO")


def _table(d: Draw) -> Value:
    """Rows of features, whose number engines do not check."""
    return d.input(d.array((d.integer(1, 4), d.integer(1, 5))), is_fixed=True)


def _reals(d: Draw, count: int, low: float = -2.0, high: float = 2.0) -> list[float]:
    return [d.real(low, high) for _ in range(count)]


@row(0.15)
def prepared_features(d: Draw) -> Value:
    """Scaler, Binarizer, Normalizer, Imputer, ArrayFeatureExtractor and FeatureVectorizer."""
    x = _table(d)
    columns = x.shape[1]
    kind = d.integer(0, 5)
    if kind == 0:
        count = columns if d.chance(0.6) else 1
        return d.node("Scaler", [x], domain=_ML, offset=_reals(d, count), scale=_reals(d, count))
    if kind == 1:
        return d.node("Binarizer", [x], domain=_ML, threshold=d.real())
    if kind == 2:
        return d.node("Normalizer", [x], domain=_ML, norm=d.pick(("MAX", "L1", "L2")))
    if kind == 3:
        replaced = float(x.array.flat[0])
        values = _reals(d, columns if d.chance(0.5) else 1)
        return d.node("Imputer", [x], domain=_ML, imputed_value_floats=values, replaced_value_float=replaced)
    if kind == 4:
        picked = np.asarray([d.integer(0, columns - 1) for _ in range(d.integer(1, 3))], "int64")
        return d.node("ArrayFeatureExtractor", [x, d.constant(picked)], domain=_ML)
    first, second = (d.input(d.array((x.shape[0], n)), is_fixed=True) for n in (2, d.integer(1, 3)))
    sizes = [2, second.shape[1]]
    return d.node("FeatureVectorizer", [first, second], domain=_ML, inputdimensions=sizes)


@row(0.15)
def linear_model(d: Draw) -> Value:
    """LinearRegressor and LinearClassifier, of two and of more classes."""
    x = _table(d)
    columns = x.shape[1]
    post = d.pick(_POST)
    if d.chance(0.4):
        targets = d.integer(1, 3)
        attrs: dict[str, Any] = {"coefficients": _reals(d, targets * columns), "targets": targets}
        if d.chance(0.6):
            attrs["intercepts"] = _reals(d, targets)
        return d.node("LinearRegressor", [x], domain=_ML, **attrs)
    classes = d.integer(2, 4)
    labels: dict[str, Any] = {"classlabels_ints": [3 * n - 1 for n in range(classes)]}
    if d.chance(0.4):
        labels = {"classlabels_strings": [f"c{n}" for n in range(classes)]}
    return d.nodes_outputs(
        "LinearClassifier",
        [x],
        2,
        domain=_ML,
        coefficients=_reals(d, classes * columns),
        intercepts=_reals(d, classes),
        post_transform=post,
        multi_class=d.integer(0, 1),
        **labels,
    )[1]


@row(0.15)
def support_vectors(d: Draw) -> Value:
    """SVMRegressor and SVMClassifier: kernels, pairs of classes, and their probabilities."""
    x = _table(d)
    columns, params = x.shape[1], [d.real(0.1, 1.0), d.real(-1.0, 1.0), 2.0]
    kernel: dict[str, Any] = {
        "kernel_type": d.pick(("LINEAR", "POLY", "RBF", "SIGMOID")),
        "kernel_params": params,
    }
    if d.chance(0.4):
        count = d.integer(1, 4)
        vectors = {"n_supports": count, "support_vectors": _reals(d, count * columns)}
        attrs = {**kernel, **vectors, "coefficients": _reals(d, count), "rho": _reals(d, 1)}
        return d.node("SVMRegressor", [x], domain=_ML, one_class=d.integer(0, 1), **attrs)
    classes = d.integer(2, 4)
    sizes = [d.integer(1, 3) for _ in range(classes)]
    pairs = classes * (classes - 1) // 2
    attrs = {**kernel, "vectors_per_class": sizes, "support_vectors": _reals(d, sum(sizes) * columns)}
    attrs |= {"coefficients": _reals(d, (classes - 1) * sum(sizes)), "rho": _reals(d, pairs)}
    if d.chance(0.5):
        attrs |= {"prob_a": _reals(d, pairs, -2.0, -0.1), "prob_b": _reals(d, pairs)}
    labels = [3 * n - 1 for n in range(classes)]
    post = d.pick(_POST)
    return d.nodes_outputs(
        "SVMClassifier", [x], 2, domain=_ML, post_transform=post, classlabels_ints=labels, **attrs
    )[1]


@row(0.1)
def categories(d: Draw) -> Value:
    """OneHotEncoder and CategoryMapper of integers."""
    shape = (d.integer(1, 3), d.integer(1, 3)) if d.chance(0.7) else (d.integer(1, 4),)
    x = d.input(np.asarray([d.integer(0, 4) for _ in range(int(np.prod(shape)))], "int64").reshape(shape))
    known = d.pick(([2, 0, 1], [4], [3, 1]))
    if d.chance(0.7):
        return d.node("OneHotEncoder", [x], domain=_ML, cats_int64s=known, zeros=1)
    names: dict[str, Any] = {"cats_strings": [f"c{n}" for n in known], "cats_int64s": known}
    text = d.node("CategoryMapper", [x], domain=_ML, default_string="none", **names)
    return d.node("CategoryMapper", [text], domain=_ML, default_int64=-1, **names)


@row(0.2)
def trees(d: Draw) -> Value:
    """TreeEnsembleRegressor and TreeEnsembleClassifier of full trees, with every comparison."""
    if d.opset < 9:
        raise Rejected("old models have other domains")
    x = _table(d)
    modes = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")
    fixed = d.pick(modes) if d.chance(0.6) else None
    is_class = d.chance(0.5)
    outs = d.integer(1, 3) if not is_class else d.integer(2, 4)
    nodes: dict[str, list[Any]] = {
        name: []
        for name in ("treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids")
    }
    tracks: list[int] = []
    leaves: list[tuple[int, int, int]] = []
    for tree in range(d.integer(1, 3)):
        depth = d.integer(1, 2)
        inner = 2**depth - 1
        for number in range(2 * inner + 1):
            is_leaf = number >= inner
            nodes["treeids"].append(tree)
            nodes["nodeids"].append(number)
            nodes["featureids"].append(0 if is_leaf else d.integer(0, x.shape[1] - 1))
            nodes["values"].append(0.0 if is_leaf else d.real())
            nodes["modes"].append("LEAF" if is_leaf else fixed or d.pick(modes))
            nodes["truenodeids"].append(0 if is_leaf else 2 * number + 1)
            nodes["falsenodeids"].append(0 if is_leaf else 2 * number + 2)
            tracks.append(d.integer(0, 1))
            if is_leaf:
                # ONNX Runtime completes one score of two classes differently from row to row.
                count = 2 if is_class and outs == 2 else d.integer(1, min(outs, 2))
                leaves.extend((tree, number, n) for n in d.random.sample(range(outs), count))
    kind = "class" if is_class else "target"
    attrs: dict[str, Any] = {f"nodes_{name}": values for name, values in nodes.items()}
    attrs["nodes_missing_value_tracks_true"] = tracks
    for position, name in enumerate(("treeids", "nodeids", "ids")):
        attrs[f"{kind}_{name}"] = [leaf[position] for leaf in leaves]
    attrs[f"{kind}_weights"] = _reals(d, len(leaves))
    attrs["post_transform"] = d.pick(_POST)
    # ONNX does not say what different base values of two classes mean.
    if d.chance(0.4) and not (is_class and outs == 2):
        attrs["base_values"] = _reals(d, outs)
    if is_class:
        if d.chance(0.7):
            attrs["classlabels_int64s"] = list(range(outs))
        else:
            attrs["classlabels_strings"] = [f"c{n}" for n in range(outs)]
        return d.nodes_outputs("TreeEnsembleClassifier", [x], 2, domain=_ML, **attrs)[1]
    attrs["aggregate_function"] = d.pick(("SUM", "AVERAGE"))
    return d.node("TreeEnsembleRegressor", [x], domain=_ML, n_targets=outs, **attrs)
