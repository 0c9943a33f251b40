"""Worker environments with the fake SDK, made without pip; and a wheel of it, for installing it with pip."""

from __future__ import annotations

import json
import sysconfig
import venv
import zipfile
from pathlib import Path

from lite.environments.folder import environment_folder
from lite.environments.installed import MARKER, packages_folder, requirements_digest
from lite.plugin.device import WorkerEnvironment
from tests.support.fake_sdk_device import NAME, SDK, FakeSdk


def declared() -> WorkerEnvironment:
    """The environment that the device declares."""
    assert FakeSdk.environment is not None
    return FakeSdk.environment


def make_environment(sdk: str = SDK) -> Path:
    """The device's environment with this SDK, and with numpy from the present one; returns its packages.

    XDG_DATA_HOME must name a folder of the test.
    """
    folder = environment_folder(NAME)
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    venv.create(folder, with_pip=False, symlinks=True)
    packages = packages_folder(folder, declared())
    (packages / "fakesdk.py").write_text(sdk)
    own = Path(sysconfig.get_path("purelib"))
    for path in own.iterdir():
        if path.name.partition(".")[0].partition("-")[0] in ("numpy", "threadpoolctl"):
            (packages / path.name).symlink_to(path)
    mark()
    return packages


def mark(requirements: str | None = None) -> None:
    """Write the marker of a complete environment, by default of the declared requirements."""
    digest = requirements_digest(declared()) if requirements is None else requirements
    (environment_folder(NAME) / MARKER).write_text(json.dumps({"requirements": digest}))


def write_wheel(folder: Path, sdk: str = SDK) -> None:
    """Write a wheel of the SDK, version 1.0, to a folder."""
    info = "fakesdk-1.0.dist-info"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / "fakesdk-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("fakesdk.py", sdk)
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: fakesdk\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
