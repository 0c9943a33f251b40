"""The sequence ops against loops over lists of sequences."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from lite.errors import ExecutionError, GraphError
from lite.ir.program import AttrValue
from lite.ir.types import Lod
from lite.plugin.kernel import Array, evaluate
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import same
from tests.kernels.host.sequence.run_lod_op import Level, cut, draw, int32, int64, joined, run_lod_op

LEVELS = [(0, 2, 5), (0, 0, 3, 3, 4), (0, 1), (0, 0)]

Function = Callable[[Array], Array]


def softmax(x: Array) -> Array:
    power = np.exp(x.astype(np.float64))
    result: Array = (power / power.sum(axis=0)).astype(np.float32)
    return result


PER_SEQUENCE: list[tuple[str, str, tuple[int, ...], Function]] = [
    ("sequence_reverse", "Y", (3,), lambda x: x[::-1]),
    ("sequence_reverse", "Y", (2, 2), lambda x: x[::-1]),
    ("sequence_softmax", "Out", (), softmax),
    ("sequence_softmax", "Out", (1,), softmax),
]


@pytest.mark.parametrize(("op", "slot", "row", "function"), PER_SEQUENCE)
@pytest.mark.parametrize("level", LEVELS)
def test_ops_handle_one_sequence_at_a_time(
    op: str, slot: str, row: tuple[int, ...], function: Function, level: Level
) -> None:
    x = draw(level[-1], *row)

    ((out, lod),) = run_lod_op(op, {"X": x}, {"X": (level,)}, outputs={slot: 1})

    np.testing.assert_allclose(out, joined([function(part) for part in cut(x, level)])[0], rtol=1e-6)
    assert lod == (level,)


POOLS: dict[str, Function] = {
    "SUM": lambda x: x.sum(axis=0),
    "AVERAGE": lambda x: x.mean(axis=0),
    "SQRT": lambda x: x.sum(axis=0) / np.sqrt(len(x)),
    "MAX": lambda x: x.max(axis=0),
    "FIRST": lambda x: x[0],
    "LAST": lambda x: x[-1],
}


@pytest.mark.parametrize("pooltype", POOLS)
@pytest.mark.parametrize("level", LEVELS)
def test_pool_reduces_each_sequence(pooltype: str, level: Level) -> None:
    x = draw(level[-1], 2, 3)

    ((out, lod),) = run_lod_op(
        "sequence_pool",
        {"X": x},
        {"X": ((0, len(level) - 1), level)},
        {"pooltype": pooltype, "pad_value": 9.0},
    )

    expected = [POOLS[pooltype](part) if len(part) else np.full((2, 3), 9) for part in cut(x, level)]
    np.testing.assert_allclose(out, np.stack(expected), rtol=1e-5)
    assert lod == ((0, len(level) - 1),)


def test_pool_returns_rows_of_maxima() -> None:
    x = float32([[1, 5], [4, 5], [0, 0], [2, -1], [2, 3]])

    found = run_lod_op(
        "sequence_pool", {"X": x}, {"X": ((0, 2, 2, 5),)}, {"pooltype": "MAX"}, {"Out": 1, "MaxIndex": 1}
    )

    same(found[0][0], float32([[4, 5], [0, 0], [2, 3]]))
    same(found[1][0], int32([[1, 0], [-1, -1], [3, 4]]))


def test_concat_interleaves() -> None:
    first, second = draw(4, 3), draw(3, 3, seed=2)
    levels = [(0, 1, 4), (0, 3, 3)]

    ((out, lod),) = run_lod_op(
        "sequence_concat", {"X": [first, second]}, {"X": [(level,) for level in levels]}
    )

    parts = [np.concatenate(pair) for pair in zip(cut(first, levels[0]), cut(second, levels[1]), strict=True)]
    same(out, joined(parts)[0])
    assert lod == (joined(parts)[1],)


@pytest.mark.parametrize(
    ("length", "start", "trainable"), [(3, -1, False), (2, 0, False), (3, -2, True), (4, -1, True)]
)
def test_conv_multiplies_contexts(length: int, start: int, trainable: bool) -> None:
    level = (0, 3, 3, 4, 6)
    x, weight, padding = draw(7, 2), draw(2 * length, 3, seed=2), draw(length - 1, 2, seed=3)
    attrs: dict[str, AttrValue] = {
        "contextLength": length,
        "contextStart": start,
        "paddingTrainable": trainable,
    }
    inputs = {"X": x, "Filter": weight, **({"PaddingData": padding} if trainable else {})}

    ((out, lod),) = run_lod_op("sequence_conv", inputs, {"X": (level,)}, attrs)

    before, after = -start, length - 1 + start
    expected = np.zeros((7, 3))
    for begin, end in pairwise(level):
        zeros = np.zeros((length - 1, 2), np.float32)
        edge = padding if trainable else zeros
        wide = np.concatenate((edge[:before], x[begin:end], edge[before : before + after]))
        for row in range(end - begin):
            expected[begin + row] = wide[row : row + length].reshape(-1) @ weight
    np.testing.assert_allclose(out, expected, atol=1e-5)
    assert lod == (level,)


@pytest.mark.parametrize("x_level", [None, (0, 2, 2, 3)])
def test_expand_repeats_sequences(x_level: Level | None) -> None:
    x, y_lod = draw(3, 2), ((0, 3), (0, 2, 2, 5))

    ((out, lod),) = run_lod_op(
        "sequence_expand", {"X": x, "Y": draw(5)}, {"X": (x_level,) if x_level else (), "Y": y_lod}
    )

    parts = []
    for part, times in zip(cut(x, x_level or (0, 1, 2, 3)), (2, 0, 3), strict=True):
        parts += [part] * times
    same(out, joined(parts)[0])
    assert lod == ((joined(parts)[1],) if x_level else ())


def test_expand_by_an_empty_level_is_the_input() -> None:
    x = draw(2, 2)

    ((out, lod),) = run_lod_op("sequence_expand", {"X": x, "Y": draw(1)}, {"X": ((0, 2),), "Y": ((0,),)})

    same(out, x)
    assert lod == ((0, 2),)


def test_expand_as_repeats_rows() -> None:
    x = draw(3, 2)

    ((out, lod),) = run_lod_op("sequence_expand_as", {"X": x, "Y": draw(4)}, {"Y": ((0, 1, 1, 4),)})

    same(out, np.stack([x[0], x[2], x[2], x[2]]))
    assert lod == ((0, 1, 1, 4),)


@pytest.mark.parametrize(
    ("lengths", "attrs", "tensor", "expected"),
    [
        (int64([1, 3]), {"maxlen": 4, "out_dtype": 2}, None, int32([[1, 0, 0, 0], [1, 1, 1, 0]])),
        (int32([[2], [0]]), {"maxlen": -1}, None, int64([[[1, 1]], [[0, 0]]])),
        (int64([2]), {"maxlen": 9, "out_dtype": 5}, int32([3]), float32([[1, 1, 0]])),
        (int64([]), {"maxlen": -1, "out_dtype": 0}, None, np.zeros((0, 0), bool)),
    ],
)
def test_mask_has_ones_below_each_length(
    lengths: Array, attrs: dict[str, AttrValue], tensor: Array | None, expected: Array
) -> None:
    inputs = {"X": lengths, **({"MaxLenTensor": tensor} if tensor is not None else {})}

    ((out, _),) = run_lod_op("sequence_mask", inputs, {}, attrs)

    same(out, expected)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("most", [-1, 4])
def test_pad_and_unpad_are_inverse(level: Level, most: int) -> None:
    x, value = draw(level[-1], 2), float32([8])

    (padded, _), (lengths, _) = run_lod_op(
        "sequence_pad",
        {"X": x, "PadValue": value},
        {"X": (level,)},
        {"padded_length": most},
        {"Out": 1, "Length": 1},
    )
    ((back, lod),) = run_lod_op("sequence_unpad", {"X": padded, "Length": lengths}, {})

    parts = cut(x, level)
    width = max(map(len, parts)) if most < 0 else most
    expected = np.full((len(parts), width, 2), 8, np.float32)
    for row, part in zip(expected, parts, strict=True):
        row[: len(part)] = part
    same(padded, expected)
    same(lengths, np.array([len(part) for part in parts]))
    same(back, x)
    assert lod == (level,)


def test_pad_counts_outer_levels_in_rows_and_repeats_a_row() -> None:
    x, value = draw(4, 2), float32([1, 2])

    (out, _), (lengths, _) = run_lod_op(
        "sequence_pad",
        {"X": x, "PadValue": value},
        {"X": ((0, 2, 3), (0, 1, 3, 4))},
        outputs={"Out": 1, "Length": 1},
    )

    same(lengths, int64([3, 1]))
    same(out, np.stack([x[:3], np.stack([x[3], value, value])]))


@pytest.mark.parametrize(
    ("width", "level", "expected"),
    [(2, (0, 1, 3), (0, 2, 6)), (4, (0, 1, 3), (0, 1, 3)), (8, (0, 2, 4), (0, 1, 2))],
)
def test_reshape_changes_the_width(width: int, level: Level, expected: Level) -> None:
    x = draw(level[-1], 4)

    ((out, lod),) = run_lod_op("sequence_reshape", {"X": x}, {"X": (level,)}, {"new_dim": width})

    same(out, x.reshape(-1, width))
    assert lod == (expected,)


def test_topk_avg_pooling_averages_the_greatest() -> None:
    channels, topks, rows, columns = 2, [1, 3], (0, 2, 3), (0, 4, 6)
    sizes = [(2, 4), (1, 2)]
    matrices = [draw(channels, *size, seed=n) for n, size in enumerate(sizes)]
    x, level = joined([matrix.reshape(-1) for matrix in matrices])

    (out, lod), (place, _) = run_lod_op(
        "sequence_topk_avg_pooling",
        {"X": x, "ROW": draw(3), "COLUMN": draw(6)},
        {"X": (level,), "ROW": (rows,), "COLUMN": (columns,)},
        {"topks": topks, "channel_num": channels},
        {"Out": 1, "pos": 1},
    )

    expected, places = [], []
    for matrix in matrices:
        for row in range(matrix.shape[1]):
            lines = [sorted(matrix[c, row].tolist(), reverse=True) for c in range(channels)]
            expected.append([sum(line[:k]) / k for line in lines for k in topks])
            for c, line in enumerate(lines):
                found = [matrix[c, row].tolist().index(value) for value in line[:3]]
                places += found + [-1] * (3 - len(found))
    np.testing.assert_allclose(out, np.array(expected), rtol=1e-5)
    same(place, int32(places))
    assert lod == (rows,)


@pytest.mark.parametrize(("kind", "function"), [(1, np.add), (2, np.subtract), (3, np.multiply)])
def test_arithmetic_keeps_longer_sequences(kind: int, function: Callable[[Array, Array], Array]) -> None:
    x, y, x_level, y_level = draw(5, 2), draw(4, 2, seed=2), (0, 3, 4, 5), (0, 1, 4, 4)

    ((out, lod),) = run_lod_op(
        "sequence_arithmetic", {"X": x, "Y": y}, {"X": (x_level,), "Y": (y_level,)}, {"op_type": kind}
    )

    expected = x.copy()
    expected[0], expected[3] = function(x[0], y[0]), function(x[3], y[1])
    same(out, expected)
    assert lod == (x_level,)


@pytest.mark.parametrize(
    ("y", "y_lod", "attrs", "expected"),
    [
        (None, (), {"target_lod": [0, 1, 3]}, ((0, 1, 3),)),
        (None, (), {"target_lod": [0, 1, 3], "append": True}, ((0, 2), (0, 2, 3), (0, 1, 3))),
        (int32([0, 3]), (), {}, ((0, 3),)),
        (np.zeros(3, np.float32), ((0, 1), (0, 3)), {}, ((0, 1), (0, 3))),
    ],
)
def test_lod_reset_replaces_offsets(
    y: Array | None, y_lod: Lod, attrs: dict[str, AttrValue], expected: Lod
) -> None:
    x = draw(3, 2)
    inputs = {"X": x, **({"Y": y} if y is not None else {})}

    ((out, lod),) = run_lod_op("lod_reset", inputs, {"X": ((0, 2), (0, 2, 3)), "Y": y_lod}, attrs)

    same(out, x)
    assert lod == expected


BAD: list[tuple[str, dict[str, Array], dict[str, Lod], dict[str, AttrValue], str]] = [
    ("sequence_reverse", {"X": draw(3)}, {}, {}, "X has no LoD"),
    ("sequence_expand", {"X": draw(3), "Y": draw(3)}, {"Y": ((0, 3),)}, {}, "expected 1 sequences.*got 3"),
    ("sequence_expand", {"X": draw(1), "Y": draw(3)}, {"Y": ((0, 3),)}, {"ref_level": 1}, "ref_level"),
    (
        "sequence_pad",
        {"X": draw(3), "PadValue": draw(1)},
        {"X": ((0, 3),)},
        {"padded_length": 2},
        "at least 3",
    ),
    ("sequence_reshape", {"X": draw(2, 2)}, {"X": ((0, 1, 2),)}, {"new_dim": 4}, "new_dim"),
    ("lod_reset", {"X": draw(2)}, {}, {"target_lod": [0, 2, 1]}, "rising offsets"),
]


@pytest.mark.parametrize(("op", "inputs", "lods", "attrs", "message"), BAD)
def test_inputs_that_do_not_fit_are_refused(
    op: str, inputs: dict[str, Array], lods: dict[str, Lod], attrs: dict[str, AttrValue], message: str
) -> None:
    slot = "Y" if op == "sequence_reverse" else "Out"
    outputs = {slot: 1, **({"Length": 1} if op == "sequence_pad" else {})}
    with pytest.raises((ExecutionError, GraphError), match=message):
        run_lod_op(op, inputs, lods, attrs, outputs)


BEYOND: list[tuple[str, str, dict[str, AttrValue]]] = [
    ("sequence_pool", "Out", {"pooltype": "AVERAGE"}),
    ("sequence_pool", "Out", {"pooltype": "MAX"}),
    ("sequence_reverse", "Y", {}),
    ("sequence_softmax", "Out", {}),
    ("sequence_concat", "Out", {}),
]


@pytest.mark.parametrize(("op", "slot", "attrs"), BEYOND)
@pytest.mark.parametrize("end", [4, 2**31 - 1, 2**62])
def test_offsets_beyond_the_rows_are_refused(
    op: str, slot: str, attrs: dict[str, AttrValue], end: int
) -> None:
    x = {"X": [draw(3, 1)]}
    with pytest.raises(ExecutionError, match=rf"{op}: input X: LoD: expected offsets up to 3, got {end}"):
        evaluate(op, x, attrs, {slot: 1}, {"X": [((0, end),)]})
    with pytest.raises(ExecutionError, match=rf"{op}: input X: LoD: expected offsets up to 3, got {end}"):
        evaluate(op, x, attrs, {slot: 1}, {"X": [((0, end), (0, 1, 3))]})


@pytest.mark.parametrize("op", ["sequence_expand", "sequence_expand_as"])
def test_rows_are_not_repeated_beyond_a_limit(op: str) -> None:
    x = {"X": [draw(1, 1)], "Y": [draw(1, 1)]}
    with pytest.raises(ExecutionError, match=rf"{op}: expected a result of at most 67,108,864 rows"):
        evaluate(op, x, {}, {"Out": 1}, {"X": [()], "Y": [((0, 2**31 - 1),)]})


def test_padding_beyond_a_limit_is_refused() -> None:
    x = {"X": [draw(3, 1)], "PadValue": [draw(1)]}
    with pytest.raises(ExecutionError, match="sequence_pad: expected a result of at most 67,108,864 rows"):
        evaluate(
            "sequence_pad",
            x,
            {"padded_length": 2**31 - 1},
            {"Out": 1, "Length": 1},
            {"X": [((0, 3),)], "PadValue": [()]},
        )
