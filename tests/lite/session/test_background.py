"""`run_async` and `stream`: results in order, back-pressure, errors in their place."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.types import Array
from tests.support.fake_device import fake_device
from tests.support.small_programs import affine, affine_reference


@pytest.fixture
def predictor(tmp_path: Path) -> lite.Predictor:
    lite.save_program(affine(), tmp_path / "affine")
    return lite.create_predictor(lite.Config(tmp_path / "affine"))


def rows(number: int) -> Array:
    return np.full((1 + number % 3, 4), number, np.float32)


def test_runs_in_the_background_give_their_results_in_futures(predictor: lite.Predictor) -> None:
    futures = [predictor.run_async([rows(n)]) for n in range(8)]
    own = predictor.run([rows(100)])["y"]
    for n, future in enumerate(futures):
        np.testing.assert_array_equal(future.result(30)["y"], affine_reference(rows(n)))
    np.testing.assert_array_equal(own, affine_reference(rows(100)))
    np.testing.assert_array_equal(predictor.get("y"), own)


def test_an_error_of_a_run_in_the_background_is_raised_by_its_future(predictor: lite.Predictor) -> None:
    wrong, right = predictor.run_async({"z": rows(1)}), predictor.run_async({"x": rows(1)})
    with pytest.raises(lite.InputError, match="'z'"):
        wrong.result(30)
    np.testing.assert_array_equal(right.result(30)["y"], affine_reference(rows(1)))


@pytest.mark.parametrize("depth", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 12])
def test_a_stream_has_a_result_for_each_element_in_order(
    predictor: lite.Predictor, depth: int, count: int
) -> None:
    results = list(predictor.stream(({"x": rows(n)} for n in range(count)), depth=depth))
    assert len(results) == count
    for n, result in enumerate(results):
        np.testing.assert_array_equal(result["y"], affine_reference(rows(n)))


def test_elements_are_taken_when_fewer_than_depth_results_are_unread(predictor: lite.Predictor) -> None:
    taken: list[int] = []

    def elements() -> Iterator[list[Array]]:
        for n in range(9):
            taken.append(n)
            yield [rows(n)]

    stream = predictor.stream(elements(), depth=3)
    assert taken == []
    for n in range(5):
        next(stream)
        assert taken == list(range(n + 3))


def test_an_error_of_a_run_comes_in_the_place_of_its_result(predictor: lite.Predictor) -> None:
    stream = predictor.stream(({"x": rows(n)} if n != 4 else {"z": rows(n)} for n in range(9)), depth=3)
    for n in range(4):
        np.testing.assert_array_equal(next(stream)["y"], affine_reference(rows(n)))
    with pytest.raises(lite.InputError, match="'z'"):
        next(stream)
    assert list(stream) == []


def test_an_error_of_the_elements_comes_after_the_results_before_it(predictor: lite.Predictor) -> None:
    def elements() -> Iterator[list[Array]]:
        yield [rows(0)]
        yield [rows(1)]
        raise OSError("the camera is gone")

    stream = predictor.stream(elements(), depth=4)
    for n in range(2):
        np.testing.assert_array_equal(next(stream)["y"], affine_reference(rows(n)))
    with pytest.raises(OSError, match="the camera is gone"):
        next(stream)


def test_a_stream_that_is_left_early_leaves_a_predictor_that_works(predictor: lite.Predictor) -> None:
    for _ in range(3):
        for result in predictor.stream(([rows(n)] for n in range(100)), depth=4):
            np.testing.assert_array_equal(result["y"], affine_reference(rows(0)))
            break
    np.testing.assert_array_equal(predictor.run([rows(7)])["y"], affine_reference(rows(7)))


def test_a_device_works_for_the_next_element_while_another_one_works_for_this_one(tmp_path: Path) -> None:
    lite.save_program(affine(), tmp_path / "affine")
    first, second = ("elementwise_mul", "elementwise_add"), ("relu", "scale")
    with fake_device(*first, name="first") as one, fake_device(*second, name="second") as other:
        predictor = lite.create_predictor(lite.Config(tmp_path / "affine", devices=["first", "second"]))
        again, waited = threading.Event(), []

        def start(array: Array) -> Array:
            if one.runs == 2:
                again.set()
            return array

        def wait(array: Array) -> Array:
            waited.append(again.wait(timeout=30))
            return array

        one.result, other.result = start, wait
        results = list(predictor.stream(([rows(n)] for n in range(2)), depth=2))
    assert all(waited)
    for n, result in enumerate(results):
        np.testing.assert_array_equal(result["y"], affine_reference(rows(n)))


@pytest.mark.parametrize("depth", [0, -1, 1.5])
def test_a_depth_below_one_is_refused(predictor: lite.Predictor, depth: int) -> None:
    with pytest.raises(lite.InputError, match="depth: expected 1 or more"):
        predictor.stream([], depth=depth)
