"""Formulas that passes replace by one op: as exporters spell them, and with one thing that is odd."""

from __future__ import annotations

import numpy as np

from lite.tools.fuzz.draw import Draw, Value, row
from lite.tools.fuzz.evaluate import Rejected
from lite.tools.fuzz.ops.chains import activate, number, same_shape, spy
from lite.tools.fuzz.ops.shape import with_axes
from lite.tools.fuzz.ops.windows import conv, image


def _ints(d: Draw, *numbers: int) -> Value:
    return d.constant(np.asarray(numbers, "int64"))


def _bias(d: Draw, y: Value) -> Value:
    """A constant that broadcasts with an image or matrix, of every usual and unusual shape."""
    if not y.rank:
        return number(d, 1)
    last, rank = y.shape[-1], y.rank
    shapes: list[tuple[int, ...]] = [(), (1,), (last,), (1,) * rank, y.shape, (1, *y.shape)]
    if rank > 1:
        shapes += [(y.shape[1], *[1] * (rank - 2)), (1, y.shape[1], *[1] * (rank - 2)), (y.shape[-2], 1)]
        shapes += [(y.shape[0], *[1] * (rank - 1)), (1, *y.shape[1:])]
    return d.fresh(d.array(d.pick(shapes)), constant=0.85)


@row(0.9)
def biased_layer(d: Draw) -> None:
    """A layer and a bias or scale of any shape, on either side, then an activation."""
    if d.chance(0.5):
        y = conv(d)
    else:
        x = d.value(low=2, high=4, where=lambda v: 0 not in v.shape)
        y = d.node("MatMul", [x, d.constant(d.array((x.shape[-1], d.integer(1, 4))))])
    spy(d, y)
    for _ in range(d.integer(1, 2)):
        pair = [y, _bias(d, y)]
        y = d.node(d.pick(("Add", "Add", "Mul", "Sub", "Div")), pair if d.chance(0.7) else pair[::-1])
        spy(d, y)
    if d.chance(0.6):
        activate(d, y)


@row(0.5)
def softmax_formula(d: Draw) -> None:
    """Softmax as exp(x - max) / sum, over one axis or nearly."""
    x = d.value(low=1, where=lambda v: 0 not in v.shape)
    axis = d.integer(-x.rank, x.rank - 1)
    e = d.node("Exp", [d.node("Sub", [x, with_axes(d, "ReduceMax", x, [axis], 18)])])
    spy(d, e)
    other = axis if d.chance(0.8) else d.integer(-x.rank, x.rank - 1)
    y = d.node("Div", [e, with_axes(d, "ReduceSum", e, [other], 13)])
    if d.chance(0.3):
        d.node("Log", [y])


@row(0.5)
def norm_formula(d: Draw) -> None:
    """RMS, L2, instance and group normalisation as formulas."""
    kind = d.integer(0, 3)
    if kind == 3:
        x = image(d, 4)
        _, c, h, w = x.shape
        groups = d.pick([g for g in range(1, c + 1) if c % g == 0])
        if c // groups * h * w < 2:
            raise Rejected("one element has no variance")
        y = d.node("Reshape", [x, _ints(d, 0, groups, -1)])
        ones = d.constant(np.ones(groups, np.float32) if d.chance(0.8) else d.array((groups,)))
        y = d.node("InstanceNormalization", [y, ones, d.constant(np.zeros(groups, np.float32))])
        y = d.node("Reshape", [y, d.node("Shape", [x])])
        y = d.node("Mul", [y, d.constant(d.array((c, 1, 1)))])
        d.node("Add", [y, d.constant(d.array((c, 1, 1)))])
        return
    x = d.value(low=2, where=lambda v: 0 not in v.shape and v.shape[-1] > 1)
    axes = [-1] if d.chance(0.8) else [1]
    square = d.node("Pow", [x, number(d, 2)]) if d.chance(0.5) else d.node("Mul", [x, x])
    if kind == 0:
        root = d.node(
            "Sqrt", [d.node("Add", [with_axes(d, "ReduceMean", square, axes, 18), number(d, 1e-2)])]
        )
        y = d.node("Mul", [x, d.node("Reciprocal", [root])]) if d.chance(0.5) else d.node("Div", [x, root])
        d.node("Mul", [d.constant(d.array((x.shape[-1],))), y])
    elif kind == 1:
        length = with_axes(d, "ReduceL2", x, axes, 18)
        length = d.node("Clip", [length, d.constant(np.float32(0.1))]) if d.opset >= 11 else length
        d.node("Div", [x, d.node("Expand", [length, d.node("Shape", [x])])])
    else:
        mean = with_axes(d, "ReduceMean", x, axes, 18)
        centred = d.node("Sub", [x, mean])
        variance = with_axes(d, "ReduceMean", d.node("Mul", [centred, centred]), axes, 18)
        d.node("Div", [centred, d.node("Add", [d.node("Sqrt", [variance]), number(d, 0.1)])])


