"""What every run has to keep to: inputs stay as they are, results are the caller's, shapes may change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from lite.ir.types import Array
from lite.tools.conformance.compiled import compiled
from lite.tools.conformance.probe import SHAPE, image
from lite.tools.conformance.workbench import PASSED, Answer, Workbench, differences, judged

BATCHES = (1, 3, 2, 1)


def questions(bench: Workbench, _: Path) -> Mapping[str, Callable[[], Answer]]:
    """The section ``runs``."""
    return {
        "runs one after the other": lambda: _several(bench),
        "a read-only input": lambda: _given(bench, _read_only(image(1))),
        "an input that is not contiguous": lambda: _given(bench, _strided(image(1))),
        "an input stays as it was": lambda: _input_stays(bench),
        "a result stays as it was": lambda: _result_stays(bench),
        "a result is written to the caller's array": lambda: _written(bench),
        "a clone": lambda: _clone(bench),
    }


def shape_questions(bench: Workbench, _: Path) -> Mapping[str, Callable[[], Answer]]:
    """The section ``shapes``."""
    return {
        "a model for each shape": lambda: _each_shape(bench),
        "one model for any shape": lambda: _any_shape(bench),
        "more shapes than models": lambda: _more_shapes(bench),
    }


def _several(bench: Workbench) -> Answer:
    predictor = bench.predictor(bench.model)
    for seed in range(4):
        x = {"x": image(seed)}
        problem = differences(predictor.run(x), bench.on_host(bench.model, x))
        if problem:
            return "wrong", f"run {seed + 1}: {problem}"
    return PASSED


def _given(bench: Workbench, x: Array) -> Answer:
    have = bench.predictor(bench.model).run({"x": x})
    return judged(differences(have, bench.on_host(bench.model, {"x": x})))


def _input_stays(bench: Workbench) -> Answer:
    x = image(2)
    before = x.copy()
    bench.predictor(bench.model).run({"x": x})
    return judged("" if np.array_equal(x, before) else "the run wrote to its input")


def _result_stays(bench: Workbench) -> Answer:
    """Asked of the compiled model itself: the engine copies most results away at once."""
    run = compiled(bench)
    first = run(image(3))
    before = [array.copy() for array in first]
    run(image(4))
    same = all(map(np.array_equal, first, before))
    return judged("" if same else "the next run wrote to the result of the last")


def _written(bench: Workbench) -> Answer:
    predictor, x = bench.predictor(bench.model), {"x": image(5)}
    (name,) = predictor.output_names
    mine = np.zeros(SHAPE, np.float32)
    have = predictor.run(x, outputs={name: mine})
    if have[name] is not mine:
        return "wrong", "the result is another array than the caller gave"
    return judged(differences(have, bench.on_host(bench.model, x)))


def _clone(bench: Workbench) -> Answer:
    predictor, x = bench.predictor(bench.model), {"x": image(6)}
    predictor.run({"x": image(7)})
    return judged(differences(predictor.clone().run(x), bench.on_host(bench.model, x)))


def _each_shape(bench: Workbench) -> Answer:
    return _batches(bench, max_signatures=len(BATCHES))


def _any_shape(bench: Workbench) -> Answer:
    if not bench.open().dynamic_shapes:
        return "declined", "the device takes no dynamic shapes (Device.dynamic_shapes)"
    return _batches(bench, max_signatures=1)


def _more_shapes(bench: Workbench) -> Answer:
    return _batches(bench, max_signatures=1, fallback="warn")


def _batches(bench: Workbench, **settings: object) -> Answer:
    predictor = bench.predictor(bench.open_model, **settings)
    for batch in BATCHES:
        x = {"x": image(batch, batch)}
        problem = differences(predictor.run(x), bench.on_host(bench.open_model, x))
        if problem:
            return "wrong", f"with {batch} images: {problem}"
    return PASSED


def _read_only(x: Array) -> Array:
    x.setflags(write=False)
    return x


def _strided(x: Array) -> Array:
    return np.ascontiguousarray(x.transpose(3, 2, 1, 0)).transpose(3, 2, 1, 0)
