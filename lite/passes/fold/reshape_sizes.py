"""reshape2 to sizes of which all but one are known."""

from __future__ import annotations

from collections.abc import Callable

from lite.ir.graph import Node, Value
from lite.passes.fold.elements import Elements


def fold_reshape_sizes(node: Node, known: Callable[[Value], Elements | None]) -> bool:
    """Say the one open size as -1, which reshape2 works out, and drop the tensors that said it.

    `known` gives what is known of a value's elements.  Whether the node could be changed.
    """
    slots = [slot for slot in ("Shape", "ShapeTensor") if slot in node.inputs]
    if node.op != "reshape2" or len(slots) != 1:
        return False
    sizes: list[int | None] = []
    for value in node.inputs[slots[0]]:
        found = known(value)
        if found is not None:
            sizes += _sizes(found)
        elif slots[0] == "ShapeTensor":
            # Each tensor of the list is one size.
            sizes.append(None)
        else:
            return False
    if sizes.count(None) != 1 or -1 in sizes:
        return False
    node.attrs["shape"] = [-1 if size is None else size for size in sizes]
    node.set_input(slots[0], ())
    return True


def _sizes(found: Elements) -> list[int | None]:
    pairs = zip(found.array.reshape(-1).tolist(), found.known.reshape(-1).tolist(), strict=True)
    return [int(size) if known else None for size, known in pairs]
