"""Recognises artifacts by their first bytes; reads nothing else."""

from __future__ import annotations

from lite.plugin.format import ModelSource, open_regular

META = "meta.json"
"""The first member."""

SUFFIX = ".lbm"
"""The ending of an artifact's name."""

_START = b"PK\x03\x04"
_NAME_OFFSET = 30


def is_artifact(source: ModelSource) -> bool:
    """Whether a source is an artifact: by its first bytes, or by the suffix of its name."""
    if source.path is None:
        return _begins_like_one(source.model or b"")
    if source.params_path is not None:
        return False
    try:
        with open_regular(source.path) as file:
            head = file.read(_NAME_OFFSET + len(META))
    except OSError:
        return False
    return _begins_like_one(head) or source.path.suffix == SUFFIX


def _begins_like_one(content: bytes) -> bool:
    name = content[_NAME_OFFSET : _NAME_OFFSET + len(META)]
    return content[: len(_START)] == _START and name == META.encode()
