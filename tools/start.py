"""The entry point of the command ``litebridge``, which works without the packages of the commands."""

from __future__ import annotations

import atexit
import gc
import sys

from lite.errors import PluginError
from lite.extras import require


def main() -> None:
    """Run the command line program; without its packages, say how to install them."""
    try:
        for package in ("click", "rich", "jinja2"):
            require(package, "cli", "the command litebridge")
    except PluginError as error:
        sys.stderr.write(f"Error: {error}\n")
        raise SystemExit(1) from None
    from lite.tools.cli import main as run

    # The collector need not look at all objects once more when the process ends.
    atexit.register(gc.freeze)
    run()
