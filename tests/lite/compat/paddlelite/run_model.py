"""Runs the model of a config on `ROWS`."""

from __future__ import annotations

import numpy as np

from lite.compat.paddlelite import CxxConfig, MobileConfig, create_paddle_predictor
from lite.ir.types import Array

ROWS = np.array([[1, 2, -3]], np.float32)


def run_on_rows(config: CxxConfig | MobileConfig) -> Array:
    """The first output for `ROWS`."""
    predictor = create_paddle_predictor(config)
    predictor.get_input(0).from_numpy(ROWS)
    predictor.run()
    return predictor.get_output(0).numpy()
