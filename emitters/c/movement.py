"""Ops that only move elements: transposes, slices, joins, nearest neighbours.

The kernel of the host runs on the positions of the elements, which gives the position that each element of
an output comes from.  If that is a sum of a function of each index, the code is a loop nest with strides, or
with tables of positions in the weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.emitters.c.loops import index, loops, merged, strides_of
from lite.ir.types import Array, Layout
from lite.ops.image_layout import AXES
from lite.plugin.emitter import Emission, EmitOp, EmitValue, emitter
from lite.plugin.emitter.emission import C_TYPES
from lite.plugin.kernel import evaluate

_MOST = 1 << 24
"""The most elements for which positions are computed: float32 represents them exactly."""

_ANY = (
    *("transpose2", "reverse_axes", "slice", "strided_slice", "split", "flip", "roll", "expand_v2", "crop"),
    *("broadcast_to", "tile", "expand_as", "expand_as_v2", "unstack", "crop_tensor", "dynamic_slice"),
    *("assign", "reshape2", "squeeze2", "unsqueeze2", "flatten2", "flatten_contiguous_range", "layout"),
    *("depth_to_space", "space_to_depth"),
)
_WITH_ZEROS = ("unfold", "tril_triu", "temporal_shift", "center_crop_pad")
"""Ops whose results have zeros beside elements of the input."""
_IMAGES = ("shuffle_channel", "pixel_shuffle", "nearest_interp_v2")
_SHAPE_ONLY = ("target_tensor", "Y")
"""Inputs whose elements do not matter."""


def moved(op: EmitOp, out: Emission) -> str | None:
    """One data input, the first; all others are constant."""
    [slot, *rest] = [slot for slot in op.node.inputs if op.node.inputs[slot]]
    x = op[slot]
    inputs: dict[str, list[Array]] = {}
    for other in rest:
        for value in op.all(other):
            if value.data is None and other not in _SHAPE_ONLY:
                return f"{other} must be constant"
            data = value.data if value.data is not None else np.zeros(value.shape, np.int64)
            inputs.setdefault(other, []).append(data)
    if x.dtype not in C_TYPES:
        return f"elements of type {x.dtype} are not supported"
    if x.size >= _MOST:
        return f"more than {_MOST} elements are not supported, got {x}"
    counts = {name: len(values) for name, values in op.node.outputs.items() if values}
    [name] = [name for name in counts if name in ("Out", "Y", "Output")]
    results = _positions(op, slot, x, inputs, counts)[name]
    out.read(x, "x")
    for n, (value, positions) in enumerate(zip(op.outs(name), results, strict=True)):
        if value.value.is_used:
            out.write(value, f"y{n}")
            copy(out, np.asarray(positions).reshape(value.shape).astype(np.int64), f"y{n}")
    return None


def _positions(
    op: EmitOp, slot: str, x: EmitValue, inputs: Mapping[str, Sequence[Array]], counts: Mapping[str, int]
) -> dict[str, list[Array]]:
    """For each output the positions of its elements in the input, as both are stored."""
    kind = np.float32 if op.op == "nearest_interp_v2" else np.int64
    positions = np.arange(x.size, dtype=kind).reshape(x.shape)
    if op.in_nhwc:
        positions = np.transpose(positions, AXES[Layout.NCHW])
    made = evaluate(op.op, {slot: [positions], **inputs}, dict(op.node.attrs), counts)
    arrays = {name: [each.array for each in values] for name, values in made.items()}
    if op.in_nhwc:
        arrays = {
            name: [np.transpose(each, AXES[Layout.NHWC]) for each in each_list]
            for name, each_list in arrays.items()
        }
    return arrays


def copy(out: Emission, positions: Array, y: str, x: str = "x", first: int = 0) -> None:
    """Write ``y[first + n] = x[positions[n]]`` for the elements of an output in order."""
    if not positions.size:
        return
    base = int(positions.reshape(-1)[0])
    functions = []
    for axis in range(positions.ndim):
        line = positions[tuple(slice(None) if n == axis else 0 for n in range(positions.ndim))]
        functions.append(line - base)
    total = np.full((1,) * positions.ndim, base)
    for axis, line in enumerate(functions):
        total = total + line.reshape([-1 if n == axis else 1 for n in range(positions.ndim)])
    if not np.array_equal(np.broadcast_to(total, positions.shape), positions):
        out.weights(positions.reshape(-1).astype(np.int32), f"{y}_from")
        out.code(f"for (ptrdiff_t i = 0; i < {positions.size}; i++) {y}[{first} + i] = {x}[{y}_from[i]];")
        return
    sizes, strides, tables = _axes(functions)
    targets = strides_of(sizes)
    plain = [stride for stride in strides if stride is not None]
    if len(plain) == len(strides):
        sizes, [steps, targets] = merged(sizes, [plain, targets])
        if steps[-1] == 1 and targets[-1] == 1 and sizes[-1] > 1:
            rest = sizes[:-1]
            body = (
                f"memcpy({y} + {index([*targets[:-1]], first)}, {x} + {index([*steps[:-1]], base)}, "
                f"{sizes[-1]} * sizeof *{y});"
            )
            out.code(*loops(rest, [body]))
            return
        body = f"{y}[{index(targets, first)}] = {x}[{index(steps, base)}];"
        out.code(*loops(sizes, [body]))
        return
    terms = [str(base)]
    for n, stride in enumerate(strides):
        if stride is None:
            out.weights(tables[n].astype(np.int32), f"{y}_{n}")
            terms.append(f"{y}_{n}[i{n}]")
        elif stride:
            terms.append(f"i{n} * {stride}")
    out.code(*loops(sizes, [f"{y}[{index(targets, first)}] = {x}[{' + '.join(terms)}];"]))


def _axes(functions: Sequence[Array]) -> tuple[list[int], list[int | None], dict[int, Array]]:
    """Axes with a stride each; an axis is divided in two where that gives strides, or has a table."""
    sizes: list[int] = []
    strides: list[int | None] = []
    tables: dict[int, Array] = {}
    for line in functions:
        for size, stride, table in _parts(line):
            if table is not None:
                tables[len(sizes)] = table
            sizes.append(size)
            strides.append(stride)
    return sizes, strides, tables


def _parts(line: Array) -> list[tuple[int, int | None, Array | None]]:
    size = len(line)
    if size < 2 or (np.diff(line) == line[1]).all():
        return [(size, int(line[1]) if size > 1 else 0, None)]
    for inner in range(2, size // 2 + 1):
        if size % inner:
            continue
        grid = line.reshape(-1, inner)
        is_sum = np.array_equal(grid, grid[:1] + grid[:, :1])
        if is_sum and (np.diff(grid[0]) == grid[0, 1]).all() and (np.diff(grid[:, 0]) == grid[1, 0]).all():
            return [(size // inner, int(grid[1, 0]), None), (inner, int(grid[0, 1]), None)]
    return [(size, None, line)]


@emitter("c", *_WITH_ZEROS)
def moved_with_zeros(op: EmitOp, out: Emission) -> str | None:
    """As `moved`, for one output; positions begin at 1, and 0 stands for a zero."""
    [slot, *rest] = [slot for slot in op.node.inputs if op.node.inputs[slot]]
    x, y = op[slot], op.out()
    if x.dtype not in C_TYPES or x.dtype is not y.dtype or x.size >= _MOST:
        return f"has no form from {x} to {y}"
    inputs = {other: [value.data for value in op.all(other) if value.data is not None] for other in rest}
    if any(not values for values in inputs.values()):
        return f"{', '.join(rest)} must be constant"
    numbers = np.arange(1, x.size + 1, dtype=np.int64).reshape(x.shape)
    [name] = [name for name, values in op.node.outputs.items() if values]
    made = evaluate(op.op, {slot: [numbers], **inputs}, dict(op.node.attrs), {name: 1})[name][0].array
    out.read(x, "x")
    out.write(y, "y")
    out.weights(np.asarray(made).reshape(-1).astype(np.int32), "y_from")
    out.code(f"for (ptrdiff_t i = 0; i < {y.size}; i++) y[i] = y_from[i] ? x[y_from[i] - 1] : 0;")
    return None


emitter("c", *_ANY)(moved)
emitter("c", *_IMAGES, channels_last=True)(moved)


@emitter("c", "concat", "stack")
def joined(op: EmitOp, out: Emission) -> str | None:
    """Several inputs one after the other along an axis."""
    y = op.out()
    if y.dtype not in C_TYPES:
        return f"elements of type {y.dtype} are not supported"
    values = [value for value in op.all("X") if value.size]
    if any(value.dtype is not y.dtype for value in values):
        return "inputs of several element types are not supported"
    axis = op.integer("axis") % y.rank
    inner = int(np.prod(y.shape[axis + 1 :]))
    outer = int(np.prod(y.shape[:axis]))
    row = int(np.prod(y.shape[axis:]))
    out.write(y, "y")
    first = 0
    for n, value in enumerate(values):
        out.read(value, f"x{n}")
        count = inner if op.op == "stack" else inner * value.shape[axis]
        out.code(*_rows(outer, count, row, first, f"x{n}"))
        first += count
    return None


def _rows(outer: int, count: int, row: int, first: int, x: str) -> list[str]:
    if count > 32 or outer == 1:
        body = f"memcpy(y + i0 * {row} + {first}, {x} + i0 * {count}, {count} * sizeof *y);"
        return loops([outer], [body])
    return loops([outer, count], [f"y[i0 * {row} + {first} + i1] = {x}[i0 * {count} + i1];"])
