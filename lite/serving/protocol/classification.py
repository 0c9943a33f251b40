"""The classification extension: the greatest elements of an output, as strings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.types import Array
from lite.serving.protocol.datatypes import string_array
from lite.serving.protocol.status import bad_request


def classify(name: str, array: Array, count: int, labels: Sequence[str]) -> Array:
    """The `count` greatest elements as ``value:index`` or ``value:index:label``.

    A tensor of two axes or more has a row of strings for each entry of axis 0.  Raises `RequestError` for an
    output that is not numeric.
    """
    if array.dtype == object or array.dtype == bool:
        raise bad_request(f"output {name!r}: only numbers can be classified")
    rows = array.reshape(len(array), -1) if array.ndim > 1 and len(array) else array.reshape(1, -1)
    most = min(count, rows.shape[1])
    wide = rows.astype(np.float64)
    order = np.argsort(-wide, axis=1, kind="stable")[:, :most]
    items = [
        _text(float(row[index]), int(index), labels).encode()
        for row, best in zip(wide, order, strict=True)
        for index in best
    ]
    return string_array(items, (len(rows), most) if array.ndim > 1 else (most,))


def _text(value: float, index: int, labels: Sequence[str]) -> str:
    label = f":{labels[index]}" if index < len(labels) else ""
    return f"{value:f}:{index}{label}"
