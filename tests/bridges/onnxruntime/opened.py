"""The device under test; importing this skips the tests where it is not available."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.bridges.onnxruntime.device import OnnxRuntime, Options
from lite.bridges.onnxruntime.session import Session
from lite.ir.types import Array
from lite.plugin.device import Settings, meta_of
from tests.bridges.region import reasons, region

_REASON = OnnxRuntime(Options(), Settings()).available()

if _REASON is not None:
    pytest.skip(_REASON, allow_module_level=True)


def opened(threads: int = 1, **options: Any) -> OnnxRuntime:
    """The device, opened with these options."""
    return OnnxRuntime(Options(**options), Settings(threads))


def compiled(text: str, device: OnnxRuntime | None = None) -> Session:
    """The model of a region."""
    graph = region(text)
    found = (device or opened()).compile(graph, tuple(meta_of(arg) for arg in graph.args))
    assert isinstance(found, Session)
    return found


def reason(text: str) -> str | None:
    """What the bridges say of a region of one op, None or a sentence."""
    (found,) = reasons(opened(), text)
    return found


def floats(*shape: int, seed: int = 0) -> Array:
    """Numbers from -1 to 1."""
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)
