"""Inputs from files, from recordings and from generators."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.errors import InputError
from lite.ir.types import Array, DType, Shape
from lite.tools.arrays.feeds import make_feeds
from tests.support.small_programs import make_program


def predictor(folder: Path, **inputs: tuple[DType, Shape]) -> lite.Predictor:
    """A predictor that casts each input to float32."""
    ops = [("cast", {"X": [name]}, {"Out": [f"{name}_out"]}, {"out_dtype": 5}) for name in inputs]
    lite.save_program(make_program(inputs, {}, ops, [f"{name}_out" for name in inputs]), folder)
    return lite.create_predictor(lite.Config(folder))


@pytest.fixture
def two(tmp_path: Path) -> lite.Predictor:
    return predictor(tmp_path, a=(DType.FLOAT32, (2, 3)), b=(DType.INT64, (-1,)))


def assert_same(got: dict[str, Array], expected: dict[str, Array]) -> None:
    assert list(got) == list(expected)
    for name, array in expected.items():
        np.testing.assert_array_equal(got[name], array, strict=True)


def test_random_elements_depend_on_the_dtype(tmp_path: Path) -> None:
    kinds = [DType.FLOAT32, DType.FLOAT16, DType.INT32, DType.UINT8, DType.BOOL]
    fed = predictor(tmp_path, **{f"x{n}": (kind, (50, 4)) for n, kind in enumerate(kinds)})
    feeds = make_feeds(fed, {}, {}, {}, 0)
    assert [(array.dtype, array.shape) for array in feeds.values()] == [(k.numpy, (50, 4)) for k in kinds]
    for array in feeds.values():
        if array.dtype.kind == "f":
            assert abs(array.mean(dtype=np.float64)) < 0.5
            assert 0.5 < array.std(dtype=np.float64) < 1.5
        else:
            assert set(np.unique(array).tolist()) == {0, 1}


def test_random_elements_do_not_depend_on_other_inputs(two: lite.Predictor) -> None:
    short = make_feeds(two, {}, {"b": (1,)}, {}, 7)
    other = make_feeds(two, {"a": "zeros"}, {"b": (1,)}, {}, 7)
    assert_same(other, {"a": np.zeros((2, 3), np.float32), "b": short["b"]})
    assert (make_feeds(two, {}, {"b": (1,)}, {}, 8)["a"] != short["a"]).any()


def test_recorded_arrays_are_used_unless_an_option_names_the_input(two: lite.Predictor) -> None:
    recorded = {"a": np.ones((2, 3), np.float32), "b": np.array([5])}
    assert_same(make_feeds(two, {}, {}, recorded, 0), recorded)
    mixed = make_feeds(two, {"b": "ones"}, {"b": (0,)}, recorded, 0)
    assert_same(mixed, {"a": recorded["a"], "b": np.ones(0, np.int64)})


def test_a_scalar_input_gets_an_array(tmp_path: Path) -> None:
    feeds = make_feeds(predictor(tmp_path, s=(DType.FLOAT32, ())), {}, {}, {}, 0)
    assert [(type(array), array.shape) for array in feeds.values()] == [(np.ndarray, ())]


def test_open_sizes_of_images_are_filled_in(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "lite")
    images = predictor(tmp_path, x=(DType.FLOAT32, (-1, 3, 48, -1)), m=(DType.FLOAT32, (1, 1, 20, 20)))

    feeds = make_feeds(images, {}, {}, {}, 0)

    assert {name: array.shape for name, array in feeds.items()} == {"x": (1, 3, 48, 224), "m": (1, 1, 20, 20)}
    assert caplog.messages == [
        "input 'x' is [?,3,48,?]: 1,3,48,224 is taken; --shape x=… chooses other sizes"
    ]


def test_arrays_come_from_npy_and_npz_files(two: lite.Predictor, tmp_path: Path) -> None:
    a, b = np.full((2, 3), 2, np.float32), np.array([1, 2])
    np.save(tmp_path / "a.npy", a)
    np.savez(tmp_path / "both.npz", a=a, b=b)
    sources = {"a": str(tmp_path / "a.npy"), "b": str(tmp_path / "both.npz")}
    assert_same(make_feeds(two, sources, {}, {}, 0), {"a": a, "b": b})


def test_a_shape_for_a_file_is_refused(two: lite.Predictor) -> None:
    with pytest.raises(
        InputError, match=r"input 'b': --shape needs one of random, zeros, ones, image; b.npy has its own"
    ):
        make_feeds(two, {"b": "b.npy"}, {"b": (1,)}, {}, 0)


def test_an_unknown_source_is_refused(two: lite.Predictor) -> None:
    message = (
        r"input 'a': expected random, zeros, ones, image, an .npy or .npz file or an image, got 'rnadom'$"
    )
    with pytest.raises(InputError, match=message):
        make_feeds(two, {"a": "rnadom"}, {"b": (1,)}, {}, 0)
