"""Write a device package from the templates."""

from __future__ import annotations

import importlib.util
import keyword
import re
from pathlib import Path

from lite.errors import ConfigError
from lite.ir.types import HOST
from lite.plugin.device import DEVICES
from lite.plugin.loader import load_devices

TEMPLATES = Path(__file__).parent / "templates"

FILES = {
    "pyproject.toml": "pyproject.toml.j2",
    "README.md": "README.md.j2",
    "{package}/__init__.py": "init.py.j2",
    "{package}/device.py": "device.py.j2",
    "{package}/builder.py": "builder.py.j2",
    "{package}/bridges.py": "bridges.py.j2",
    "{package}/sdk.py": "sdk.py.j2",
    "tests/test_device.py": "test_device.py.j2",
    "tests/test_conformance.py": "test_conformance.py.j2",
}
"""The files of the package, and their templates."""

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def package_of(name: str) -> str:
    """The Python package of a device."""
    return f"litebridge_{name}"


def check_name(name: str) -> None:
    """Raise `ConfigError` for an invalid name and for one that is taken."""
    if not NAME.fullmatch(name) or keyword.iskeyword(name):
        raise ConfigError(
            f"{name!r} cannot be a device's name: expected lower-case letters, digits and single "
            "underscores, a letter first, and no Python keyword"
        )
    load_devices()
    if name in DEVICES:
        raise ConfigError(f"a device {name!r} exists already, in {DEVICES.owner(name)}; choose another name")
    if name == HOST:
        raise ConfigError(f"{name!r} is the name of the host; choose another name")
    if importlib.util.find_spec(package_of(name)) is not None:
        raise ConfigError(f"a package {package_of(name)} is installed already; choose another name")


def write_device(name: str, out: Path) -> list[Path]:
    """Write the package of a new device to ``out/name`` and return the files, in the order of `FILES`.

    Raises `ConfigError` for an invalid name and for a folder that exists.
    """
    from jinja2 import Environment, StrictUndefined

    check_name(name)
    folder = out / name
    if folder.exists():
        raise ConfigError(f"{folder} exists already; choose another name, or another --out")
    words = {"name": name, "package": package_of(name), "camel": name.title().replace("_", "")}
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False)
    written = []
    for target, template in FILES.items():
        text = environment.from_string((TEMPLATES / template).read_text(encoding="utf-8")).render(words)
        path = folder / target.format(package=words["package"])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written
