"""tf_idf_vectorizer: every gram looked for at every place."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ExecutionError
from lite.ir.program import AttrValue
from lite.ir.types import Array
from tests.kernels.host.checked import checked, same

POOL: list[tuple[int, ...]] = [(2,), (3,), (5,), (5, 4), (5, 6), (7, 8), (6, 7), (2, 3, 2)]
COLUMNS = [4, 0, 1, 2, 6, 5, 3, 8]
WEIGHTS = [0.5, 1.0, 2.0, 3.0, 4.0, 0.25, 7.0, 8.0]
X = np.random.default_rng(0).integers(2, 9, (3, 30))


def counted(row: list[int], gram: tuple[int, ...], skips: int) -> int:
    size = len(gram)
    steps = range(1, (skips if size > 1 else 0) + 2)
    return sum(
        all(place + n * step < len(row) and row[place + n * step] == gram[n] for n in range(size))
        for step in steps
        for place in range(len(row))
    )


def expected(x: Array, mode: str, sizes: tuple[int, int], skips: int) -> Array:
    out = np.zeros((len(x), max(COLUMNS) + 1), np.float32)
    for number, row in enumerate(x.tolist()):
        for gram, column, weight in zip(POOL, COLUMNS, WEIGHTS, strict=True):
            count = counted(row, gram, skips) if sizes[0] <= len(gram) <= sizes[1] else 0
            out[number, column] = {"TF": count, "IDF": weight * (count > 0), "TFIDF": weight * count}[mode]
    return out


@pytest.mark.parametrize("mode", ["TF", "IDF", "TFIDF"])
@pytest.mark.parametrize("sizes", [(1, 1), (2, 2), (1, 3)])
@pytest.mark.parametrize("skips", [0, 1, 5])
@pytest.mark.parametrize("kind", ["int64", "int32", "texts", "one row", "no rows"])
def test_grams_are_counted_and_weighted(mode: str, sizes: tuple[int, int], skips: int, kind: str) -> None:
    x = X.astype("int32") if kind == "int32" else X[:0] if kind == "no rows" else X
    flat = [item for gram in POOL for item in gram]
    attrs = {
        "mode": mode,
        "min_gram_length": sizes[0],
        "max_gram_length": sizes[1],
        "max_skip_count": skips,
        "ngram_counts": [0, 3, 11],
        "ngram_indexes": COLUMNS,
        "weights": WEIGHTS,
    }
    wanted = expected(x, mode, sizes, skips)
    if kind == "texts":
        x, attrs["pool_strings"] = x.astype(str).astype(object), [str(item) for item in flat]
    else:
        attrs["pool_int64s"] = flat
    if kind == "one row":
        x, wanted = x[0], wanted[0]

    (found,) = checked("tf_idf_vectorizer", {"X": x}, attrs)  # type: ignore[arg-type]

    same(found, wanted)


def test_grams_and_distances_beyond_a_row_take_no_time() -> None:
    attrs: dict[str, AttrValue] = {"mode": "TF", "ngram_counts": [0, 3, 11], "ngram_indexes": [*COLUMNS]}
    flat = [item for gram in POOL for item in gram]
    most = 1 << 62
    (found,) = checked(
        "tf_idf_vectorizer",
        {"X": X},
        {**attrs, "max_gram_length": most, "max_skip_count": most, "pool_int64s": flat},
    )
    same(found, expected(X, "TF", (1, 3), X.shape[1]))


@pytest.mark.parametrize("counts", [[-(1 << 62)], [0, 1 << 62], [2, 1], [4]])
def test_offsets_beyond_the_pool_are_refused(counts: list[int]) -> None:
    attrs = {"mode": "TF", "ngram_counts": counts, "ngram_indexes": [0, 1, 2], "pool_int64s": [1, 2, 3]}
    with pytest.raises(ExecutionError, match="ngram_counts: expected rising offsets up to 3"):
        checked("tf_idf_vectorizer", {"X": X}, attrs)  # type: ignore[arg-type]


def test_negative_columns_are_refused() -> None:
    attrs = {"mode": "TF", "ngram_counts": [0], "ngram_indexes": [0, -1, 2], "pool_int64s": [1, 2, 3]}
    with pytest.raises(ExecutionError, match="ngram_indexes: expected columns from 0, got -1"):
        checked("tf_idf_vectorizer", {"X": X}, attrs)  # type: ignore[arg-type]
