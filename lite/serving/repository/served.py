"""A version of a model that is loaded and answers requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path

from lite.config import Config
from lite.dataclass import dataclass
from lite.errors import ConfigError
from lite.serving.admission import Admission
from lite.serving.models.engine_model import EngineModel
from lite.serving.models.ensemble import check_steps
from lite.serving.models.model import Model
from lite.serving.models.python_model import PythonModel
from lite.serving.models.tensors import TensorSpec
from lite.serving.models.warmup import warm_up
from lite.serving.repository.folders import model_file
from lite.serving.repository.settings import ModelSettings
from lite.serving.scheduling.model_queue import ModelQueue
from lite.serving.statistics import ModelStatistics


@dataclass(frozen=True)
class Served:
    """A loaded version; an ensemble has no model and no queue of its own."""

    name: str
    version: int
    settings: ModelSettings
    inputs: Sequence[TensorSpec]
    outputs: Sequence[TensorSpec]
    model: Model | None
    queue: ModelQueue
    labels: Mapping[str, Sequence[str]]
    admission: Admission
    statistics: ModelStatistics = field(default_factory=ModelStatistics)

    @property
    def platform(self) -> str:
        """What runs it, for metadata."""
        return "ensemble" if self.model is None else self.model.platform

    def metadata(self, versions: Sequence[int]) -> dict[str, object]:
        """The protocol's metadata of the model."""
        return {
            "name": self.name,
            "versions": [str(version) for version in versions],
            "platform": self.platform,
            "inputs": _tensors(self.inputs),
            "outputs": _tensors(self.outputs),
        }

    def configuration(self) -> dict[str, object]:
        """The model's configuration in Triton's terms.

        Sizes include the axis of the batch, so `max_batch_size` is 0, as of a Triton model without batching.
        """
        return {
            "name": self.name,
            "platform": self.platform,
            "backend": "litebridge",
            "version_policy": _policy(self.settings.versions),
            "max_batch_size": 0,
            "input": _configured(self.inputs),
            "output": _configured(self.outputs),
            "instance_group": [{"name": self.name, "kind": "KIND_CPU", "count": max(self.queue.count, 1)}],
        }


def load_version(
    name: str, version: int, folder: Path, root: Path, settings: ModelSettings, workers: int
) -> Served:
    """Load a version and warm it up.

    folder, root: the folder of the version, and that of the model.
    Raises `LiteError` for a model that cannot be loaded or run, and `OSError` for files that cannot be read.
    """
    admission = Admission(name, settings.queue)
    labels = {output: _lines(root / file) for output, file in settings.labels.items()}
    if settings.ensemble:
        inputs, outputs = settings.inputs, settings.outputs
        check_steps(settings.ensemble, [each.name for each in inputs], [each.name for each in outputs])
        queue = ModelQueue(name, [], settings.batching, settings.queue)
        return Served(name, version, settings, inputs, outputs, None, queue, labels, admission)
    model: Model
    if settings.python:
        where = folder if (folder / settings.python.partition(":")[0]).is_file() else root
        model = PythonModel(where, settings.python, settings.inputs, settings.outputs)
    else:
        model = EngineModel(_config(model_file(folder, settings), settings.engine))
    instances = [model.instance() for _ in range(settings.instances or workers)]
    if not settings.python or settings.prepare:
        warm_up(instances, model.inputs, settings.prepare, settings.batching)
    on_host = isinstance(model, EngineModel) and not model.placement()["devices"]
    queue = ModelQueue(name, instances, settings.batching, settings.queue, settings.weight, on_host)
    return Served(name, version, settings, model.inputs, model.outputs, model, queue, labels, admission)


def _config(path: Path, engine: Mapping[str, object]) -> Config:
    fields = dict(engine)
    for key in ("devices", "passes", "keep", "valid_places"):
        if isinstance(fields.get(key), str):
            raise ConfigError(f"{key}: expected a list of names, got {fields[key]!r}")
    return Config(path, **fields)  # type: ignore[arg-type]  # Config checks each field


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def _tensors(specs: Sequence[TensorSpec]) -> list[dict[str, object]]:
    return [{"name": each.name, "datatype": each.datatype, "shape": each.shape} for each in specs]


def _configured(specs: Sequence[TensorSpec]) -> list[dict[str, object]]:
    return [
        {
            "name": each.name,
            "data_type": f"TYPE_{'STRING' if each.datatype == 'BYTES' else each.datatype}",
            "dims": each.shape,
        }
        for each in specs
    ]


def _policy(versions: tuple[int, ...] | int) -> dict[str, object]:
    if isinstance(versions, tuple):
        return {"specific": {"versions": list(versions)}}
    return {"latest": {"num_versions": versions}} if versions else {"all": {}}
