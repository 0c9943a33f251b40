"""The reference models equal their recorded outputs with every list of passes, in threads, run after run."""

from __future__ import annotations

import random
import threading

import numpy as np
import pytest

import lite
from lite.ir.types import Array
from lite.passes.pipelines import DEFAULT
from tests.support.reference_models import ReferenceModel, difference, each_model


def half_of_the_passes(seed: int) -> list[str]:
    """The optional passes, every second one dropped at random."""
    kept = sorted(random.Random(seed).sample(range(len(DEFAULT)), len(DEFAULT) // 2))
    return [DEFAULT[n] for n in kept]


PASS_LISTS = {
    "all": None,
    "none": [],
    "half-1": half_of_the_passes(1),
    "half-2": half_of_the_passes(2),
    "half-3": half_of_the_passes(3),
}


def other_inputs(model: ReferenceModel) -> dict[str, Array]:
    """Inputs of the same shapes with other elements."""
    return {name: array[..., ::-1].copy() for name, array in model.inputs.items()}


@each_model
@pytest.mark.parametrize("target", ["host", "cpu"])
@pytest.mark.parametrize("passes", PASS_LISTS.values(), ids=PASS_LISTS)
def test_repeated_runs_equal_the_recorded_outputs(
    model: ReferenceModel, passes: list[str] | None, target: str
) -> None:
    if target == "cpu":
        pytest.importorskip("numba", reason="compiled kernels need the extra jit")
    config = lite.Config(model.path, passes=passes, debug=True, valid_places=[target], precision="strict")
    predictor = lite.create_predictor(config)
    before = {name: array.copy() for name, array in model.inputs.items()}
    assert difference(predictor.run(model.inputs), model.outputs) == ""
    others = predictor.run(other_inputs(model))
    assert difference(predictor.run(model.inputs), model.outputs) == ""
    plain = lite.create_predictor(lite.Config(model.path, passes=[], memory="plain"))
    assert difference(others, plain.run(other_inputs(model))) == ""
    for name, array in model.inputs.items():
        np.testing.assert_array_equal(array, before[name])


@each_model
def test_clones_in_two_threads_equal_the_recorded_outputs(model: ReferenceModel) -> None:
    predictor = lite.create_predictor(lite.Config(model.path))
    differences: list[str] = []

    def work(clone: lite.Predictor) -> None:
        differences.extend(difference(clone.run(model.inputs), model.outputs) for _ in range(5))

    threads = [threading.Thread(target=work, args=(predictor.clone(),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert differences == [""] * 10


@each_model
def test_a_saved_model_gives_the_recorded_outputs(
    model: ReferenceModel, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("saved")
    program = lite.load_program(model.path)
    for combined in (True, False):
        lite.save_program(program, folder / str(combined), combined=combined)
        predictor = lite.create_predictor(lite.Config(folder / str(combined)))
        assert difference(predictor.run(model.inputs), model.outputs) == ""


@each_model
def test_promised_shapes_give_the_recorded_outputs(model: ReferenceModel) -> None:
    shapes = {name: array.shape for name, array in model.inputs.items()}
    predictor = lite.create_predictor(lite.Config(model.path, input_shapes=shapes, debug=True))
    assert difference(predictor.run(model.inputs), model.outputs) == ""
