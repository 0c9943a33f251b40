"""broadcast_to: shapes broadcast against each other."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from tests.kernels.host.checked import checked, filled, numbers, same, whole

X = numbers(3, 1)


@pytest.mark.parametrize("as_slot", [False, True])
@pytest.mark.parametrize(
    ("shape", "wanted"),
    [([3, 4], (3, 4)), ([1, 2], (3, 2)), ([2, 1, 1], (2, 3, 1)), ([], (3, 1)), ([0], (3, 0))],
)
def test_shapes_broadcast_against_each_other(
    shape: list[int], wanted: tuple[int, ...], as_slot: bool
) -> None:
    inputs = {"X": X, **({"Shape": whole(*shape)} if as_slot else {})}

    (got,) = checked("broadcast_to", inputs, {} if as_slot else {"shape": [*shape]})

    same(got, filled(wanted, X.dtype, lambda *at: X[at[-2], 0]))


def test_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(GraphError, match="broadcast_to: inputs: expected shapes that broadcast"):
        checked("broadcast_to", {"X": X}, {"shape": [2, 1]})
