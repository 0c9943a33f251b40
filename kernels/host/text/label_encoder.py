"""label_encoder: a table from keys to values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("label_encoder")
def label_encoder(X: Array, Keys: Array, Values: Array, Default: Array) -> Array:
    """ONNX LabelEncoder: the value of each element's key, or the one element of Default.

    X and Keys have one type: strings, integers or floats.  NaN is a key like others.  Of equal keys, the last
    one counts.
    """
    if len(Keys) != len(Values):
        raise ValueError(f"expected as many values as keys, got {len(Values)} and {len(Keys)}")
    table = {_key(key): n for n, key in enumerate(Keys.tolist())}
    places = np.array([table.get(_key(item), -1) for item in X.ravel().tolist()], np.int64)
    out = np.concatenate([Values, Default.ravel()[:1]])[places].reshape(X.shape)
    return out.astype(Values.dtype, copy=False)


def _key(item: Any) -> Any:
    """An element as a key; NaN, which equals no number, by its text."""
    return "nan" if isinstance(item, float) and math.isnan(item) else item
