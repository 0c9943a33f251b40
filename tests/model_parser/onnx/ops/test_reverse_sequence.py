"""ReverseSequence, batch first and time first."""

from __future__ import annotations

import numpy as np
import pytest

from tests.model_parser.onnx.node_models import model_of, run, same


@pytest.mark.parametrize(("batch_axis", "time_axis"), [(0, 1), (1, 0)])
def test_axes(batch_axis: int, time_axis: int) -> None:
    x = np.arange(24, dtype=np.float32).reshape(3, 4, 2).swapaxes(0, batch_axis)
    lengths = np.array([1, 4, 3])
    wanted = x.copy()
    for sample, length in enumerate(lengths):
        line = np.moveaxis(x, (batch_axis, time_axis), (0, 1))[sample]
        np.moveaxis(wanted, (batch_axis, time_axis), (0, 1))[sample, :length] = line[:length][::-1]

    attrs = {"batch_axis": batch_axis, "time_axis": time_axis}
    found = run(model_of("ReverseSequence", [x, lengths], attrs), {"x0": x, "x1": lengths})

    same([found["y0"]], [wanted])
