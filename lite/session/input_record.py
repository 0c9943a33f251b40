"""The inputs of a model as JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lite.cache.shape_record import shape_of
from lite.ir.types import DType
from lite.session.inputs import InputSpec


def inputs_record(specs: Sequence[InputSpec]) -> list[Sequence[Any]]:
    """Name, dtype, shape and promised shape of each input."""
    return [
        [spec.name, None if spec.dtype is None else spec.dtype.label, spec.shape, spec.promised]
        for spec in specs
    ]


def inputs_of(record: Mapping[str, Any]) -> list[InputSpec]:
    """The entry `inputs` of a record, none of them a tensor array.

    Raises `ValueError`, `TypeError` or `LookupError` for an invalid record.
    """
    return [
        InputSpec(
            name, None if dtype is None else DType.from_name(dtype), shape_of(shape), shape_of(promised)
        )
        for name, dtype, shape, promised in record["inputs"]
    ]
