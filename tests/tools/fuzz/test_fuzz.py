"""Random graphs of fixed seeds equal ONNX Runtime in all configurations; the fuzzer finds a fault."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest
from lite.tools.fuzz.configurations import CONFIGURATIONS
from lite.tools.fuzz.graph import ROWS, generate
from lite.tools.fuzz.judge import check
from lite.tools.fuzz.minimise import minimise
from lite.tools.fuzz.worker import check_seed

for _engine in ("onnxruntime", "openvino"):
    pytest.importorskip(_engine)

SEEDS = range(2_000_000, 2_000_160)
