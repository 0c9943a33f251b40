"""Removes reshapes before a product that flattens its operand itself."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.ir.types import Shape
from lite.ops import Trait, has_trait, ops_with
from lite.ops.view import product
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fold.sizes import Sizes
from lite.passes.match import attributes, become, erase_unread, is_plain_float, sole_producer
from lite.passes.registry import register_pass

_ROWS = {"fc": ("Input", "in_num_col_dims"), "mul": ("X", "x_num_col_dims")}


@register_pass
class FlattenFcFusePass(Pass):
    """Removes a reshape, squeeze or flattening of axes that fc or mul merge themselves::

        %a = flatten_contiguous_range(X=%x)         ->  %y = fc(Input=%x, W=%w) {in_num_col_dims = 1}
        %y = fc(Input=%a, W=%w) {in_num_col_dims = 1}

    matmul_v2 with a constant matrix becomes mul, if neither operand is transposed.  The leading axes, which
    are also the leading axes of the result, must be known to be the same.
    """

    name: ClassVar[str] = "flatten_fc_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("fc", "matmul_v2", "mul")
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "fc_fuse_pass", "reshape_sizes_fold_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """A reshape whose result has other readers stays."""
        if not any(has_trait(node.op, Trait.RESHAPE) for node in graph):
            return Outcome.UNCHANGED
        sizes = Sizes(graph)
        changed = False
        for node in graph:
            sizes.add(node)
            if node.op in _ROWS or node.op == "matmul_v2":
                changed |= _fuse(node, sizes)
        return Outcome.of(changed)


def _fuse(node: Node, sizes: Sizes) -> bool:
    slot, attr = _ROWS.get(node.op, _ROWS["mul"])
    value = node.input(slot)
    view = sole_producer(value, ops_with(Trait.RESHAPE))
    rows = _rows(node, attr, sizes.shape(value))
    if view is None or rows is None or set(view.inputs) != {"X"}:
        return False
    source = view.input("X")
    before, after = sizes.shape(source), sizes.shape(value)
    if before is None or after is None or not _same_matrix(before, after, rows):
        return False
    if not is_plain_float(source, *node.all_inputs(), node.output("Out")) or source.lod_level:
        return False
    if node.op == "matmul_v2":
        become(node, "mul", {"X": [source], "Y": node.inputs["Y"]}, {"x_num_col_dims": rows})
    else:
        node.set_input(slot, [source])
        erase_unread([value])
    return True


def _rows(node: Node, attr: str, shape: Shape | None) -> int | None:
    """The number of axes of the first operand that are rows; None if the node does not flatten it."""
    attrs = attributes(node)
    if node.op != "matmul_v2":
        rows = attrs[attr]
        return rows if isinstance(rows, int) else None
    x, matrix = node.input("X"), node.input("Y")
    if attrs["trans_x"] or attrs["trans_y"] or x.dtype != matrix.dtype or shape is None:
        return None
    return len(shape) - 1 if matrix.data is not None and matrix.data.ndim == 2 and len(shape) > 1 else None


def _same_matrix(before: Shape, after: Shape, rows: int) -> bool:
    """Whether the axes that are rows are the same, and so is the number of columns."""
    columns = product(before[rows:])
    same = columns is not None and columns == product(after[rows:])
    return same and len(before) > rows and before[:rows] == after[:rows]
