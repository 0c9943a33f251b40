"""Tensor arrays, the ops that pass values on, and print."""

import logging

import numpy as np
import pytest

from lite.ir.types import Lod
from lite.ops import Meta
from lite.ops.array_lod import array_lod
from lite.plugin.kernel import host_kernel
from tests.kernels.host.checked import checked, numbers, same, whole

LOD: Lod = ((0, 1, 2),)


def test_an_array_grows_to_the_index_and_older_versions_do_not_change() -> None:
    write = host_kernel("write_to_array").run
    x = numbers(2, 3)
    first, lods = write(x, whole(2), None, lods={"X": [LOD]})
    assert [element.shape for element in first] == [(0,), (0,), (2, 3)]
    assert lods == {"Out": [((0, 0, 1), (0, 1, 2))]}
    second, lods = write(x + 1, whole(0), first, lods={"X": [()], "Array": lods["Out"]})
    assert [element.shape for element in second] == [(2, 3), (0,), (2, 3)]
    assert [element.shape for element in first] == [(0,), (0,), (2, 3)]
    assert lods == {"Out": [((0, 0, 1), (0, 1, 2))]}
    x[:] = 0
    same(second[0], numbers(2, 3) + 1)
    same(second[2], numbers(2, 3))


def test_reading_gives_a_copy_with_its_lod() -> None:
    read = host_kernel("read_from_array").run
    elements = [numbers(2), numbers(3)]
    array, lods = read(elements, np.array(1), lods={"X": [array_lod([(), LOD])]})
    same(array, numbers(3))
    assert lods == {"Out": [LOD]}
    array[:] = 0
    same(elements[1], numbers(3))
    assert read(elements, whole(0), lods={"X": [()]})[1] == {"Out": [()]}


@pytest.mark.parametrize("index", [-1, 2])
def test_reading_outside_is_an_error(index: int) -> None:
    with pytest.raises(IndexError, match="length 2"):
        host_kernel("read_from_array").run([numbers(1), numbers(1)], whole(index), lods={"X": [()]})


def test_writing_before_the_start_is_an_error() -> None:
    with pytest.raises(IndexError, match="from 0"):
        host_kernel("write_to_array").run(numbers(1), whole(-1), None, lods={"X": [()]})


def test_a_new_array_has_length_0() -> None:
    length = host_kernel("lod_array_length").run
    same(length([]), whole(0, dtype=np.int64))
    same(length([numbers(1), numbers(2)]), whole(2, dtype=np.int64))
    create = host_kernel("create_array").run
    assert create() == []
    assert create() is not create()
    assert host_kernel("uninitialized").run() is None


@pytest.mark.parametrize(
    ("axis", "use_stack", "shape", "sizes"), [(0, False, (4, 3), (1, 3)), (0, True, (2, 2, 3), (1, 1))]
)
def test_tensor_array_to_tensor_joins_or_stacks(
    axis: int, use_stack: bool, shape: tuple[int, ...], sizes: tuple[int, ...]
) -> None:
    elements = [numbers(2, 3), numbers(2, 3)] if use_stack else [numbers(1, 3), numbers(3, 3)]
    joined, index = host_kernel("tensor_array_to_tensor").run(elements, axis=axis, use_stack=use_stack)
    same(joined, np.array([item for element in elements for item in element.flat], np.float32).reshape(shape))
    same(index, whole(*sizes))


def test_assign_is_the_same_memory() -> None:
    x = numbers(3)
    run = host_kernel("assign").run
    assert run(x) is x
    array = [x]
    assert run(array) is array
    same(checked("assign", {"X": x})[0], x)


def test_select_input_copies_the_selected_input() -> None:
    run = host_kernel("select_input").run
    first, second = numbers(2), numbers(3, dtype=np.int32)
    same(run([first, None], whole(0)), first)
    same(run([None, second], np.array([[1]])), second)
    assert run([[first], None], whole(0)) == [first]
    assert not np.shares_memory(run([first, None], whole(0)), first)
    with pytest.raises(ValueError, match="at 1, which Mask selects, but no op computed it"):
        run([first, None], whole(1))


def test_select_output_leaves_the_others_without_value() -> None:
    run = host_kernel("select_output").run
    metas = {"Out": [Meta.of(numbers(1))] * 3}
    found = run(numbers(2), whole(1), metas=metas)
    assert (found[0], found[2]) == (None, None)
    same(found[1], numbers(2))
    with pytest.raises(IndexError, match="below 3"):
        run(numbers(2), whole(3), metas=metas)


def test_print_writes_to_the_log(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    x = np.array([[1.5, 2.5], [3.5, 4.5]], np.float32)
    with caplog.at_level(logging.INFO):
        same(checked("print", {"In": x}, {"message": "here", "summarize": 3})[0], x)
        checked("print", {"In": x}, {"print_tensor_shape": False, "print_tensor_type": False})
    assert [record.getMessage() for record in caplog.records] == [
        "print: here  shape: [2, 2]  dtype: float32  data: [1.5 2.5 3.5]",
        "print: data: [1.5 2.5 3.5 4.5]",
    ]
    assert capfd.readouterr().out == ""
