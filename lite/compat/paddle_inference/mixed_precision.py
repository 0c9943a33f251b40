"""Conversion of a model's weights to fewer bits."""

# ruff: noqa: ARG001 - the arguments are Paddle's

from __future__ import annotations

from collections.abc import Collection

from lite.compat.paddle_inference.enums import PlaceType, PrecisionType
from lite.errors import ConfigError


def convert_to_mixed_precision(
    model_file: str,
    params_file: str,
    mixed_model_file: str,
    mixed_params_file: str,
    mixed_precision: PrecisionType,
    backend: PlaceType,
    keep_io_types: bool = True,
    black_list: Collection[str] = (),
    white_list: Collection[str] = (),
) -> None:
    """Always raises `ConfigError`: this engine runs models in the precision they were saved in."""
    raise ConfigError(
        f"{model_file}: convert_to_mixed_precision to {mixed_precision.name} is not supported here; "
        "run the model as it is, or convert it with Paddle itself"
    )
