"""Ops of one or two tensors that may overwrite X give the same there as elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.program import AttrValue
from lite.ops import SCHEMAS
from lite.plugin.kernel import Array, host_kernel
from tests.kernels.host.arrays import float32

X = float32([[-7.5, -1.25, -0.5, 0.0], [0.25, 0.75, 1.5, 8.0]])
OTHERS = {"Y": float32([[2.0], [0.5]]), "Alpha": float32([0.25])}
GIVEN: dict[str, dict[str, AttrValue]] = {"clip": {"min": -1.0, "max": 1.0}, "cast": {"out_dtype": 5}}


def writes_over_x() -> list[str]:
    return [
        name
        for name, schema in sorted(SCHEMAS.items())
        if schema.inplace == {"Out": "X"}
        and schema.canonical is None
        and {slot for slot, spec in schema.inputs.items() if not spec.optional} <= {"X", *OTHERS}
        and host_kernel(name).takes_out
        and not schema.outputs["Out"].repeated
    ]


def ready(name: str) -> Array:
    """X in a dtype that the op takes."""
    return X.astype(np.int32) if name.startswith("bitwise") else X.copy()


def test_all_families_are_covered() -> None:
    assert {"relu", "hard_swish", "elementwise_add", "prelu", "softmax", "scale", "exp"} <= set(
        writes_over_x()
    )


@pytest.mark.parametrize("name", writes_over_x())
def test_the_result_may_overwrite_x(name: str) -> None:
    schema, kernel = SCHEMAS[name], host_kernel(name)
    x = ready(name)
    others = [
        None if schema.inputs[slot].optional else OTHERS[slot].astype(x.dtype) for slot in kernel.slots[1:]
    ]
    values = schema.attr_values(GIVEN.get(name, {}))
    keywords = kernel.keywords(values)
    wanted = kernel.run(ready(name), *others, **keywords)

    got = kernel.run(x, *others, **keywords, out=x if len(schema.outputs) == 1 else (x, None))

    for result in (wanted, got) if len(schema.outputs) == 1 else (wanted[0], got[0]):
        np.testing.assert_array_equal(x, result)
