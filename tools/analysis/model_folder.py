"""The models in a folder."""

from __future__ import annotations

from pathlib import Path

from lite.plugin.format import PARSERS, ModelSource
from lite.plugin.loader import load_parsers


def models_in(path: Path) -> list[Path]:
    """The model at a path, or all models in the folder and its folders, in the order of their names.

    A path that does not exist, or that holds no model, counts as one model: reading it says what is wrong.
    """
    load_parsers()
    return _models_in(path) or [path]


def _models_in(path: Path) -> list[Path]:
    if any(PARSERS.get(name).sniff(ModelSource(path)) for name in PARSERS):
        return [path]
    if not path.is_dir():
        return []
    return [model for child in sorted(path.iterdir()) for model in _models_in(child)]
