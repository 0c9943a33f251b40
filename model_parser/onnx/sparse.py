"""SparseTensorProto → array with its zeros."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import numpy_helper

from lite.errors import ModelParseError
from lite.ir.types import Array


def read_sparse(tensor: onnx.SparseTensorProto, where: str) -> Array:
    """All elements; places are counted in the whole tensor, or are a row of indices for each.

    Raises `ModelParseError` beginning with `where` for data that do not fit.
    """
    try:
        values: Array = np.asarray(numpy_helper.to_array(tensor.values))
        places: Array = np.asarray(numpy_helper.to_array(tensor.indices))
        array: Array = np.zeros(tuple(tensor.dims), values.dtype)
        if places.ndim == 1:
            array.reshape(-1)[places] = values
        else:
            array[tuple(places.T)] = values
    except (ValueError, TypeError, IndexError) as error:
        raise ModelParseError(
            f"{where}: its places and values do not fit its dims {list(tensor.dims)}: {error}"
        ) from error
    return array
