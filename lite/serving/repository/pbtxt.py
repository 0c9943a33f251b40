"""Triton's config.pbtxt, where it says what config.yaml can say."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

from google.protobuf import text_format

from lite.errors import ConfigError
from lite.serving.models.tensors import TensorSpec
from lite.serving.oip import oip_pb2 as pb
from lite.serving.repository.settings import ModelSettings, Step, file_name
from lite.serving.scheduling.batches import Batching

log = logging.getLogger(__name__)

TYPES = {
    "TYPE_BOOL": "BOOL",
    "TYPE_UINT8": "UINT8",
    "TYPE_UINT16": "UINT16",
    "TYPE_UINT32": "UINT32",
    "TYPE_UINT64": "UINT64",
    "TYPE_INT8": "INT8",
    "TYPE_INT16": "INT16",
    "TYPE_INT32": "INT32",
    "TYPE_INT64": "INT64",
    "TYPE_FP16": "FP16",
    "TYPE_FP32": "FP32",
    "TYPE_FP64": "FP64",
    "TYPE_BF16": "BF16",
    "TYPE_STRING": "BYTES",
}
"""The datatype of each type in a config.pbtxt."""

_READ = (
    "name",
    "platform",
    "backend",
    "max_batch_size",
    "input",
    "output",
    "dynamic_batching",
    "instance_group",
    "version_policy",
    "model_warmup",
    "ensemble_scheduling",
    "default_model_filename",
    "parameters",
)


def read_pbtxt(path: Path, defaults: Mapping[str, object]) -> ModelSettings:
    """The settings in a config.pbtxt; parts without a counterpart are named in a warning.

    Raises `ConfigError` for a text that is not a model configuration, and for one with another name.
    """
    config = pb.ModelConfig()
    try:
        text_format.Parse(path.read_text(encoding="utf-8"), config)
    except (text_format.ParseError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{path}: not a model configuration: {error}") from error
    if config.name and config.name != path.parent.name:
        raise ConfigError(f"{path}: the name {config.name!r} is not that of the folder, {path.parent.name!r}")
    ignored = [field.name for field, _ in config.ListFields() if field.name not in _READ]
    if ignored:
        log.warning("%s: %s have no counterpart here and have no effect", path, ", ".join(ignored))
    is_ensemble = config.HasField("ensemble_scheduling")
    file = config.default_model_filename or None
    return ModelSettings(
        engine=dict(defaults),
        file=file and file_name(f"{path}: default_model_filename", file),
        ensemble=_steps(config) if is_ensemble else (),
        inputs=_tensors(config, config.input) if is_ensemble else (),
        outputs=_tensors(config, config.output) if is_ensemble else (),
        versions=_versions(config.version_policy),
        instances=sum(group.count or 1 for group in config.instance_group) or None,
        batching=Batching(
            max(config.max_batch_size, 1) if config.HasField("dynamic_batching") else 1,
            config.dynamic_batching.max_queue_delay_microseconds,
            tuple(config.dynamic_batching.preferred_batch_size),
        ),
        queue=config.dynamic_batching.default_queue_policy.max_queue_size or 128,
        timeout_us=config.dynamic_batching.default_queue_policy.default_timeout_microseconds,
        prepare=tuple(_warmup(config, each) for each in config.model_warmup),
        labels={
            each.name: file_name(f"{path}: label_filename of {each.name}", each.label_filename)
            for each in config.output
            if each.label_filename
        },
    )


def _versions(policy: pb.ModelVersionPolicy) -> tuple[int, ...] | int:
    which = policy.WhichOneof("policy_choice")
    if which == "all":
        return 0
    if which == "specific":
        return tuple(policy.specific.versions)
    return policy.latest.num_versions or 1


def _tensors(
    config: pb.ModelConfig, entries: Sequence[pb.ModelInput] | Sequence[pb.ModelOutput]
) -> tuple[TensorSpec, ...]:
    """Tensors as the protocol states them: with the axis of the batch, which config.pbtxt leaves out."""
    batch = (-1,) if config.max_batch_size > 0 else ()
    return tuple(TensorSpec(each.name, _datatype(each), (*batch, *each.dims)) for each in entries)


_DATATYPES = {number: TYPES[name] for name, number in pb.DataType.items() if name in TYPES}


def _datatype(entry: pb.ModelInput | pb.ModelOutput) -> str:
    datatype = _DATATYPES.get(entry.data_type)
    if datatype is None:
        raise ConfigError(f"{entry.name!r}: expected one of {', '.join(TYPES)} as its data_type")
    return datatype


def _warmup(config: pb.ModelConfig, warmup: pb.ModelWarmup) -> Mapping[str, tuple[int, ...]]:
    batch = (max(warmup.batch_size, 1),) if config.max_batch_size > 0 else ()
    return {name: (*batch, *each.dims) for name, each in warmup.inputs.items()}


def _steps(config: pb.ModelConfig) -> tuple[Step, ...]:
    return tuple(
        Step(step.model_name, dict(step.input_map), dict(step.output_map))
        for step in config.ensemble_scheduling.step
    )
