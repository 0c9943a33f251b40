"""Writes the software bill of materials of a wheel: ``python -m lite.tools.maintenance.sbom WHEEL -o FILE``.

The file is CycloneDX 1.6 in JSON.  It lists the wheel with its hash, the library that is copied into it, and
the packages that it requires: for each the versions that setup.cfg allows, and the version and licence of the
one that is installed here.  Packages of an extra are optional.
"""

from __future__ import annotations

import email
import hashlib
import importlib.metadata
import re
import sys
import zipfile
from collections.abc import Iterator
from email.message import Message
from pathlib import Path
from typing import TYPE_CHECKING

import click
from packaging.requirements import Requirement

from lite.dataclass import dataclass

if TYPE_CHECKING:
    from cyclonedx.model.bom import Bom
    from cyclonedx.model.component import Component
    from cyclonedx.model.license import DisjunctiveLicense, LicenseExpression

_DEVELOPMENT = ("dev", "docs", "peers")
"""Extras for work on a checkout."""

_VENDORED = re.compile(r"^\| \[(?P<name>\S+)\]\(\S+\) .*?\| (?P<version>[\d.]+) \|.*?\[(?P<licence>\S+)\]")


@dataclass(frozen=True)
class Part:
    """A package that a wheel requires or contains."""

    name: str
    version: str
    licence: str
    allowed: str
    extra: str = ""
    kind: str = "pypi"


@click.command()
@click.argument("wheel", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The file to write.")
def main(wheel: Path, output: Path) -> None:
    """Write the software bill of materials of WHEEL."""
    from cyclonedx.output import make_outputter
    from cyclonedx.schema import OutputFormat, SchemaVersion

    outputter = make_outputter(bill_of(wheel), OutputFormat.JSON, SchemaVersion.V1_6)
    output.write_text(outputter.output_as_string(indent=2) + "\n", encoding="utf-8")


def bill_of(wheel: Path) -> Bom:
    """The bill of a wheel."""
    from cyclonedx.model import HashAlgorithm, HashType
    from cyclonedx.model.bom import Bom
    from cyclonedx.model.component import Component, ComponentType
    from packageurl import PackageURL

    metadata, notices = _read(wheel)
    name, version = metadata["Name"], metadata["Version"]
    root = Component(
        name=name,
        version=version,
        type=ComponentType.LIBRARY,
        bom_ref=f"pkg:pypi/{name}@{version}",
        purl=PackageURL("pypi", None, name, version),
        licenses=[_licence(metadata["License-Expression"] or "Apache-2.0")],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=hashlib.sha256(wheel.read_bytes()).hexdigest())],
    )
    bill = Bom()
    bill.metadata.component = root
    components = [_component(part) for part in (*required_parts(metadata), *vendored_parts(notices))]
    for each in components:
        bill.components.add(each)
    bill.register_dependency(root, components)
    return bill


def required_parts(metadata: Message) -> Iterator[Part]:
    """The packages that a wheel's metadata require, without those of development, each name once."""
    found: set[str] = set()
    for text in metadata.get_all("Requires-Dist", []):
        requirement = Requirement(text)
        extras = re.findall(r"""extra == ["'](\w+)["']""", text)
        if requirement.name.lower() in found or not set(extras).isdisjoint(_DEVELOPMENT):
            continue
        found.add(requirement.name.lower())
        version, licence = _installed(requirement.name)
        allowed = ",".join(sorted(map(str, requirement.specifier), reverse=True))
        yield Part(requirement.name, version, licence, allowed, extras[0] if extras else "")


def vendored_parts(notices: str) -> Iterator[Part]:
    """The libraries that the table of THIRD_PARTY.md names as copied into the wheel."""
    for line in notices.splitlines():
        match = _VENDORED.match(line)
        if match is not None and "not in the wheel" not in line:
            version = match["version"]
            yield Part(match["name"], version, match["licence"], f"=={version}", kind="npm")


def _read(wheel: Path) -> tuple[Message, str]:
    """The metadata of a wheel and its notices about third parties."""
    with zipfile.ZipFile(wheel) as archive:
        names = {name.rpartition("/")[2]: name for name in archive.namelist() if ".dist-info/" in name}
        text = archive.read(names["METADATA"]).decode()
        notices = archive.read(names["THIRD_PARTY.md"]).decode() if "THIRD_PARTY.md" in names else ""
    return email.message_from_string(text), notices


def _installed(name: str) -> tuple[str, str]:
    """The version and licence of a package in this environment; empty for one that is not installed."""
    try:
        metadata = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        return "", ""
    classifiers = [each for each in metadata.get_all("Classifier") or [] if each.startswith("License ::")]
    names = ("License-Expression", "License")
    licence = next((metadata[name] for name in names if name in metadata), "")
    if not licence or "\n" in licence or len(licence) > 60:
        licence = classifiers[0].rpartition(":: ")[2] if classifiers else ""
    return metadata["Version"], licence


def _component(part: Part) -> Component:
    from cyclonedx.model import Property
    from cyclonedx.model.component import Component, ComponentScope, ComponentType
    from packageurl import PackageURL

    properties = [Property(name="litebridge:allowed", value=part.allowed)]
    if part.extra:
        properties.append(Property(name="litebridge:extra", value=part.extra))
    return Component(
        name=part.name,
        version=part.version or None,
        type=ComponentType.LIBRARY,
        scope=ComponentScope.OPTIONAL if part.extra else ComponentScope.REQUIRED,
        bom_ref=f"pkg:{part.kind}/{part.name}@{part.version}",
        purl=PackageURL(part.kind, None, part.name, part.version or None),
        licenses=[_licence(part.licence)] if part.licence else [],
        properties=properties,
    )


def _licence(text: str) -> DisjunctiveLicense | LicenseExpression:
    from cyclonedx.contrib.license.factories import LicenseFactory

    return LicenseFactory().make_from_string(text)


if __name__ == "__main__":
    sys.exit(main())
