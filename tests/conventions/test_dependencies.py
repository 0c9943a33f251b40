"""Dependencies have a lower and an upper bound, tested lowest versions, and a licence that is listed."""

from __future__ import annotations

import configparser
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

from lite.tools.dev import EXTRAS

SHIPPED = ("jit", "openvino", "onnxruntime", "demo", "serve", "traces")
"""Extras for users."""

LOCKED = tuple(EXTRAS["test"].split(","))
"""Extras that CI installs."""


def requirements(root: Path, *, extras: Collection[str] | None = None) -> Iterator[Requirement]:
    """What setup.cfg requires, and what its extras do: all of them by default."""
    config = configparser.ConfigParser()
    config.read(root / "setup.cfg")
    texts = config["options"]["install_requires"].split("\n")
    for name, text in config["options.extras_require"].items():
        if extras is None or name in extras:
            texts += text.split("\n")
    yield from (Requirement(text) for text in texts if text.strip())


def pins(path: Path) -> dict[str, Version]:
    """The versions in a file of constraints, by normalised names."""
    lines = (line.split("#")[0].strip() for line in path.read_text().splitlines())
    pairs = (line.split("==") for line in lines if line)
    return {normalised(name): Version(version) for name, version in pairs}


def is_for_3_11(requirement: Requirement) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"python_version": "3.11"})


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_dependency_has_a_lower_and_an_upper_bound(root: Path) -> None:
    open_ended = [
        str(each)
        for each in requirements(root)
        if not {spec.operator for spec in each.specifier} >= {">=", "<"}
        and {spec.operator for spec in each.specifier} != {"=="}
    ]
    assert open_ended == []


def test_the_lowest_versions_are_the_lower_bounds(root: Path) -> None:
    lowest = pins(root / "constraints" / "lowest.txt")
    for each in requirements(root, extras=SHIPPED):
        name = normalised(each.name)
        if name not in lowest or (
            each.marker is not None and not each.marker.evaluate({"python_version": "3.11"})
        ):
            continue
        [bound] = [spec.version for spec in each.specifier if spec.operator == ">="]
        assert lowest[name].release[: len(Version(bound).release)] == Version(bound).release, name
        assert lowest[name] in each.specifier


def test_the_locked_versions_are_allowed(root: Path) -> None:
    locked = pins(root / "constraints" / "python3.11.txt")
    for each in requirements(root, extras=LOCKED):
        if not is_for_3_11(each):
            continue
        assert locked[normalised(each.name)] in each.specifier, each


def test_the_licence_of_every_dependency_of_users_is_listed(root: Path) -> None:
    listed = set(re.findall(r"^\| (\S+) .*\| \S+", (root / "THIRD_PARTY.md").read_text(), re.MULTILINE))
    assert {each.name for each in requirements(root, extras=SHIPPED)} <= listed
