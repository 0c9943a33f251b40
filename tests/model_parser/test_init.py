"""The package `model_parser` outside `lite`."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_bare_name_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import model_parser"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "ImportError: import it as lite.model_parser: the folder is part of the package lite"
    )
