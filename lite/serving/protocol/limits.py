"""How large a request may be; all checks come before memory is allocated."""

from __future__ import annotations

from collections.abc import Sequence

from lite.dataclass import dataclass
from lite.serving.protocol.datatypes import DATATYPES
from lite.serving.protocol.status import RequestError, Status, bad_request

MAX_RANK = 32
"""Most axes of a tensor (numpy allows 64)."""

MAX_SIZE = 2**62


@dataclass(frozen=True)
class RequestLimits:
    """Limits of one request.

    body_bytes: of a body as sent, and again after decompression; also of a gRPC message.
    tensors: inputs, and requested outputs.
    containers: lists and objects in a JSON document, each of which takes some 60 bytes of memory.
    name_bytes: of names, versions and request ids.
    """

    body_bytes: int = 64 << 20
    tensors: int = 256
    containers: int = 1 << 20
    name_bytes: int = 1024


def check_count(what: str, count: int, most: int) -> None:
    """Raise `RequestError` if a request has more than `most` of something."""
    if count > most:
        raise bad_request(f"a request may have {most} {what}, got {count}")


def check_body(size: int, limits: RequestLimits) -> None:
    """Raise `RequestError` for a body that is too large."""
    if size > limits.body_bytes:
        raise RequestError(
            Status.TOO_LARGE,
            f"the body has more than {limits.body_bytes} bytes; the server's option --max-request-mb "
            "sets this limit",
        )


def check_tensor(name: str, datatype: str, shape: Sequence[object]) -> list[int]:
    """The shape of the input `name`; raises `RequestError` for an invalid datatype or shape."""
    if datatype not in DATATYPES:
        raise bad_request(
            f"input {name!r}: {str(datatype)[:40]!r} is not a datatype; known: {', '.join(DATATYPES)}"
        )
    if len(shape) > MAX_RANK:
        raise bad_request(f"input {name!r}: a shape may have {MAX_RANK} sizes, got {len(shape)}")
    sizes = []
    for size in shape:
        if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size <= MAX_SIZE:
            raise bad_request(f"input {name!r}: a size is an integer of 0 or more, got {str(size)[:40]}")
        sizes.append(size)
    product = 1
    for size in sizes:
        product *= max(size, 1)
    if product > MAX_SIZE:
        raise bad_request(f"input {name!r}: the shape {sizes} has too many elements")
    return sizes
