"""``paddle.jit.load`` for saved inference models, and the decorators that mark code for export."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import lite
from lite.compat.paddle_inference.config import Config
from lite.compat.paddle_inference.paddle.tensor import Tensor, array_of
from lite.compat.paddle_inference.predictor import Predictor
from lite.errors import ConfigError
from lite.ir.program import Program

F = TypeVar("F", bound=Callable[..., Any])


class TranslatedLayer:
    """A saved model that is called like a layer."""

    training = False

    def __init__(self, path: str) -> None:
        folder, prefix = os.path.split(path)
        self._config = Config(folder or os.curdir, prefix)
        self._predictor = Predictor(self._config)

    def forward(self, *inputs: Any) -> Tensor | list[Tensor]:
        """The outputs for inputs in the model's order: one tensor, or a list of them."""
        results = self._predictor.run([array_of(value) for value in inputs])
        return results[0] if len(results) == 1 else results

    __call__ = forward

    def eval(self) -> TranslatedLayer:
        """The layer itself: it always infers."""
        return self

    def train(self) -> None:
        """Always raises `ConfigError`."""
        raise ConfigError("train: litebridge runs saved models and does not train them; train with Paddle")

    def program(self, method_name: str = "forward") -> Program:
        """The model as a program of litebridge."""
        return lite.load_program(self._config.to_lite())


def load(path: str | os.PathLike[str], **configs: object) -> TranslatedLayer:
    """``paddle.jit.load``: the model of ``path.pdmodel`` or ``path.json``, with ``path.pdiparams``.

    Raises the errors of `lite.create_predictor`.
    """
    return TranslatedLayer(os.fspath(path))


def to_static(function: F | None = None, **options: object) -> Any:
    """The function itself: nothing is exported."""
    return function if function is not None else (lambda decorated: decorated)


def not_to_static(function: F | None = None) -> Any:
    """The function itself."""
    return to_static(function)
