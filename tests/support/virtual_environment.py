"""A new virtual environment for installing packages and running commands, without a package index."""

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
"""pip downloads nothing.  (In this variable of pip, 0 means that builds are not isolated.)"""


OLDEST_SETUPTOOLS = 77


def require_builder() -> None:
    """Skip the test if packages cannot be built."""
    for name, oldest in (("pip", 0), ("setuptools", OLDEST_SETUPTOOLS)):
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            pytest.skip(f"{name} is not installed")
        if int(version.partition(".")[0]) < oldest:
            pytest.skip(f"building litebridge needs {name} {oldest}, got {version}")


class Workshop:
    """An environment with the packages of this one and, optionally, a checkout of litebridge."""

    def __init__(self, folder: Path, checkout: Path | None) -> None:
        require_builder()
        venv.create(folder, with_pip=False)
        self.bin = folder / "bin"
        (site,) = folder.glob("lib/python*/site-packages")
        paths = [sysconfig.get_path("purelib"), *([] if checkout is None else [str(checkout)])]
        (site / "workshop.pth").write_text("".join(f"{path}\n" for path in paths))
        if checkout is not None:
            script = f"#!{self.bin / 'python'}\nfrom lite.tools.cli import main\n\nmain()\n"
            (self.bin / "litebridge").write_text(script)
            (self.bin / "litebridge").chmod(0o755)

    def run(self, command: str, folder: Path, status: int = 0) -> str:
        """Run a shell command, which must exit with `status`; returns stdout and stderr."""
        inherited = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))
        }
        env = {**inherited, **NO_INDEX, "PATH": f"{self.bin}{os.pathsep}{inherited['PATH']}"}
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
