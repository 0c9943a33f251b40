"""SparseTensorProto → array with its zeros."""

from __future__ import annotations

import math

import numpy as np
import onnx

from lite.errors import ModelParseError
from lite.ir.types import Array
from lite.model_parser.onnx.tensors import TensorReader

_LARGEST = 2**31
"""Bytes with the zeros: a dense tensor in the same file could not have more."""


def read_sparse(tensor: onnx.SparseTensorProto, tensors: TensorReader, where: str) -> Array:
    """All elements, read-only; places are counted in the whole tensor, or are a row of indices for each.

    Raises `ModelParseError` beginning with `where` for data that do not fit.
    """
    values = tensors.read(tensor.values, f"{where}: values")
    places = tensors.read(tensor.indices, f"{where}: indices")
    dims = list(tensor.dims)
    if any(dim < 0 for dim in dims) or math.prod(dims) * values.itemsize > _LARGEST:
        raise ModelParseError(
            f"{where}: expected at most {_LARGEST} bytes with the zeros, got dims {dims} of {values.dtype}"
        )
    try:
        array: Array = np.zeros(dims, values.dtype)
        if places.ndim == 1:
            array.reshape(-1)[places] = values
        else:
            array[tuple(places.T)] = values
    except (ValueError, TypeError, IndexError) as error:
        raise ModelParseError(
            f"{where}: its places and values do not fit its dims {dims}: {error}"
        ) from error
    array.flags.writeable = False
    return array
