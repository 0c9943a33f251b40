"""The reference models on targets that need casts: equal to the host, casts counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest

import lite
from lite.ir.graph import Graph
from lite.ir.types import Array, DType, Layout, Place
from lite.passes.placement.cast_insertion import CASTS
from lite.session.build import optimize
from lite.session.predictor import Predictor
from tests.support.fake_targets import fake_target, movable_ops
from tests.support.reference_models import (
    STRICT,
    ReferenceModel,
    difference,
    each_model,
    reference_model,
    reference_models,
)

MODELS = reference_models()
HALF = 2e-2
"""Largest difference in half precision, relative to the largest value of an output."""

TARGETS = {
    "fakemem": (Place("fakemem"), True, STRICT),
    "fakehalf": (Place("fakehalf", DType.FLOAT16), False, HALF),
    "fakenhwc": (Place("fakenhwc", None, Layout.NHWC), False, STRICT),
    "fakeall": (Place("fakeall", DType.FLOAT16, Layout.NHWC), True, HALF),
}
SHARES = {"all": slice(None), "odd": slice(0, None, 2), "even": slice(1, None, 2)}
"""The ops that the target takes; with half of them, values are copied in both directions."""

PADDLE_LITE = [
    "type_target_cast_pass",
    "variable_place_inference_pass",
    "io_copy_kernel_pick_pass",
    "type_precision_cast_pass",
    "type_layout_cast_pass",
    "runtime_context_assign_pass",
]
"""The casts in Paddle-Lite's order."""


def casts_of(graph: Graph) -> Counter[str]:
    """How many casts there are of each op, in all blocks."""
    return Counter(node.op for block in graph.walk() for node in block if node.op in CASTS)


def predictor_of(
    model: ReferenceModel, places: list[Place], passes: list[str] | None
) -> tuple[Predictor, Graph]:
    """A predictor and its graph."""
    config = lite.Config(model.path, valid_places=places, passes=passes, debug=True)
    optimized = optimize(lite.load_program(model.path), config)
    return Predictor(config, optimized.built(config)), optimized.graph


def ordered_by_box(outputs: Mapping[str, Array]) -> dict[str, Array]:
    """Detections ``[boxes, 6]`` and their indices ``[boxes, 1]`` ordered by the boxes' coordinates.

    Detections are ordered by score, and half precision cannot tell some scores apart.
    """
    boxes = next((a[:, 2:] for a in outputs.values() if a.ndim == 2 and a.shape[1] == 6), None)
    if boxes is None:
        return dict(outputs)
    order = np.argsort(boxes.sum(axis=1))
    return {name: array[order] if len(array) == len(order) else array for name, array in outputs.items()}


@each_model
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("target", TARGETS)
def test_results_equal_the_reference(model: ReferenceModel, target: str, share: str) -> None:
    place, own_memory, tolerance = TARGETS[target]
    _, on_host = predictor_of(model, [], None)
    ops = sorted({node.op for block in on_host.walk() for node in block}.intersection(movable_ops()))
    with fake_target(place, ops[SHARES[share]], own_memory=own_memory) as calls:
        predictor, graph = predictor_of(model, [place], None)
        first, second = predictor.run(model.inputs), predictor.run(model.inputs)

    assert difference(first, model.outputs, tolerance) == ""
    for name, array in first.items():
        np.testing.assert_array_equal(array, second[name])
    casts = casts_of(graph)
    copies = casts["io_copy"] > 0
    assert calls.total() >= 2
    assert copies == own_memory
    assert (casts["calib"] > 0) == (place.dtype is not None)
    assert not {"calib_once", "layout_once"} & casts.keys()


@pytest.mark.parametrize("name", ["separable_classifier", "mobilenet_v1_x0_25"])
def test_a_network_on_one_target_casts_its_inputs_and_results_once(name: str) -> None:
    model = reference_model(name)
    casts = {}
    for target, (place, own_memory, _) in TARGETS.items():
        with fake_target(place, movable_ops(), own_memory=own_memory):
            _, graph = predictor_of(model, [place], None)
        casts[target] = {op: count for op, count in casts_of(graph).items() if op != "io_copy_once"}

    assert casts == {
        "fakemem": {"io_copy": 2},
        "fakehalf": {"calib": 2},
        "fakenhwc": {"layout": 1},
        "fakeall": {"io_copy": 2, "calib": 2, "layout": 1},
    }


@each_model
@pytest.mark.parametrize("target", TARGETS)
def test_casts_in_paddle_lites_order_keep_the_results(model: ReferenceModel, target: str) -> None:
    place, own_memory, tolerance = TARGETS[target]
    with fake_target(place, movable_ops()[::2], own_memory=own_memory):
        predictor, _ = predictor_of(model, [place], ["static_kernel_pick_pass", *PADDLE_LITE])
        outputs, expected = predictor.run(model.inputs), model.outputs
    if tolerance == HALF:
        outputs, expected = ordered_by_box(outputs), ordered_by_box(expected)
    assert difference(outputs, expected, tolerance) == ""


@each_model
def test_a_graph_on_the_host_has_no_casts(model: ReferenceModel) -> None:
    _, graph = predictor_of(model, [], None)
    assert casts_of(graph) == Counter()
