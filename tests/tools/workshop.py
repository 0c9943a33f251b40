"""A fresh environment in which packages are installed and commands run, without a package index."""

from __future__ import annotations

import os
import subprocess
import sysconfig
import venv
from importlib import metadata
from pathlib import Path

import pytest

NO_INDEX = {
    "PIP_NO_INDEX": "1",
    "PIP_NO_DEPS": "1",
    "PIP_NO_BUILD_ISOLATION": "0",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
"""Nothing is fetched: what is there already is enough.  (Not to isolate builds is 0 in pip's variables.)"""


OLDEST_SETUPTOOLS = 77


def require_builder() -> None:
    """Skip the test where packages cannot be built."""
    for name, oldest in (("pip", 0), ("setuptools", OLDEST_SETUPTOOLS)):
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            pytest.skip(f"{name} is not installed")
        if int(version.partition(".")[0]) < oldest:
            pytest.skip(f"{name} {version} is too old to build litebridge with, which needs {oldest}")


class Workshop:
    """An environment that sees the packages of this one and, if given, a checkout of litebridge."""

    def __init__(self, folder: Path, checkout: Path | None) -> None:
        require_builder()
        venv.create(folder, with_pip=False)
        self.bin = folder / "bin"
        (site,) = folder.glob("lib/python*/site-packages")
        seen = [sysconfig.get_path("purelib"), *([] if checkout is None else [str(checkout)])]
        (site / "workshop.pth").write_text("".join(f"{path}\n" for path in seen))
        if checkout is not None:
            script = f"#!{self.bin / 'python'}\nfrom lite.tools.cli import main\n\nmain()\n"
            (self.bin / "litebridge").write_text(script)
            (self.bin / "litebridge").chmod(0o755)

    def run(self, command: str, folder: Path, status: int = 0) -> str:
        """What a line of shell prints, errors too; it must end with this status."""
        known = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))}
        env = {**known, **NO_INDEX, "PATH": f"{self.bin}{os.pathsep}{known['PATH']}"}
        done = subprocess.run(
            ["bash", "-e", "-c", command],
            cwd=folder,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == status, f"{command}\n{done.stdout}"
        return done.stdout
