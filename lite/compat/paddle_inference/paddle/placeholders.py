"""Names of ``paddle`` that a program may import, and that cannot be used here."""

from __future__ import annotations

from collections.abc import Callable

from lite.errors import PluginError


def placeholder(module: str) -> Callable[[str], type]:
    """A function that makes a class for each missing name of a module; an instance of one is refused."""

    def missing(name: str) -> type:
        if name.startswith("_"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")

        def refuse(self: object, *args: object, **options: object) -> None:
            raise PluginError(
                f"{module}.{name} is not there: litebridge runs saved models, and does not build or train "
                "networks; install paddlepaddle for that part of the program"
            )

        return type(name, (), {"__init__": refuse, "__module__": module})

    return missing


class Layer:
    """``paddle.nn.Layer``, a base class for the program's own classes; it has no parameters."""

    training = False

    def __init__(self, name_scope: str | None = None, dtype: object = "float32") -> None:
        self._name_scope, self._dtype = name_scope, dtype

    def __call__(self, *inputs: object, **options: object) -> object:
        """`forward`."""
        return self.forward(*inputs, **options)

    def forward(self, *inputs: object, **options: object) -> object:
        """The program's own code."""
        raise NotImplementedError

    def eval(self) -> Layer:
        """The layer itself."""
        return self

    def parameters(self) -> list[object]:
        """Always empty."""
        return []

    def sublayers(self) -> list[object]:
        """Always empty."""
        return []
