"""A model that litebridge's engine runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from lite.config import Config
from lite.errors import ConfigError
from lite.ir.types import Array, Dim, DType
from lite.serving.models.model import Run
from lite.serving.models.model_value import Value
from lite.serving.models.tensors import OPEN, TensorSpec
from lite.serving.protocol.datatypes import datatype_of
from lite.session.predictor import Predictor, create_predictor
from lite.session.signature import output_values


class EngineModel:
    """A predictor, and a clone for each instance; they share weights and compiled models."""

    platform = "litebridge"
    takes_lists = False

    def __init__(self, config: Config) -> None:
        """Load the model; raises what `create_predictor` raises, and `ConfigError` for unserved dtypes."""
        self._predictor = create_predictor(config)
        self.inputs: Sequence[TensorSpec] = [
            _spec(name, self._predictor.get_input(name).dtype, self._predictor.get_input(name).shape)
            for name in self._predictor.input_names
        ]
        self.outputs: Sequence[TensorSpec] = [
            _spec(name, dtype, shape) for name, dtype, shape in output_values(self._predictor)
        ]

    def instance(self) -> Run:
        """Runs a clone of the predictor."""
        return _Instance(self._predictor.clone())

    def placement(self) -> Mapping[str, object]:
        """The placement report, without the list of ops."""
        report = self._predictor.report()
        return {
            "devices": list(self._predictor.config.devices),
            "coverage": report.coverage,
            "regions": [
                {
                    "id": region.id,
                    "device": region.device,
                    "ops": len(region.ops),
                    "state": region.state,
                    "reason": region.reason,
                    "runs": sum(each.runs for each in region.signatures),
                    "host_runs": sum(each.host_runs for each in region.signatures),
                }
                for region in report.regions
            ],
            "fallbacks": dict(report.fallbacks),
            "warnings": list(report.warnings),
        }


class _Instance:
    def __init__(self, predictor: Predictor) -> None:
        self._predictor = predictor

    def __call__(self, inputs: Mapping[str, Value]) -> Mapping[str, Value]:
        return self._predictor.run(cast(dict[str, Array], inputs))


def _spec(name: str, dtype: DType | None, shape: Sequence[Dim] | None) -> TensorSpec:
    datatype = datatype_of(dtype or DType.FLOAT32)
    if datatype is None:
        raise ConfigError(f"{name!r} is {dtype}, for which the protocol has no datatype: it cannot be served")
    dims = None if shape is None else tuple(dim if isinstance(dim, int) else OPEN for dim in shape)
    return TensorSpec(name, datatype, dims)
