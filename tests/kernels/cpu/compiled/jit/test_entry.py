"""Functions that kernels call: what their parameters may be."""

from __future__ import annotations

import pytest

pytest.importorskip("numba", reason="compiled kernels need the extra jit")


def test_a_function_with_two_rows_of_scratch_memory_is_refused() -> None:
    from lite.kernels.cpu.compiled.jit.entry import entry

    with pytest.raises(ValueError, match="one row of scratch memory, got r s i l"):
        entry("r", "s", "i", "l")


def test_a_function_with_one_row_is_described() -> None:
    from lite.kernels.cpu.compiled.jit.entry import entry

    @entry("r", "l", "i")
    def described(x: object, row: object, size: int, begin: int, end: int) -> None:
        """Nothing."""

    assert described.parameters == ("r", "l", "i")  # type: ignore[attr-defined]
