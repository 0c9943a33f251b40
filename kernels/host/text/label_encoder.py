"""label_encoder: a table from keys to values."""

from __future__ import annotations

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
    places = _places_of_texts(X, Keys) if Keys.dtype.kind == "O" else _places_of_numbers(X, Keys)
    out = np.concatenate([Values, Default.ravel()[:1]])[places].reshape(X.shape)
    return out.astype(Values.dtype, copy=False)


def _places_of_texts(x: Array, keys: Array) -> Array:
    """The place of each element among the keys; -1 for none."""
    table = {key: n for n, key in enumerate(keys.tolist())}
    return np.array([table.get(item, -1) for item in x.ravel().tolist()], np.int64)


def _places_of_numbers(x: Array, keys: Array) -> Array:
    order = np.argsort(keys, kind="stable")
    ordered, items = keys[order], x.ravel()
    after = np.searchsorted(ordered, items, side="right")
    found = ordered[after - 1] if keys.size else items
    is_key = (after > 0) & ((found == items) | ((found != found) & (items != items)))
    return np.where(is_key, order[after - 1] if keys.size else -1, -1)
