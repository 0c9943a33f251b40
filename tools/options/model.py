"""MODEL, its parameters, and the shapes of its inputs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from lite.config import Config
from lite.tools.options.values import F, named_dims


def params_option(command: F) -> F:
    """--params, as `params`."""
    return click.option(
        "--params",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="The file with the parameters, if it is not beside the model file.",
    )(command)


def model_argument(command: F) -> F:
    """MODEL and --params, as `model` and `params`."""
    return click.argument("model", type=click.Path(path_type=Path))(params_option(command))


def input_shape_option(help_text: str) -> Callable[[F], F]:
    """--input-shape, as `input_shapes`: pairs of a name and a shape."""
    return click.option(
        "--input-shape",
        "input_shapes",
        type=named_dims,
        metavar="NAME=1,3,h,?",
        multiple=True,
        help=help_text,
    )


def model_config(model: Path, params: Path | None, **settings: Any) -> Config:
    """The Config of MODEL and --params with other settings of `Config`; runs wait for kernels by default."""
    settings.setdefault("compilation", "wait")
    if params is None:
        return Config(model_dir=model, **settings)
    return Config(model_file=model, params_file=params, **settings)
