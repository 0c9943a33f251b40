"""tf_idf_vectorizer by numpy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("tf_idf_vectorizer")
def tf_idf_vectorizer(
    X: Array,
    *,
    mode: str,
    min_gram_length: int,
    max_gram_length: int,
    max_skip_count: int,
    ngram_counts: Sequence[int],
    ngram_indexes: Sequence[int],
    pool_int64s: Sequence[int],
    pool_strings: Sequence[str],
    weights: Sequence[float],
) -> Array:
    """ONNX TfIdfVectorizer: float32[..., columns] with a number for each n-gram of the pool, per row of X.

    The number is the count of the n-gram in the row (TF), its weight if it occurs (IDF), or the product of
    count and weight (TFIDF).  `ngram_counts` has the offset in the pool of the n-grams of each length,
    `ngram_indexes` the column of each n-gram.  Neighbouring elements of an n-gram have the same number of
    other elements between them in the row, at most `max_skip_count`.
    """
    pool: Sequence[Any] = pool_strings or pool_int64s
    grams: dict[tuple[Any, ...], int] = {}
    ends = (*ngram_counts[1:], len(pool))
    if not all(0 <= start <= end <= len(pool) for start, end in zip(ngram_counts, ends, strict=True)):
        raise ValueError(f"ngram_counts: expected rising offsets up to {len(pool)}, got {list(ngram_counts)}")
    if min(ngram_indexes, default=0) < 0:
        raise ValueError(f"ngram_indexes: expected columns from 0, got {min(ngram_indexes)}")
    longest = min(max_gram_length, len(ngram_counts))
    for size, (start, end) in enumerate(zip(ngram_counts, ends, strict=True), start=1):
        for at in range(start, end, size):
            number = len(grams)
            grams[(size, *pool[at : at + size])] = number
    rows = X.reshape(-1, X.shape[-1])
    counts = np.zeros((len(rows), len(grams)))
    for number, row in enumerate(rows.tolist()):
        for gram in _grams(row, min_gram_length, longest, max_skip_count):
            column = grams.get(gram)
            if column is not None:
                counts[number, column] += 1
    factors = np.array(weights or [1.0] * len(grams))
    if mode != "TF":
        counts = (np.minimum(counts, 1) if mode == "IDF" else counts) * factors
    out = np.zeros((len(rows), max(ngram_indexes, default=-1) + 1), np.float32)
    out[:, list(ngram_indexes)] = counts
    return out.reshape(*X.shape[:-1], out.shape[1])


def _grams(row: Sequence[Any], least: int, most: int, skips: int) -> Iterator[tuple[Any, ...]]:
    for size in range(least, most + 1):
        # For a single element, all steps give the same n-grams.
        widest = min(skips + 1, (len(row) - 1) // (size - 1)) if size > 1 else 1
        for step in range(1, widest + 1):
            for start in range(len(row) - (size - 1) * step):
                yield (size, *row[start : start + (size - 1) * step + 1 : step])
