"""Compiled kernels; skipped where numba is not installed."""

import pytest

pytest.importorskip("numba", reason="compiled kernels need the extra jit")
