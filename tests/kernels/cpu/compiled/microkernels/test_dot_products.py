"""Every form of the dot product gives the same sums, also those of processors without the instruction."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("numba", reason="compiled kernels need the extra jit")

_PROGRAM = """
import sys
import pytest
from lite.kernels.cpu import tile_sizes
from lite.kernels.cpu.native import code_store

has_avx2 = tile_sizes.LANES == 8 and "+avx2" in tile_sizes.machine().features.split(",")
tile_sizes.HAS_DOT_PRODUCT = False
tile_sizes.HAS_PAIRS = has_avx2 and sys.argv[1] == "pairs"
# No kept code, and none is kept.
code_store.kept_code = lambda name: None
code_store.keep = lambda name, content: None
tests = [f"tests/kernels/cpu/quantize/{name}.py" for name in ("test_quantized_fc", "test_winograd")]
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *tests]))
"""


@pytest.mark.parametrize("form", ["pairs", "lanes"])
def test_quantised_products_are_exact(form: str, root: Path) -> None:
    command = [sys.executable, "-c", _PROGRAM, form]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
