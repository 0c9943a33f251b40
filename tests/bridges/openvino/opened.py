"""The device under test; importing this skips the tests where it is not available."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.bridges.openvino.compiled import OpenvinoModel
from lite.bridges.openvino.device import Openvino, Options
from lite.ir.types import Array
from lite.plugin.device import Settings, meta_of
from tests.bridges.region import reasons, region

_REASON = Openvino(Options(), Settings()).available()

if _REASON is not None:
    pytest.skip(_REASON, allow_module_level=True)


def opened(**options: Any) -> Openvino:
    """The device, opened with these options."""
    return Openvino(Options(**options), Settings())


def compiled(text: str, device: Openvino | None = None) -> OpenvinoModel:
    """The model of a region."""
    graph = region(text)
    return (device or opened()).compile(graph, tuple(meta_of(arg) for arg in graph.args))


def reason(text: str) -> str | None:
    """What the bridges say of a region of one op, None or a sentence."""
    (found,) = reasons(opened(), text)
    return found


def floats(*shape: int, seed: int = 0) -> Array:
    """Numbers from -1 to 1."""
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)
