"""What a model reads and writes."""

from __future__ import annotations

from lite.ir.types import Array

Value = Array | list[Array]
"""A tensor, or within an ensemble a list of tensors of unlike shapes."""
