"""Where models and cases are stored: the recorded ones of this repository, and more beside the checkout."""

from __future__ import annotations

from pathlib import Path

OWN = Path(__file__).resolve().parents[1] / "data"
"""Written by ``python -m tests.record_twins``."""

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
"""Large models and cases of other projects; absent from a clone."""
