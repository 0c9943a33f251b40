"""A past that grows in place: equal to one that is copied, and nothing of its size is allocated."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import lite
from lite.errors import InputError
from lite.ir.program import Program
from lite.ir.types import Array, DType
from lite.runtime.open_signatures import EXACT
from tests.support.small_programs import make_program

WIDTH = 256
STEPS = EXACT + 6


def decoder() -> Program:
    """Attention over a past ``float32[1, ?, 256]`` along its axis 1, and what is left of its mask."""
    return make_program(
        {"past": (DType.FLOAT32, (1, -1, WIDTH)), "new": (DType.FLOAT32, (1, 1, WIDTH))},
        {},
        [
            ("concat", {"X": ["past", "new"]}, {"Out": ["present"]}, {"axis": -2}),
            ("matmul_v2", {"X": ["new"], "Y": ["present"]}, {"Out": ["scores"]}, {"trans_y": True}),
            ("softmax", {"X": ["scores"]}, {"Out": ["shares"]}, {"axis": -1}),
            ("matmul_v2", {"X": ["shares"], "Y": ["present"]}, {"Out": ["y"]}, {}),
            ("reduce_sum", {"X": ["past"]}, {"Out": ["total"]}, {"dim": [1]}),
        ],
        ["present", "y", "total"],
    )


def predictor() -> lite.Predictor:
    return lite.Predictor.of_program(decoder(), lite.Config("unused"))


def rows(count: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal((1, count, WIDTH)).astype(np.float32)


def step(model: lite.Predictor, cache: Array, length: int, new: Array) -> dict[str, Array]:
    return model.run({"past": cache[:, :length], "new": new}, {"present": cache[:, : length + 1]})


@pytest.mark.parametrize("first", [0, 3])
@pytest.mark.parametrize("is_strided", [False, True])
def test_results_equal_those_of_a_copied_past(first: int, is_strided: bool) -> None:
    model, plain = predictor(), predictor()
    space = np.full((1, first + STEPS, WIDTH * (2 if is_strided else 1)), np.nan, np.float32)
    cache = space[..., ::2] if is_strided else space
    past = rows(first)
    cache[:, :first] = past
    for n in range(STEPS):
        new = rows(1, n)
        expected = plain.run({"past": past, "new": new})
        found = step(model, cache, first + n, new)
        for name, array in expected.items():
            np.testing.assert_allclose(found[name], array, rtol=1e-5, atol=1e-6)
        past = expected["present"]
    np.testing.assert_array_equal(cache[:, : first + STEPS], past)


def test_nothing_of_the_size_of_the_past_is_allocated() -> None:
    model, cache = predictor(), rows(2000 + STEPS)
    for n in range(STEPS - 1):
        step(model, cache, 2000 + n, rows(1, n))
    new = rows(1)
    tracemalloc.start()
    try:
        step(model, cache, 2000 + STEPS - 1, new)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # The scores have a number for each row of the past, which has 256.
    assert peak < cache.nbytes / 16


def test_an_output_elsewhere_is_written_as_a_whole() -> None:
    model = predictor()
    for n in range(STEPS):
        past, new = rows(5 + n, n), rows(1, n + 1)
        other = np.empty((1, 6 + n, WIDTH), np.float32)
        found = model.run({"past": past, "new": new}, {"present": other})["present"]
        assert found is other
        np.testing.assert_array_equal(found, np.concatenate([past, new], 1))


def test_an_input_where_the_result_goes_is_read_before() -> None:
    model, cache = predictor(), rows(50)
    for n in range(STEPS):
        kept = cache.copy()
        found = model.run(
            {"past": cache[:, : 5 + n], "new": cache[:, 5 + n : 6 + n]}, {"present": cache[:, : 6 + n]}
        )
        np.testing.assert_array_equal(found["present"], kept[:, : 6 + n])
        np.testing.assert_array_equal(cache, kept)


def test_an_output_of_another_size_is_refused() -> None:
    model, cache = predictor(), rows(50)
    for n in range(STEPS):
        with pytest.raises(InputError, match="output array for 'present'"):
            model.run({"past": cache[:, : 5 + n], "new": rows(1)}, {"present": cache[:, : 8 + n]})


HEADS, SIZE, SPACE = 2, 8, 64


def cached() -> Program:
    """Attention over a cache ``float32[1, 2, 64, 8]``, whose size is at least that of `mask`."""
    shape = (1, HEADS, SPACE, SIZE)
    return make_program(
        {
            "past": (DType.FLOAT32, shape),
            "new": (DType.FLOAT32, (1, HEADS, 1, SIZE)),
            "used": (DType.INT64, (1,)),
            "valid": (DType.INT64, (1,)),
            "mask": (DType.FLOAT32, (-1,)),
        },
        {},
        [
            ("shape", {"Input": ["mask"]}, {"Out": ["total"]}, {}),
            (
                "cache_append",
                {"X": ["past"], "Updates": ["new"], "Starts": ["used"], "Length": ["total"]},
                {"Out": ["present"]},
                {},
            ),
            (
                "attention",
                {"Q": ["new"], "K": ["present"], "V": ["present"], "KeyLengths": ["valid"]},
                {"Out": ["y"]},
                {"is_causal": True},
            ),
        ],
        ["present", "y"],
    )


@pytest.mark.parametrize("places", [["cpu"], ["host"]])
@pytest.mark.parametrize("mask_grows", [False, True])
def test_a_cache_of_fixed_size_is_updated_in_place(places: list[str], mask_grows: bool) -> None:
    model, plain = (
        lite.Predictor.of_program(cached(), lite.Config("unused", valid_places=places)) for _ in range(2)
    )
    past = np.zeros((1, HEADS, SPACE, SIZE), np.float32)
    cache = past.copy()
    is_in_place = places == ["cpu"] or not mask_grows
    for n in range(STEPS):
        new = np.random.default_rng(n).standard_normal((1, HEADS, 1, SIZE)).astype(np.float32)
        mask = np.zeros(n + 1 if mask_grows else SPACE, np.float32)
        feeds = {"new": new, "used": np.array([n]), "valid": np.array([n + 1]), "mask": mask}
        expected = plain.run({**feeds, "past": past})
        cache[0, 0, -1] = n + 1
        found = model.run({**feeds, "past": cache}, {"present": cache})
        assert found["present"] is cache
        np.testing.assert_allclose(found["y"], expected["y"], rtol=1e-5, atol=1e-6)
        past = expected["present"]
        np.testing.assert_array_equal(cache[:, :, : n + 1], past[:, :, : n + 1])
        # A row after the valid ones stays as it is where the run does not copy.
        assert (cache[0, 0, -1] == (n + 1 if is_in_place or n < EXACT else 0)).all()


def test_a_cache_that_is_too_small_is_refused() -> None:
    model = lite.Predictor.of_program(cached(), lite.Config("unused", valid_places=["cpu"]))
    cache = np.zeros((1, HEADS, SPACE, SIZE), np.float32)
    for length in [*range(1, STEPS), SPACE + 1]:
        feeds = {"new": cache[:, :, :1].copy(), "used": np.array([0]), "valid": np.array([1])}
        arguments = {**feeds, "past": cache, "mask": np.zeros(length, np.float32)}
        if length <= SPACE:
            model.run(arguments, {"present": cache})
        else:
            with pytest.raises(InputError, match="pass an array of the result's shape and dtype"):
                model.run(arguments, {"present": cache})
