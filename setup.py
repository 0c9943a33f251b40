"""The part of the build that setup.cfg cannot do: leaving single modules out of the wheel."""

from __future__ import annotations

import configparser
from fnmatch import fnmatch

from setuptools import setup
from setuptools.command.build_py import build_py

config = configparser.ConfigParser()
config.read("setup.cfg", encoding="utf-8")
EXCLUDED = config.get("options.packages.find", "exclude").split()


class BuildWithoutExcluded(build_py):
    """Applies the patterns that exclude packages to modules, too."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        """The (package, module, file) of each module of a package that the wheel has."""
        modules: list[tuple[str, str, str]] = super().find_package_modules(package, package_dir)
        return [
            module
            for module in modules
            if not any(fnmatch(f"{package}.{module[1]}", pattern) for pattern in EXCLUDED)
        ]


setup(cmdclass={"build_py": BuildWithoutExcluded})
