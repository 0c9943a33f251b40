"""pool3d of windows → pool_nd, which has compiled kernels."""

from __future__ import annotations

from lite.ir.graph import Graph, Node
from lite.ops import get_schema
from lite.passes.cleanup.spelling import spelling


@spelling("pool3d")
def pool3d(_: Graph, node: Node) -> bool:
    """Sizes that are rounded up, whole volumes, bins and channels last differ or are missing in pool_nd."""
    attrs = get_schema("pool3d").attr_values(node.attrs)
    paddings, average = attrs["paddings"], attrs["pooling_type"] == "avg"
    other = attrs["global_pooling"] or attrs["adaptive"] or attrs["ceil_mode"]
    assert isinstance(paddings, list)
    # An average that counts padding counts as much after the volume as before it.
    uneven = average and not attrs["exclusive"] and paddings[::2] != paddings[1::2] and len(paddings) == 6
    if (
        other
        or uneven
        or attrs["padding_algorithm"] not in ("EXPLICIT", "VALID")
        or attrs["data_format"] != "NCDHW"
    ):
        return False
    names = ("pooling_type", "ksize", "strides", "paddings", "padding_algorithm", "exclusive")
    node.op, node.attrs = "pool_nd", {**{name: attrs[name] for name in names}, "dilations": [1, 1, 1]}
    return True
