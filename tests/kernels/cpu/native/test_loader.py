"""Object files loaded by `elf` and by LLVM: the same functions, with the same results."""

from __future__ import annotations

import platform
import struct
import sys
from array import array

import numpy as np
import pytest

from lite.kernels.cpu.aot import function_names
from lite.kernels.cpu.native import loader
from lite.kernels.cpu.native.code_store import SYMBOL, find_code
from lite.kernels.cpu.native.elf import load_elf
from lite.kernels.cpu.native.packed_arguments import NativeFunction, address_of
from tests.kernels.cpu.bound import floats

pytest.importorskip("numba", reason="compiled kernels need the extra jit")

on_linux_x86 = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="elf.py is for Linux on x86-64"
)


@on_linux_x86
@pytest.mark.parametrize("name", function_names())
def test_every_function_loads_without_llvm(name: str) -> None:
    assert load_elf(find_code(name).content, SYMBOL)


@pytest.mark.parametrize("load", [loader.load, loader._load_with_llvm])
def test_a_loaded_function_runs(load: object) -> None:
    assert callable(load)
    x, y = floats(1, 5, 40), np.zeros((5, 50), np.float32)
    arguments = array("q", [address_of(x), address_of(y), 40, 40, 0, 50, 10])
    NativeFunction(load(find_code("moves.layout.copy_columns")))(arguments.buffer_info()[0], 0, 1, 4)
    expected = np.zeros_like(y)
    expected[1:4, 10:] = x[1:4]
    np.testing.assert_array_equal(y, expected)


@on_linux_x86
def test_other_files_are_loaded_by_llvm() -> None:
    code = bytearray(find_code("moves.layout.copy_columns").content)
    assert load_elf(bytes(code), "no_such_symbol") is None
    assert load_elf(b"MZ" + bytes(code[2:]), SYMBOL) is None
    code[18] = 183
    assert load_elf(bytes(code), SYMBOL) is None


@on_linux_x86
def test_files_with_other_relocations_are_loaded_by_llvm() -> None:
    code = bytearray(find_code("worker_pool.post").content)
    (table,) = struct.unpack_from("<Q", code, 40)
    size, count = struct.unpack_from("<HH", code, 58)
    kinds = [table + n * size + 4 for n in range(count)]
    changed = [place for place in kinds if struct.unpack_from("<I", code, place)[0] == 4]
    assert changed
    for place in changed:
        struct.pack_into("<I", code, place, 9)
    assert load_elf(bytes(code), SYMBOL) is None