@row(0.5)
def gates(d: Draw) -> None:
    """Swish with a factor, GLU, hard swish and hard sigmoid by their parts."""
    x = d.value(low=1, where=lambda v: v.shape[-1] % 2 == 0 and 0 not in v.shape)
    kind = d.integer(0, 3)
    if kind == 0:
        d.node("Mul", [x, d.node("Sigmoid", [d.node("Mul", [x, number(d, d.pick((1.0, 1.702, 0.5)))])])])
    elif kind == 1:
        half = x.shape[-1] // 2
        if d.opset >= 13:
            a, b = d.nodes_outputs("Split", [x, _ints(d, half, half)], 2, axis=-1)
        else:
            a, b = d.nodes_outputs("Split", [x], 2, axis=x.rank - 1)
        y = d.node("Mul", [a, d.node(d.pick(("Sigmoid", "Tanh", "Relu")), [b])])
        d.node("Concat", [y, a] if d.chance(0.5) else [b, y], axis=-1)
    elif kind == 2:
        y = d.node("HardSigmoid", [x], alpha=d.pick((1 / 6, 0.2)), beta=0.5)
        d.node("Mul", [y, x])
    else:
        y = d.node("Relu", [d.node("Add", [x, number(d, 3)])])
        y = d.node("Min", [y, number(d, 6)])
        d.node("Mul", [x, d.node("Div", [y, number(d, 6)])])


@row(0.6)
def views_in_a_row(d: Draw) -> None:
    """Reshapes, transposes, squeezes and slices that follow each other, with ops between."""
    y = d.value(low=2, high=4, where=lambda v: 0 not in v.shape)
    for _ in range(d.integer(2, 5)):
        kind = d.integer(0, 6)
        if kind == 0 and y.rank:
            y = d.node("Reshape", [y, _ints(d, *d.pick(((-1,), (1, -1), (0, -1), (y.shape[0], -1, 1))))])
        elif kind == 1 and y.rank:
            perm = list(range(y.rank))
            d.random.shuffle(perm)
            y = d.node("Transpose", [y], perm=perm)
        elif kind == 2:
            y = with_axes(d, "Unsqueeze", y, [d.integer(0, y.rank)], 13)
        elif kind == 3 and 1 in y.shape:
            y = with_axes(d, "Squeeze", y, [y.shape.index(1)], 13)
        elif kind == 4 and y.rank and d.opset >= 10:
            axis = d.integer(0, y.rank - 1)
            y = d.node("Slice", [y, _ints(d, 0), _ints(d, max(1, y.shape[axis] - 1)), _ints(d, axis)])
        elif kind == 5:
            y = d.node("Flatten", [y], axis=d.integer(0, y.rank)) if y.rank else y
        else:
            y = activate(d, y)
        spy(d, y)


