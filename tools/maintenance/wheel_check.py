"""The check of what is shipped: build the wheel, look into it, install it alone, start it.

Run by ``python3 tools/dev.py test`` in the environment that it makes.
"""

from __future__ import annotations

import os
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from lite.tools.dev import NO_ENVIRONMENT, ROOT, DevError, call, install, script

WHEEL = 16


def to_ship(root: Path) -> set[str]:
    """Every file below lite/, through its links, by the name it should have in the wheel."""
    found = set()
    for folder, inner, files in os.walk(root / "lite", followlinks=True):
        inner[:] = [name for name in inner if name != "__pycache__" and not name.startswith(".")]
        found |= {(Path(folder) / name).relative_to(root).as_posix() for name in files if name[0] != "."}
    return {name for name in found if not name.endswith((".pyc", ".pyo"))}


def wheel_problem(names: Iterable[str], expected: set[str]) -> str | None:
    """What is wrong with a wheel that holds the files `names`, or None."""
    held = {name for name in names if ".dist-info/" not in name}
    tops = sorted({name.split("/")[0] for name in held})
    if tops != ["lite"]:
        return f"the wheel's top-level names are {', '.join(tops)}; only 'lite' may be there"
    missing = sorted(expected - held)
    if missing:
        return (
            f"the wheel lacks {', '.join(missing)}: see [options.package_data] in setup.cfg; every folder "
            "with Python files needs an __init__.py"
        )
    strange = sorted(held - expected)
    return f"the wheel holds {', '.join(strange)}, which the checkout does not" if strange else None


def check_wheel(root: Path) -> None:
    """Build the sdist and the wheel from it; raises `DevError` when something is wrong with the wheel."""
    with tempfile.TemporaryDirectory() as scratch:
        out, venv = Path(scratch, "dist"), Path(scratch, "venv")
        # Through the sdist: built in the checkout, a wheel also holds what an older build/ left there.
        if call([sys.executable, "-m", "build", "--outdir", str(out), str(root)], quiet=True):
            raise DevError("the wheel cannot be built, see above", WHEEL)
        (wheel,) = out.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            problem = wheel_problem(archive.namelist(), to_ship(root))
        if problem:
            raise DevError(problem, WHEEL)
        if call([sys.executable, "-m", "venv", str(venv)]):
            raise DevError("no environment can be made to try the wheel in", NO_ENVIRONMENT)
        python = script(venv, "python")
        install(python, str(wheel))
        for command in ((python, "-c", "import lite"), (script(venv, "litebridge"), "--help")):
            if call(command, cwd=Path(scratch), quiet=True):
                raise DevError(f"'{' '.join(command)}' fails where only the wheel is installed", WHEEL)


def main() -> int:
    """The check as a program."""
    try:
        check_wheel(ROOT)
    except DevError as error:
        print(f"wheel: {error}", file=sys.stderr)
        return error.status
    return 0


if __name__ == "__main__":
    sys.exit(main())
