"""Whether compiled kernels check that each element they read or write lies in one of their own arrays."""

from __future__ import annotations

import os
from typing import Final

CHECKED_VARIABLE: Final = "LITEBRIDGE_CHECKED"
"""Environment variable: ``1`` compiles the kernels with bounds checks, into folders of their own."""

IS_CHECKED: Final = os.environ.get(CHECKED_VARIABLE, "0") not in ("", "0")
"""Read once: machine code with checks takes more arguments than code without."""
