"""Finds models: in a repository (a folder for each, with a folder for each version) or on their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lite.dataclass import dataclass
from lite.errors import ConfigError
from lite.serving.repository.pbtxt import read_pbtxt
from lite.serving.repository.settings import ModelSettings, read_settings

_SETTINGS = ("config.yaml", "config.pbtxt")


@dataclass(frozen=True)
class ModelFolder:
    """A model on the disk; `is_repository` tells whether it has settings or a folder for each version."""

    name: str
    path: Path
    is_repository: bool

    def settings(self, defaults: Mapping[str, object]) -> ModelSettings:
        """`defaults`, changed by config.yaml or config.pbtxt; raises `ConfigError` for an invalid file."""
        if self.is_repository:
            if (self.path / _SETTINGS[0]).is_file():
                return read_settings(self.path / _SETTINGS[0], defaults)
            if (self.path / _SETTINGS[1]).is_file():
                return read_pbtxt(self.path / _SETTINGS[1], defaults)
        return ModelSettings(dict(defaults))

    def versions(self, settings: ModelSettings) -> list[tuple[int, Path]]:
        """The numbers and folders of the versions to serve, by ascending number.

        Raises `ConfigError` if there are none.
        """
        if not self.is_repository:
            return [(1, self.path)]
        found = sorted((int(path.name), path) for path in _folders(self.path) if _is_version(path))
        if not found and (settings.ensemble or settings.python):
            found = [(1, self.path)]
        wanted = settings.versions
        if isinstance(wanted, int):
            chosen = found[-wanted:] if wanted else found
        else:
            chosen = [(number, path) for number, path in found if number in wanted]
        if not chosen:
            raise ConfigError(
                f"{self.path} has none of the versions to serve: a version is a folder with a number as its "
                "name, such as 1"
            )
        return chosen


def find_models(arguments: Sequence[str]) -> dict[str, ModelFolder]:
    """The models of the command line, by name.

    An argument is a repository, the folder of one of its models, a model's folder or file, or NAME=MODEL.
    Raises `ConfigError` for a path that does not exist, and for two models of the same name.
    """
    models: dict[str, ModelFolder] = {}
    for argument in arguments:
        for model in _models(argument):
            if model.name in models:
                raise ConfigError(
                    f"two models are called {model.name!r}: {models[model.name].path} and {model.path}; "
                    "give one another name with NAME=MODEL"
                )
            models[model.name] = model
    return models


def model_file(folder: Path, settings: ModelSettings) -> Path:
    """The model in the folder of a version: the file that the settings name, the only file, or the folder."""
    if settings.file is not None:
        return folder / settings.file
    files = [path for path in folder.iterdir() if path.is_file()] if folder.is_dir() else []
    return files[0] if len(files) == 1 else folder


def _models(argument: str) -> list[ModelFolder]:
    name, equals, rest = argument.partition("=")
    path = Path(argument)
    if equals and not path.exists():
        path = Path(rest)
    else:
        name = ""
    if not path.exists():
        raise ConfigError(f"{path}: no such file or folder; check the path")
    if path.is_file():
        return [ModelFolder(name or path.stem, path, False)]
    if _is_repository_model(path):
        return [ModelFolder(name or path.resolve().name, path, True)]
    inner = [ModelFolder(each.name, each, True) for each in _folders(path) if _is_repository_model(each)]
    if inner and not name:
        return inner
    return [ModelFolder(name or path.resolve().name, path, False)]


def _is_repository_model(path: Path) -> bool:
    return any((path / name).is_file() for name in _SETTINGS) or any(map(_is_version, _folders(path)))


def _is_version(path: Path) -> bool:
    return path.name.isascii() and path.name.isdigit() and not path.name.startswith("0")


def _folders(path: Path) -> list[Path]:
    return sorted(each for each in path.iterdir() if each.is_dir() and not each.name.startswith("."))
