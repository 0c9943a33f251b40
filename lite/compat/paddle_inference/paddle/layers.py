"""Layers of ``paddle.nn`` that have no parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lite.compat.paddle_inference.paddle import functional
from lite.compat.paddle_inference.paddle.placeholders import Layer
from lite.compat.paddle_inference.paddle.tensor import Tensor, as_tensor


def _layer(name: str, function: Callable[..., Tensor]) -> type[Layer]:
    """The layer that calls a function with its input and its own arguments, except its name."""

    def create(self: Layer, *arguments: object, **options: object) -> None:
        Layer.__init__(self)
        options.pop("name", None)
        vars(self).update(arguments=arguments, options=options)

    def forward(self: Layer, x: Any) -> Tensor:
        return function(x, *vars(self)["arguments"], **vars(self)["options"])

    members = {"__init__": create, "forward": forward, "__module__": "paddle.nn"}
    return type(name, (Layer,), {**members, "__doc__": f"`{function.__name__}` as a layer."})


class Identity(Layer):
    """Its input itself."""

    def __init__(self, *arguments: object, **options: object) -> None:
        super().__init__()

    def forward(self, *inputs: object, **options: object) -> Tensor:
        """The input."""
        return as_tensor(inputs[0])


LAYERS: dict[str, type[Layer]] = {
    "Layer": Layer,
    "Identity": Identity,
    "Hardswish": _layer("Hardswish", functional.hardswish),
    "LeakyReLU": _layer("LeakyReLU", functional.leaky_relu),
    "LogSoftmax": _layer("LogSoftmax", functional.log_softmax),
    "ReLU": _layer("ReLU", functional.relu),
    "ReLU6": _layer("ReLU6", functional.relu6),
    "Sigmoid": _layer("Sigmoid", functional.sigmoid),
    "Silu": _layer("Silu", functional.silu),
    "Softmax": _layer("Softmax", functional.softmax),
    "Softplus": _layer("Softplus", functional.softplus),
    "Swish": _layer("Swish", functional.silu),
}
