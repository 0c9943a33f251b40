"""Random programs: the predictor against the reference interpreter."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lite.config import Config
from lite.ir.types import Array, Lod
from lite.session.predictor import Predictor
from tests.support.interpreter.tensors import Held, run_program
from tests.support.random_programs.builder import Case
from tests.support.random_programs.tensor_ops import cases, feeds

SIGNATURES = [(3, (2, 1, 2), 1), (1, (1,), 2), (3, (2, 1, 2), 3), (5, (3, 4), 0), (3, (1, 2, 2), 2)]
"""Rows of x, lengths of the sequences in s, and seed; shapes are repeated with other elements."""

PROMISED: dict[str, tuple[int, ...]] = {"x": (3, 4), "s": (5, 1)}


def run_all(
    config: Config, case: Case, runs: Sequence[tuple[Mapping[str, Array], Mapping[str, Lod]]]
) -> None:
    """Compare the results of all runs; inputs must not change, and results must not share memory."""
    predictor = Predictor.of_program(copy.deepcopy(case.program), config)
    names = [*predictor.output_names, *(n for n in config.keep if n not in predictor.output_names)]
    earlier: list[tuple[Array, Array]] = []
    for arrays, lods in runs:
        fed = {name: read_only(array) for name, array in arrays.items()}
        predictor.run(fed, lods=lods)
        expected = run_program(case.program, arrays, lods)
        results = [predictor.get(name) for name in names]
        for name, array in zip(names, results, strict=True):
            check((array, predictor.get_lod(name)), expected[name], name)
        assert all(np.array_equal(fed[name], array) for name, array in arrays.items())
        assert all(np.array_equal(array, before) for array, before in earlier)
        others = [*fed.values(), *(weight.array for weight in case.program.weights.values())]
        for number, array in enumerate(results):
            assert not any(np.may_share_memory(array, other) for other in (*results[:number], *others))
            array[...] = array.dtype.type(77)
        earlier += [(array, array.copy()) for array in results]


def read_only(array: Array) -> Array:
    """A read-only copy, with gaps between the elements."""
    spread = np.repeat(array, 2, axis=-1)[..., ::2]
    spread.flags.writeable = False
    return spread


def check(result: Held, expected: Held, name: str) -> None:
    (array, lod), (expected_array, expected_lod) = result, expected
    assert (array.shape, array.dtype) == (expected_array.shape, expected_array.dtype), name
    largest = np.abs(expected_array).max(initial=1.0)
    np.testing.assert_allclose(array, expected_array, rtol=1e-4, atol=1e-4 * largest, err_msg=name)
    # If passes removed a pair of views that drop the LoD, it is preserved.
    assert lod == expected_lod or not expected_lod, name


@pytest.mark.parametrize(
    "options",
    [{}, {"passes": []}, {"memory": "plain", "debug": True}, {"input_shapes": PROMISED}],
    ids=["default", "no passes", "plain memory", "promised shapes"],
)
@settings(
    max_examples=100, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
@given(case=cases(), kept=st.lists(st.integers(0, 30), max_size=3))
def test_random_programs_equal_the_interpreter(
    options: Mapping[str, object], case: Case, kept: list[int]
) -> None:
    keep = sorted({case.written[n % len(case.written)] for n in kept}) if case.written else []
    config = Config("random", keep=keep, **options)  # type: ignore[arg-type]
    weights = {name: weight.array.copy() for name, weight in case.program.weights.items()}
    runs = [
        feeds(*each)
        for each in SIGNATURES
        if not config.input_shapes or (each[0], sum(each[1])) == (PROMISED["x"][0], PROMISED["s"][0])
    ]
    run_all(config, case, runs)
    assert all(np.array_equal(case.program.weights[name].array, array) for name, array in weights.items())
