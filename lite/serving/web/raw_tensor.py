"""Requests whose body is one binary tensor, without a JSON head."""

from __future__ import annotations

from lite.serving.models.tensors import OPEN
from lite.serving.protocol.datatypes import element_count, from_bytes, numpy_dtype, string_array
from lite.serving.protocol.messages import InferRequest
from lite.serving.protocol.status import bad_request
from lite.serving.repository.served import Served


def raw_request(served: Served, version: str, body: bytes) -> InferRequest:
    """A request for a model with one input, whose elements are `body`.

    An open size of the input follows from the length of the body; if the first size, the batch, and another
    one are open, the batch is 1.  A body for BYTES is one string.  Raises `RequestError` for other models,
    and for a body whose length does not fit.
    """
    if len(served.inputs) != 1:
        raise bad_request(
            f"a raw tensor needs a model with one input; this one has {len(served.inputs)}; send JSON instead"
        )
    spec = served.inputs[0]
    dims = (OPEN,) if spec.dims is None else spec.dims
    if dims.count(OPEN) > 1:
        dims = (1, *dims[1:]) if dims[0] == OPEN else dims
    if dims.count(OPEN) > 1:
        raise bad_request(
            f"a raw tensor needs an input with at most one open size besides the batch, got {list(dims)}; "
            "send JSON instead"
        )
    if spec.datatype == "BYTES":
        array = string_array([body], [1 if dim == OPEN else dim for dim in dims])
        return InferRequest(served.name, version, "", {spec.name: array}, binary=True)
    fixed = element_count([dim for dim in dims if dim != OPEN]) * numpy_dtype(spec.datatype).itemsize
    open_size = len(body) // fixed if fixed else 0
    shape = [open_size if dim == OPEN else dim for dim in dims]
    return InferRequest(
        served.name, version, "", {spec.name: from_bytes(spec.name, spec.datatype, shape, body)}, binary=True
    )
