"""The inputs and outputs of a served model, and checks of requests against them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.dataclass import dataclass
from lite.errors import suggest
from lite.ir.types import Array
from lite.serving.models.model_value import Value
from lite.serving.protocol.datatypes import array_datatype
from lite.serving.protocol.status import bad_request

OPEN = -1
"""A size that a model leaves open."""


@dataclass(frozen=True)
class TensorSpec:
    """An input or output: its datatype, and its sizes: `OPEN` where any fits, None for any rank."""

    name: str
    datatype: str
    dims: tuple[int, ...] | None

    @property
    def shape(self) -> list[int]:
        """The sizes for metadata, which cannot leave the number of axes open."""
        return [OPEN] if self.dims is None else list(self.dims)


def check_inputs(specs: Sequence[TensorSpec], inputs: Mapping[str, Value], *, lists: bool = False) -> None:
    """Raise `RequestError` for unknown and missing inputs, and for wrong datatypes and shapes.

    lists: whether an input may be a list of tensors, each of which must fit.
    """
    known = {spec.name: spec for spec in specs}
    for name in inputs:
        if name not in known:
            raise bad_request(
                f"unexpected input {name[:80]!r}{suggest(name, known)}; the model takes {', '.join(known)}"
            )
    for name, spec in known.items():
        if name not in inputs:
            raise bad_request(f"input {name!r} is missing; the model takes {', '.join(known)}")
        value = inputs[name]
        if not isinstance(value, list):
            _check(spec, value)
        elif not lists:
            raise bad_request(f"input {name!r}: expected a tensor, got a list; name it in each")
        else:
            for item in value:
                _check(spec, item)


def _check(spec: TensorSpec, array: Array) -> None:
    found = array_datatype(array)
    if found != spec.datatype:
        raise bad_request(f"input {spec.name!r}: expected {spec.datatype}, got {found}")
    if spec.dims is not None and not _fits(spec.dims, array.shape):
        raise bad_request(
            f"input {spec.name!r}: expected shape {list(spec.dims)}, got {list(array.shape)} (-1 is any size)"
        )


def _fits(dims: Sequence[int], shape: Sequence[int]) -> bool:
    return len(dims) == len(shape) and all(dim in (OPEN, size) for dim, size in zip(dims, shape, strict=True))
