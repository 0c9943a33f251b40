"""Names of ``paddle`` that a program may import, and that cannot be used here."""

from __future__ import annotations

from collections.abc import Callable, Collection

from lite.errors import PluginError


def placeholder(module: str, names: Collection[str] | None = None) -> Callable[[str], type]:
    """A function that makes a class for each missing name of a module; an instance of one is refused.

    With `names`, only these are made.
    """

    def missing(name: str) -> type:
        if name.startswith("_") or (names is not None and name not in names):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")

        def refuse(self: object, *args: object, **options: object) -> None:
            raise _refused(f"{module}.{name}")

        return type(name, (), {"__init__": refuse, "__module__": module})

    return missing


def settings(module: str) -> Callable[[str], type]:
    """`placeholder` for classes that programs create while they are imported: only a call is refused.

    Such are the initialisers in the default arguments of layers.
    """

    def missing(name: str) -> type:
        if name.startswith("_"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return _setting(module, name)

    return missing


def _setting(module: str, name: str) -> type:
    def accept(self: object, *args: object, **options: object) -> None:
        pass

    def refuse(self: object, *args: object, **options: object) -> None:
        raise _refused(f"{module}.{name}")

    return type(name, (), {"__init__": accept, "__call__": refuse, "__module__": module})


def _refused(name: str) -> PluginError:
    return PluginError(
        f"{name} is not there: litebridge runs saved models, and does not build or train networks; install "
        "paddlepaddle for that part of the program"
    )


ParamAttr = _setting("paddle", "ParamAttr")


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
