"""Output arrays: the caller's arrays that a run writes results to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.errors import InputError
from lite.ir.types import Array
from lite.plugin.kernel import TensorArray, is_tensor_array


def is_writable_buffer(array: Array, args: Sequence[Any]) -> bool:
    """Whether a kernel can write its result into `array` while `args` are still read."""
    flags = array.flags
    if type(array) is not np.ndarray or not (flags.c_contiguous and flags.aligned):
        return False
    return not any(isinstance(arg, np.ndarray) and np.may_share_memory(array, arg) for arg in args)


def copy_result(output: Array, result: object, name: str) -> Array:
    """Copy a result into an output array, if it is not there already; returns the output array.

    Raises `InputError` when shape or dtype differ.
    """
    if result is output:
        return output
    if not isinstance(result, np.ndarray) or output.shape != result.shape or output.dtype != result.dtype:
        raise InputError(
            f"output array for {name!r} is {value_text(output)}, the result is {value_text(result)}; "
            "pass an array of the result's shape and dtype"
        )
    np.copyto(output, result)
    return output


def plain_results(results: Sequence[Any]) -> list[Any]:
    """The results with tensor arrays as lists of their own, for the caller of a run."""
    return [[*each] if isinstance(each, TensorArray) else each for each in results]


def value_text(value: object) -> str:
    """``float32[1, 3]``, ``array of 2 tensors``, ``nothing`` or a type's name, for messages."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    if is_tensor_array(value):
        return f"array of {len(value)} tensors"
    return "nothing" if value is None else type(value).__name__
