"""Removes the ops that a test registers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lite.ops import SCHEMAS
from lite.plugin.kernel import kernels_of, unregister
from lite.plugin.user_ops import ONNX_RULES


@contextmanager
def temporary_ops() -> Iterator[None]:
    """Ops and ONNX rules that are registered inside are removed at the end."""
    ops, rules = set(SCHEMAS), set(ONNX_RULES)
    try:
        yield
    finally:
        for name in set(SCHEMAS) - ops:
            del SCHEMAS[name]
            for entry in list(kernels_of(name)):
                unregister(name, entry.place)
        for rule in set(ONNX_RULES) - rules:
            ONNX_RULES.remove(rule)
