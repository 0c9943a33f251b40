"""tree_ensemble against a walk of each row down each tree."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.cpu.bound import run, run_compiled

COMPARE = (operator.le, operator.lt, operator.ge, operator.gt, operator.eq, operator.ne)
FEATURES, LEVELS = 3, 5


def tables(seed: int, trees: int, columns: int, dtype: type[np.generic] = np.float32) -> dict[str, Array]:
    """Complete trees of `LEVELS` levels, whose nodes compare in all ways, and leaves of some of them."""
    rng = np.random.default_rng(seed)
    size = 2 ** (LEVELS + 1) - 1
    own = np.arange(size)
    successors = np.stack([2 * own + 1, 2 * own + 2], axis=1)
    is_leaf = (own >= size // 2) | (rng.random(size) < 0.1)
    successors[is_leaf] = own[is_leaf, None]
    successors = np.concatenate([successors + size * tree for tree in range(trees)])
    count = size * trees
    return {
        "Features": rng.integers(FEATURES, size=count),
        "Limits": rng.integers(-2, 3, count).astype(dtype),
        "Successors": successors,
        "Modes": rng.integers(len(COMPARE), size=count) + 8 * rng.integers(2, size=count),
        "Roots": size * np.arange(trees),
        "Weights": rng.standard_normal((count, columns)).astype(dtype),
    }


def samples(rows: int, dtype: type[np.generic] = np.float32) -> Array:
    x = np.random.default_rng(1).integers(-3, 4, (rows, FEATURES)).astype(dtype)
    x[::3, 1] = np.nan
    return x


def walked(x: Array, made: dict[str, Array]) -> tuple[Array, Array]:
    """The sums, and the leaves."""
    leaves = np.zeros((len(x), len(made["Roots"])), np.int64)
    for row, features in enumerate(x):
        for tree, place in enumerate(made["Roots"]):
            for _ in range(LEVELS):
                value, mode = features[made["Features"][place]], made["Modes"][place]
                goes = COMPARE[mode % 8](value, made["Limits"][place]) or (mode >= 8 and np.isnan(value))
                place = made["Successors"][place][0 if goes else 1]
            leaves[row, tree] = place
    return made["Weights"][leaves].sum(axis=1), leaves


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("rows", "trees", "columns"), [(1, 1, 1), (70, 4, 1), (200, 3, 5)])
def test_sums_and_leaves(rows: int, trees: int, columns: int, dtype: type[np.generic]) -> None:
    made, x = tables(rows, trees, columns, dtype), samples(rows, dtype)

    sums, leaves = run_compiled("tree_ensemble", {"X": x, **made}, {"levels": LEVELS}, list(made))

    expected, reached = walked(x, made)
    np.testing.assert_array_equal(leaves, reached)
    np.testing.assert_allclose(sums, expected, rtol=0, atol=1e-6)
    assert sums.dtype == dtype


@pytest.mark.parametrize("aggregate", ["MIN", "MAX"])
def test_the_host_finds_the_least_and_largest_weight(aggregate: str) -> None:
    made, x = tables(2, 3, 2), samples(9)

    [sums, leaves], is_compiled = run(
        "tree_ensemble", {"X": x, **made}, {"levels": LEVELS, "aggregate": aggregate}, list(made)
    )

    _, reached = walked(x, made)
    assert not is_compiled
    np.testing.assert_array_equal(leaves, reached)
    np.testing.assert_array_equal(sums, getattr(np, aggregate.lower())(made["Weights"][reached], axis=1))


@pytest.mark.parametrize(
    ("slot", "number"), [("Successors", 10**6), ("Successors", -1), ("Roots", 10**6), ("Features", -1)]
)
def test_nodes_and_features_that_do_not_exist_are_left_to_the_host(slot: str, number: int) -> None:
    made, x = tables(3, 2, 1), samples(4)
    made[slot].reshape(-1)[-1] = number
    if slot == "Features":
        made["Modes"][:] = 0

    try:
        _, is_compiled = run("tree_ensemble", {"X": x, **made}, {"levels": LEVELS}, list(made))
    except IndexError:
        is_compiled = False

    assert not is_compiled
