"""Write the outputs of the README's commands: ``python -m tests.record_commands [MODEL...]``.

`tests/suite/test_readme_commands.py` compares them.  What differs between machines is masked.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

os.environ["LITEBRIDGE_COMPILATION"] = "wait"

from tests.support.readme_commands import GOLDEN, MODELS, prepare, record


def main(kinds: list[str]) -> int:
    """Replace the files of these models, by default of all."""
    GOLDEN.mkdir(parents=True, exist_ok=True)
    os.environ["PATH"] = ""
    for kind in kinds or MODELS:
        with tempfile.TemporaryDirectory() as name:
            missing = prepare(kind, Path(name))
            if missing:
                sys.stderr.write(f"{kind} is left out: {missing}\n")
                continue
            os.chdir(name)
            record(kind)
            os.chdir(tempfile.gettempdir())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
