"""A model that is a Python function or class of the repository."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType

import numpy as np

from lite.errors import ConfigError, ExecutionError, LiteError
from lite.serving.models.model import Run
from lite.serving.models.model_value import Value
from lite.serving.models.tensors import TensorSpec


class PythonModel:
    """``file.py:name``: a function of the inputs by name that returns the outputs by name.

    A class is instantiated once for each instance, without arguments, and the object is called.
    """

    platform = "python"
    takes_lists = True

    def __init__(
        self, folder: Path, target: str, inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec]
    ) -> None:
        """Import the file; raises `ConfigError` if it or the name does not exist, or if the import fails."""
        self.inputs = inputs
        self.outputs = outputs
        self._target = target
        file, _, name = target.partition(":")
        if not name or Path(file).name != file:
            raise ConfigError(f"python: expected FILE.py:NAME, a file of the model's folder, got {target!r}")
        module = _import(folder / file)
        made = vars(module).get(name)
        if not callable(made):
            raise ConfigError(f"python: {file} has no function or class {name!r}")
        self._made: Callable[..., object] = made

    def instance(self) -> Run:
        """The function, or a new object of the class."""
        made = self._made
        if not isinstance(made, type):
            return _Step(self._target, made, self.outputs)
        try:
            call = made()
        except Exception as error:
            raise ConfigError(f"python: {self._target} cannot be created: {error!r}") from error
        if not callable(call):
            raise ConfigError(f"python: objects of {self._target} cannot be called")
        return _Step(self._target, call, self.outputs)

    def placement(self) -> Mapping[str, object]:
        """A Python function runs on the host."""
        return {"devices": [], "coverage": {}, "regions": [], "fallbacks": {}, "warnings": []}


class _Step:
    def __init__(self, target: str, call: Callable[..., object], outputs: Sequence[TensorSpec]) -> None:
        self._target = target
        self._call = call
        self._outputs = outputs

    def __call__(self, inputs: Mapping[str, Value]) -> Mapping[str, Value]:
        try:
            results = self._call(dict(inputs))
        except LiteError:
            raise
        except Exception as error:
            raise ExecutionError(f"python: {self._target} raised {error!r}") from error
        names = [spec.name for spec in self._outputs]
        if not isinstance(results, Mapping) or not set(names) <= set(results):
            raise ExecutionError(f"python: {self._target} must return a dict with {', '.join(names)}")
        return {name: self._value(results[name]) for name in names}

    def _value(self, value: object) -> Value:
        if isinstance(value, np.ndarray):
            return value
        if isinstance(value, list) and all(isinstance(item, np.ndarray) for item in value):
            return value
        raise ExecutionError(f"python: {self._target} must return arrays, or lists of arrays")


def _import(path: Path) -> ModuleType:
    name = f"litebridge_model_{abs(hash(path)):x}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ConfigError(f"python: {path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ConfigError(f"python: {path} cannot be imported: {error!r}") from error
    return module
