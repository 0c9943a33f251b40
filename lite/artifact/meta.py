"""``meta.json``: what an artifact is, what its reader must know, and the checksums of its members."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, field
from typing import Any

from lite.artifact.container import Container, sha256
from lite.artifact.sniff import META
from lite.dataclass import dataclass
from lite.errors import ModelParseError
from lite.version import VERSION

FORMAT = 1
"""The version of the layout of artifacts that this reader writes, and the newest that it reads."""

PLAN_VERSION = 1
"""The version of plans: raised where a kernel or a fused op of older plans would compute something else."""

FEATURES = frozenset({"plan", "origin", "regions", "packs", "compressed-weights"})
"""The features that this reader knows.  An artifact lists those without which it cannot be read."""

MOST_META = 1 << 24
MOST_JSON = 1 << 30
"""The largest sizes of ``meta.json`` and of other JSON members, in bytes."""

Record = dict[str, Any]


@dataclass(frozen=True)
class MemberInfo:
    """Size in bytes and SHA-256 of a member."""

    bytes: int
    sha256: str


@dataclass(frozen=True)
class Meta:
    """The content of ``meta.json``.

    format, least_reader: the version of the layout, and the oldest one whose readers can read it.
    features: what a reader must know, of `FEATURES`.
    producer: the version of litebridge that wrote it, and its plan version.
    inputs, outputs: name, dtype and shape of each input; the names of the outputs.
    signatures: the input shapes for which weights are packed and device models are there.
    settings: the fields of the Config that a start without settings of its own has.
    targets: by target, the machine for which weights are packed.
    devices: name, spec and version of each device with regions.
    licence: the licence of the model, as its owner states it.
    members: all other members.
    """

    inputs: list[Record]
    outputs: list[str]
    settings: Record
    members: Mapping[str, MemberInfo]
    signatures: list[dict[str, list[int]]] = field(default_factory=list)
    targets: Mapping[str, str] = field(default_factory=dict)
    devices: list[Record] = field(default_factory=list)
    licence: str = ""
    features: tuple[str, ...] = ("plan", "origin")
    producer: Mapping[str, Any] = field(default_factory=lambda: {"litebridge": VERSION, "plan": PLAN_VERSION})
    format: int = FORMAT
    least_reader: int = 1

    def to_json(self) -> bytes:
        """The bytes of the member."""
        order = ("format", "least_reader", "features", "producer")
        record = asdict(self)
        return json.dumps({**{name: record[name] for name in order}, **record}, indent=1).encode()

    @classmethod
    def read(cls, container: Container) -> Meta:
        """The metadata of an artifact; raises `ModelParseError`.

        Refuses a newer layout and unknown features.  Other unknown keys are ignored.  Every member must be
        listed with its size.
        """
        source = container.source
        content = container.read(META)
        if len(content) > MOST_META:
            raise ModelParseError(f"{source}: {META} has {len(content)} bytes, at most {MOST_META} are read")
        record = parse_json(content, META, source)
        _check_version(record, source)
        try:
            meta = cls(
                [dict(each) for each in record["inputs"]],
                [str(name) for name in record["outputs"]],
                dict(record["settings"]),
                {
                    str(name): MemberInfo(int(each["bytes"]), str(each["sha256"]))
                    for name, each in record["members"].items()
                },
                [
                    {str(name): [int(n) for n in shape] for name, shape in each.items()}
                    for each in record.get("signatures", [])
                ],
                {str(name): str(text) for name, text in record.get("targets", {}).items()},
                [dict(each) for each in record.get("devices", [])],
                str(record.get("licence", "")),
                tuple(map(str, record["features"])),
                dict(record["producer"]),
                int(record["format"]),
                int(record["least_reader"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise ModelParseError(f"{source}: {META} is not valid: {error!r}") from error
        meta._check_members(container)
        return meta

    def checked(self, container: Container, name: str) -> memoryview:
        """The bytes of a member, whose checksum is compared; raises `ModelParseError`."""
        content = container.read(name)
        expected = self.members.get(name)
        if expected is None or sha256(content) != expected.sha256:
            raise ModelParseError(
                f"{container.source}: the artifact is damaged: {name} does not have the checksum that {META} "
                "states; copy or build it again"
            )
        return content

    def json(self, container: Container, name: str) -> Any:
        """The JSON document in a member, whose checksum is compared; raises `ModelParseError`."""
        content = self.checked(container, name)
        if len(content) > MOST_JSON:
            raise ModelParseError(
                f"{container.source}: {name} has {len(content)} bytes, at most {MOST_JSON} are read"
            )
        return parse_json(content, name, container.source)

    def problems(self, container: Container) -> list[str]:
        """A sentence for each member whose checksum differs; reads the whole artifact."""
        return [
            f"{name}: its SHA-256 is not that of {META}"
            for name, info in self.members.items()
            if sha256(container.read(name)) != info.sha256
        ]

    def _check_members(self, container: Container) -> None:
        listed = {*self.members, META}
        for name in sorted(listed ^ container.members.keys()):
            what = "is missing" if name in listed else f"is not listed in {META}"
            raise ModelParseError(f"{container.source}: the artifact is damaged: member {name} {what}")
        for name, info in self.members.items():
            size = len(container.members[name])
            if size != info.bytes:
                raise ModelParseError(
                    f"{container.source}: the artifact is damaged: {name} has {size} bytes, {META} states "
                    f"{info.bytes}"
                )


def parse_json(content: memoryview, name: str, source: str) -> Any:
    """A JSON document that is an object; raises `ModelParseError`."""
    try:
        document = json.loads(bytes(content))
    except (ValueError, RecursionError) as error:
        raise ModelParseError(f"{source}: {name} is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise ModelParseError(f"{source}: {name} is not a JSON object")
    return document


def _check_version(record: Mapping[str, Any], source: str) -> None:
    least, features = record.get("least_reader"), record.get("features")
    if type(least) is not int or not isinstance(features, list):
        raise ModelParseError(f"{source}: {META} states no versions: it is not the metadata of an artifact")
    if least > FORMAT:
        raise ModelParseError(
            f"{source}: the artifact needs a reader of version {least}, this one has version {FORMAT}; "
            "install a newer litebridge, or build the artifact with this one"
        )
    unknown = sorted(str(each) for each in features if not isinstance(each, str) or each not in FEATURES)
    if unknown:
        raise ModelParseError(
            f"{source}: the artifact needs features that this version lacks: {', '.join(unknown)}; install a "
            "newer litebridge, or build the artifact with this one"
        )