@row(0.5)
def split_and_join(d: Draw) -> None:
    """Parts of a value that are joined again, in order or not, some of them changed."""
    x = d.value(low=1, high=4, where=lambda v: max(v.shape, default=0) > 1 and 0 not in v.shape)
    axis = max(range(x.rank), key=lambda n: x.shape[n])
    count = d.integer(2, min(3, x.shape[axis]))
    sizes = [x.shape[axis] // count] * count
    sizes[0] += x.shape[axis] - sum(sizes)
    if d.opset >= 13:
        parts = d.nodes_outputs("Split", [x, _ints(d, *sizes)], count, axis=axis)
    else:
        parts = d.nodes_outputs("Split", [x], count, axis=axis, split=sizes)
    parts = [activate(d, part) if d.chance(0.4) else part for part in parts]
    if d.chance(0.4):
        d.random.shuffle(parts)
    y = d.node("Concat", [*parts, *([parts[0]] if d.chance(0.2) else [])], axis=axis)
    if d.chance(0.4) and y.shape == x.shape:
        d.node("Add", [y, x])


@row(0.4)
def space_to_depth_formula(d: Draw) -> None:
    """Four strided slices and a Concat, and the reverse by Reshape and Transpose."""
    x = image(d, 4, where=lambda v: not (v.shape[2] % 2 or v.shape[3] % 2))
    n, c, h, w = x.shape
    if h % 2 or w % 2 or d.opset < 10:
        raise Rejected("odd image")
    parts = []
    for start in ((0, 0), (1, 0), (0, 1), (1, 1)):
        far = (2**31 - 1,) * 2
        tail = [_ints(d, *start), _ints(d, *far), _ints(d, 2, 3), _ints(d, 2, 2)]
        parts.append(d.node("Slice", [x, *tail]))
    y = d.node("Concat", parts, axis=1)
    spy(d, y)
    if d.chance(0.5):
        y = d.node("Reshape", [y, _ints(d, n, 2, 2, c, h // 2, w // 2)])
        y = d.node("Transpose", [y], perm=d.pick(([0, 3, 4, 2, 5, 1], [0, 3, 4, 1, 5, 2])))
        d.node("Reshape", [y, _ints(d, n, c, h, w)])


@row(0.5)
def padded_layer(d: Draw) -> None:
    """Pad in front of a convolution or pool: zero, other numbers, other modes, other axes."""
    x = image(d, 4, where=lambda v: min(v.shape[2:]) > 1)
    amounts = [d.integer(0, 1) for _ in range(4)]
    batch = int(d.chance(0.1))
    pads = [batch, 0, *amounts[:2], 0, 0, *amounts[2:]]
    mode = d.pick(("constant", "constant", "reflect", "edge"))
    if d.opset < 11:
        y = d.node("Pad", [x], pads=pads, mode=mode)
    else:
        tail = [number(d, d.pick((0.0, 1.0)))] if d.chance(0.4) and mode == "constant" else []
        tail = [value for value in tail if not value.rank]
        y = d.node("Pad", [x, _ints(d, *pads), *tail], mode=mode)
    spy(d, y)
    kind = d.integer(0, 2)
    if kind == 0:
        w = d.constant(d.array((d.integer(1, 3), x.shape[1], 2, 2)))
        y = d.node("Conv", [y, w], pads=[0, 0, 1, 0] if d.chance(0.3) else [0] * 4)
    elif kind == 1:
        y = d.node(
            "AveragePool", [y], kernel_shape=[2, 2], count_include_pad=d.integer(0, 1), pads=[0, 0, 1, 1]
        )
    else:
        y = d.node("MaxPool", [y], kernel_shape=[2, 2], strides=[2, 2])
    if d.chance(0.5):
        activate(d, y)


@row(0.4)
def masks(d: Draw) -> None:
    """A causal or length mask from Range, Trilu, comparisons and Where, added to scores."""
    batch, heads, length = d.integer(1, 2), d.integer(1, 2), d.integer(1, 5)
    scores = d.input(d.array((batch, heads, length, length)))
    low = d.constant(np.float32(-10))
    if d.chance(0.5) and d.opset >= 14:
        ones = d.node("ConstantOfShape", [_ints(d, length, length)])
        mask = d.node("Trilu", [d.node("Add", [ones, low])], upper=1)
        y = d.node("Add", [scores, mask])
    else:
        size = d.node("Gather", [d.node("Shape", [scores]), d.constant(np.asarray(2, "int64"))])
        if d.opset < 11:
            raise Rejected("no Range yet")
        steps = d.node(
            "Range", [d.constant(np.asarray(0, "int64")), size, d.constant(np.asarray(1, "int64"))]
        )
        rows = with_axes(d, "Unsqueeze", steps, [1], 13)
        later = d.node(d.pick(("Greater", "Less")), [with_axes(d, "Unsqueeze", steps, [0], 13), rows])
        y = d.node("Where", [later, low, scores])
    y = d.node("Softmax", [y], axis=-1 if d.opset >= 13 else 3)
    d.node("MatMul", [y, d.fresh(d.array((batch, heads, length, 3)))])


@row(0.5)
def data_sizes(d: Draw) -> None:
    """Sizes that only the data tell, and what exporters do with them."""
    x = d.value(low=1, high=2, where=lambda v: v.is_exact and v.array.size > 0)
    flags = d.node("Greater", [x, d.constant(d.array(()))])
    places = d.node("NonZero", [flags])
    if places.array.size == 0 and d.chance(0.8):
        raise Rejected("nothing found")
    places = d.node("Transpose", [places], perm=[1, 0])
    kind = d.integer(0, 3)
    if kind == 0 and d.opset >= 11:
        y = d.node("GatherND", [x, places])
    elif kind == 1:
        y = d.node("Cast", [places], to=1)
    elif kind == 2 and d.opset >= 9:
        size = d.node("Shape", [places])
        y = d.node("ConstantOfShape", [size])
    else:
        index = with_axes(d, "Squeeze", places, [1], 13) if places.shape[1] == 1 else places
        y = d.node("Gather", [x, index], axis=0)
    for _ in range(d.integer(0, 3)):
        kind = d.integer(0, 4)
        if kind == 0:
            y = activate(d, y)
        elif kind == 1:
            y = d.node("Add", [y, _bias(d, y) if 0 not in y.shape else number(d, 1)])
        elif kind == 2 and y.rank:
            y = with_axes(d, "ReduceSum", y, [0], 13, keepdims=d.integer(0, 1))
        elif kind == 3 and y.rank:
            y = d.node("Concat", [y, y], axis=0)
        else:
            y = d.node("Reshape", [y, _ints(d, -1)])


@row(0.5)
def residual_sum(d: Draw) -> None:
    """A tree of sums of convolutions, read twice, with an activation at the end."""
    x = image(d, 4)
    branches = [x]
    for _ in range(d.integer(1, 3)):
        w = d.constant(d.array((x.shape[1], x.shape[1], 1, 1)) / 2)
        branches.append(d.node("Conv", [d.pick(branches), w]))
        if d.chance(0.4):
            branches[-1] = activate(d, branches[-1])
    y = branches.pop()
    while branches:
        y = d.node("Add", [y, branches.pop(d.integer(0, len(branches) - 1))])
        spy(d, y)
    y = activate(d, y)
    d.node("Mul", [y, same_shape(d, y)])
