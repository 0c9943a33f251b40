"""expand_v2, expand_as_v2, tile, expand_as and meshgrid, element by element."""

import numpy as np
import pytest

from lite.errors import LiteError
from lite.ir.types import Array
from tests.kernels.host.checked import checked, filled, numbers, same, whole


def repeated(x: Array, shape: tuple[int, ...]) -> Array:
    """`x`, aligned at the last axis, read again from its start wherever it ends."""
    x = x.reshape((1,) * (len(shape) - x.ndim) + x.shape)
    return filled(shape, x.dtype, lambda *i: x[tuple(n % size for n, size in zip(i, x.shape, strict=True))])


@pytest.mark.parametrize(
    ("shape", "wanted", "more", "result"),
    [
        ((1, 3), [4, 3], {}, (4, 3)),
        ((2, 1), [5, -1, 3], {}, (5, 2, 3)),
        ((2, 3), [2, 3], {}, (2, 3)),
        ((), [2, 2], {}, (2, 2)),
        ((), [], {}, ()),
        ((1,), [0], {}, (0,)),
        ((1, 3), [9], {"Shape": whole(2, -1)}, (2, 3)),
        ((1, 3), [-2, 3], {"expand_shapes_tensor": [whole(4), np.array(3, np.int32)]}, (4, 3)),
    ],
)
def test_expand_v2_repeats_sizes_of_1(
    shape: tuple[int, ...],
    wanted: list[int],
    more: dict[str, Array | list[Array]],
    result: tuple[int, ...],
) -> None:
    x = numbers(*shape)
    same(checked("expand_v2", {"X": x, **more}, {"shape": wanted})[0], repeated(x, result))


def test_expand_as_v2_takes_the_shape_of_y() -> None:
    x = numbers(2, 1)
    same(checked("expand_as_v2", {"X": x, "Y": numbers(3, 2, 4)})[0], repeated(x, (3, 2, 4)))
    same(checked("expand_as_v2", {"X": x}, {"target_shape": [2, 3]})[0], repeated(x, (2, 3)))


@pytest.mark.parametrize(
    ("shape", "times", "more", "result"),
    [
        ((2, 3), [2, 1], {}, (4, 3)),
        ((2, 3), [1, 1], {}, (2, 3)),
        ((3,), [2, 2], {}, (2, 6)),
        ((2, 3), [2], {}, (2, 6)),
        ((), [3], {}, (3,)),
        ((2,), [0], {}, (0,)),
        ((2, 3), [9], {"RepeatTimes": whole(1, 2)}, (2, 6)),
        ((2, 3), [9], {"repeat_times_tensor": [whole(2), whole(2)]}, (4, 6)),
    ],
)
def test_tile_repeats_axes(
    shape: tuple[int, ...],
    times: list[int],
    more: dict[str, Array | list[Array]],
    result: tuple[int, ...],
) -> None:
    x = numbers(*shape, dtype=np.int64)
    same(checked("tile", {"X": x, **more}, {"repeat_times": times})[0], repeated(x, result))


@pytest.mark.parametrize(("shape", "result"), [((2, 3), (4, 9)), ((2, 3), (2, 3)), ((1, 1), (3, 2))])
def test_expand_as_repeats_up_to_the_target(shape: tuple[int, ...], result: tuple[int, ...]) -> None:
    x = numbers(*shape)
    same(checked("expand_as", {"X": x, "target_tensor": numbers(*result)})[0], repeated(x, result))


def test_meshgrid_repeats_vectors() -> None:
    parts = [numbers(2), numbers(3), np.array(4.0, np.float32)]
    found = checked("meshgrid", {"X": parts}, {}, {"Out": 3})
    for n, grid in enumerate(found):
        same(grid, filled((2, 3, 1), np.float32, lambda *i, n=n: parts[n].reshape(-1)[i[n]]))


@pytest.mark.parametrize(
    ("op", "inputs", "attrs"),
    [
        ("expand_v2", {"X": numbers(2, 3)}, {"shape": [3]}),
        ("expand_v2", {"X": numbers(2, 3)}, {"shape": [4, 3]}),
        ("expand_v2", {"X": numbers(2, 3)}, {"shape": [-1, 2, 3]}),
        ("expand_as", {"X": numbers(2, 3), "target_tensor": numbers(3, 3)}, {}),
        ("expand_as", {"X": numbers(2, 3), "target_tensor": numbers(6)}, {}),
    ],
)
def test_errors_name_the_input_that_does_not_fit(
    op: str, inputs: dict[str, Array], attrs: dict[str, list[int]]
) -> None:
    with pytest.raises(LiteError, match=op):
        checked(op, inputs, {name: list(items) for name, items in attrs.items()})
