"""Checks the wheel: builds it, compares its files with the checkout, installs it and runs it.

``python3 tools/dev.py test`` runs this check.
"""

from __future__ import annotations

import configparser
import os
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path

from lite.tools.dev import NO_ENVIRONMENT, ROOT, DevError, call, install, script

WHEEL = 16


def excluded(root: Path) -> list[str]:
    """The patterns of packages and modules that setup.cfg excludes from the wheel: ``lite.tools.bench*``."""
    config = configparser.ConfigParser()
    config.read(root / "setup.cfg", encoding="utf-8")
    return config.get("options.packages.find", "exclude", fallback="").split()


def files_to_ship(root: Path) -> set[str]:
    """The name in the wheel of each file below lite/ and its links, without what is excluded."""
    patterns = excluded(root)

    def is_shipped(path: Path) -> bool:
        name = ".".join(path.relative_to(root).parts).removesuffix(".py")
        hidden = path.name == "__pycache__" or path.name.startswith(".")
        return not hidden and not any(fnmatch(name, pattern) for pattern in patterns)

    names = set()
    for folder, inner, files in os.walk(root / "lite", followlinks=True):
        inner[:] = [name for name in inner if is_shipped(Path(folder, name))]
        paths = [Path(folder, name) for name in files]
        names |= {path.relative_to(root).as_posix() for path in paths if is_shipped(path)}
    return {name for name in names if not name.endswith((".pyc", ".pyo"))}


def wheel_problem(names: Iterable[str], expected: set[str]) -> str | None:
    """A problem of a wheel with the files `names`, or None."""
    contents = {name for name in names if ".dist-info/" not in name}
    tops = sorted({name.split("/")[0] for name in contents})
    if tops != ["lite"]:
        return f"expected the wheel to have only the top-level name 'lite', got {', '.join(tops)}"
    missing = sorted(expected - contents)
    if missing:
        return (
            f"the wheel lacks {', '.join(missing)}; check [options.package_data] in setup.cfg, and that each "
            "folder with Python files has an __init__.py"
        )
    unexpected = sorted(contents - expected)
    return f"the wheel has {', '.join(unexpected)}, which the checkout lacks" if unexpected else None


def check_wheel(root: Path) -> None:
    """Build the sdist, and the wheel from it; raises `DevError` if the wheel has a problem."""
    with tempfile.TemporaryDirectory() as scratch:
        out, venv = Path(scratch, "dist"), Path(scratch, "venv")
        # Built from the sdist, since a wheel built in the checkout also has files of an older build/.
        if call([sys.executable, "-m", "build", "--outdir", str(out), str(root)], quiet=True):
            raise DevError("the wheel cannot be built; the output above has the reason", WHEEL)
        (wheel,) = out.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            problem = wheel_problem(archive.namelist(), files_to_ship(root))
        if problem:
            raise DevError(problem, WHEEL)
        if call([sys.executable, "-m", "venv", str(venv)]):
            raise DevError("the environment for the wheel cannot be created", NO_ENVIRONMENT)
        python = script(venv, "python")
        litebridge = script(venv, "litebridge")
        for extra, command in (("", (python, "-c", "import lite")), ("[cli]", (litebridge, "--help"))):
            install(python, f"{wheel}{extra}")
            if call(command, cwd=Path(scratch), quiet=True):
                raise DevError(
                    f"'{' '.join(command)}' fails in an environment with only the wheel{extra}", WHEEL
                )


def main() -> int:
    """Run the check; returns the exit status."""
    try:
        check_wheel(ROOT)
    except DevError as error:
        print(f"wheel: {error}", file=sys.stderr)
        return error.status
    return 0


if __name__ == "__main__":
    sys.exit(main())
