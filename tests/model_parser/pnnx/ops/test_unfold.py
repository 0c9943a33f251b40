"""Columns added up to an image equal a loop over the windows."""

from __future__ import annotations

import numpy as np

from tests.model_parser.pnnx.models import noise, one_op


def test_fold_adds_columns_up() -> None:
    columns = noise(1, 2 * 6, 3 * 4)
    padded = np.zeros((1, 2, 4 + 2, 5 + 2), np.float32)
    for n, column in enumerate(columns[0].T):
        top, left = 2 * (n // 4), n % 4
        if top + 2 <= 6:
            padded[0, :, top : top + 2, left : left + 3] += column.reshape(2, 2, 3)
    text = "output_size=(4,5) kernel_size=(2,3) stride=(2,1) padding=(1,1) dilation=(1,1)"
    (output,) = one_op("nn.Fold", [noise(1, 12, 15)], text)
    assert output.shape == (1, 2, 4, 5)
    (unpadded,) = one_op(
        "F.fold", [columns], text.replace("(4,5)", "(6,6)").replace("padding=(1,1)", "padding=(0,0)")
    )
    np.testing.assert_allclose(unpadded, padded[:, :, :, :6], rtol=1e-5, atol=1e-6)
