"""Gather, GatherElements, GatherND and Compress against ONNX's reference."""

from __future__ import annotations

import numpy as np
import pytest

from tests.model_parser.onnx.node_models import matches_reference, model_of, run, same

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


@pytest.mark.parametrize("index", [1, [1], [[0, -1], [1, 1]], [[[0]]]])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather(axis: int, index: int | list[int]) -> None:
    matches_reference("Gather", [X, np.array(index)], {"axis": axis}, constants=[1])


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather_elements(axis: int) -> None:
    """Index may be smaller than the data on the other axes too."""
    index = np.random.default_rng(6).integers(-2, 2, (2, 2, 3))
    wanted = np.zeros(index.shape, np.float32)
    for place in np.ndindex(*index.shape):
        at = list(place)
        at[axis] = index[place]
        wanted[place] = X[tuple(at)]

    found = run(model_of("GatherElements", [X, index], {"axis": axis}), {"x0": X, "x1": index})

    same([found["y0"]], [wanted])


@pytest.mark.parametrize(
    ("index", "batch"),
    [([[0, 1], [1, -1]], 0), ([[[1]], [[0]]], 1), ([[[1, 2], [0, 0]], [[2, 3], [1, 1]]], 1), ([[1], [0]], 0)],
)
def test_gather_nd(index: list[int], batch: int) -> None:
    matches_reference("GatherND", [X, np.array(index)], {"batch_dims": batch})


@pytest.mark.parametrize(
    ("attrs", "condition"),
    [({"axis": 1}, [True, False, True]), ({"axis": -1}, [False, True]), ({}, [False, True, False, True])],
)
def test_compress(attrs: dict[str, int], condition: list[bool]) -> None:
    matches_reference("Compress", [X, np.array(condition)], attrs)
