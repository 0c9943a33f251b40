"""`dataclass` of the standard library, whose methods are compiled when they are first used.

The standard decorator compiles up to six methods from text for each class: with 115 classes, a fifth of the
instructions of a start of the engine.  Here `__init__` is compiled when a class has some instances, and the
other methods are closures over the names of the fields.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["dataclass"]

T = TypeVar("T")
Key = Callable[[object], tuple[object, ...]]


def _dataclass(
    cls: type[T] | None = None, /, *, frozen: bool = False, eq: bool = True, repr: bool = True
) -> type[T] | Callable[[type[T]], type[T]]:
    """Make a dataclass; `frozen`, `eq` and `repr` are those of `dataclasses.dataclass`.

    `InitVar` is not supported.  A class without a docstring gets its name as one.
    """

    def decorate(cls: type[T]) -> type[T]:
        if cls.__doc__ is None:
            # The standard decorator would write a signature, which takes longer than all the rest.
            cls.__doc__ = cls.__name__
        inherits = any(map(dataclasses.is_dataclass, cls.__mro__[1:]))
        # Without `frozen`, nothing is left that the standard library would compile.  A class that inherits
        # needs it, since the standard decorator compares it with that of the base.
        dataclasses.dataclass(init=False, eq=False, repr=False, frozen=frozen and inherits)(cls)
        vars(cls)["__dataclass_params__"].frozen = frozen
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]
        own = vars(cls)
        defines_hash = own.get("__hash__") is not None or ("__hash__" in own and "__eq__" not in own)
        if "__init__" not in own:
            _add(cls, "__init__", _first_init(cls, frozen))
        if repr and "__repr__" not in own:
            _add(cls, "__repr__", _repr([field.name for field in fields if field.repr]))
        if eq:
            if "__eq__" not in own:
                _add(cls, "__eq__", _eq(_key(field.name for field in fields if field.compare)))
            if not defines_hash:
                hashed = [f.name for f in fields if (f.compare if f.hash is None else f.hash)]
                if frozen:
                    _add(cls, "__hash__", _hash(_key(hashed)))
                else:
                    cls.__hash__ = None  # type: ignore[assignment]
        if frozen:
            names = frozenset(field.name for field in fields)
            _add(cls, "__setattr__", _setattr(cls, names))
            _add(cls, "__delattr__", _delattr(cls, names))
        return cls

    return decorate if cls is None else decorate(cls)


def _add(cls: type[Any], name: str, method: Callable[..., object]) -> None:
    method.__name__ = name
    method.__qualname__ = f"{cls.__qualname__}.{name}"
    setattr(cls, name, method)


_UNCOMPILED = 16
"""Instances of a class before its `__init__` is compiled, which takes as long as to make tens of them."""


def _first_init(cls: type[Any], frozen: bool) -> Callable[..., None]:
    """An `__init__` that later puts the compiled one in its place; two threads may both compile it.

    That happens after some instances, or for arguments that do not fit, so that the error is as ever.
    """
    assign: Callable[[object, str, object], None] = object.__setattr__ if frozen else setattr
    made = 0

    def first_init(self: object, *args: object, **kwargs: object) -> None:
        nonlocal made
        made += 1
        values = _values(cls, args, kwargs) if made <= _UNCOMPILED else None
        if values is None:
            compiled = _init(cls, frozen)
            _add(cls, "__init__", compiled)
            compiled(self, *args, **kwargs)
            return
        for name, value in values.items():
            assign(self, name, value)
        if hasattr(cls, "__post_init__"):
            self.__post_init__()  # type: ignore[attr-defined]

    return first_init


def _values(cls: type[Any], args: Sequence[object], kwargs: Mapping[str, object]) -> dict[str, object] | None:
    """The values of an instance's fields; None for arguments that the class does not take."""
    values: dict[str, object] = {}
    given = 0
    left = len(args) + len(kwargs)
    for field in dataclasses.fields(cls):
        name = field.name
        if field.init and given < len(args):
            values[name] = args[given]
            given += 1
            left -= 1
        elif field.init and name in kwargs:
            values[name] = kwargs[name]
            left -= 1
        elif field.default_factory is not dataclasses.MISSING:
            values[name] = field.default_factory()
        elif field.init and field.default is not dataclasses.MISSING:
            values[name] = field.default
        elif field.init:
            return None
    return None if left else values


def _init(cls: type[Any], frozen: bool) -> Callable[..., None]:
    parameters, lines = ["_self"], []
    names: dict[str, Any] = {"_set": object.__setattr__, "_MISSING": dataclasses.MISSING}
    for field in dataclasses.fields(cls):
        name, value = field.name, field.name
        if field.default_factory is not dataclasses.MISSING:
            names[f"_default_{name}"] = field.default_factory
            value = f"_default_{name}()"
            if field.init:
                parameters.append(f"{name}=_MISSING")
                value = f"{value} if {name} is _MISSING else {name}"
        elif not field.init:
            continue
        elif field.default is not dataclasses.MISSING:
            names[f"_default_{name}"] = field.default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        lines.append(f"_set(_self, {name!r}, {value})" if frozen else f"_self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("_self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines or ["pass"]), names)
    init: Callable[..., None] = names["__init__"]
    return init


def _key(names: Iterable[str]) -> Key:
    """Reads the fields of an instance as a tuple, also where there is one or none."""
    names = tuple(names)
    if len(names) > 1:
        return attrgetter(*names)
    return lambda instance: tuple(getattr(instance, name) for name in names)


def _repr(names: Iterable[str]) -> Callable[[object], str]:
    @recursive_repr("...")
    def show(self: object) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({values})"

    return show


def _eq(key: Key) -> Callable[[object, object], bool]:
    def equal(self: object, other: object) -> bool:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    return equal


def _hash(key: Key) -> Callable[[object], int]:
    def hash_of(self: object) -> int:
        return hash(key(self))

    return hash_of


def _setattr(cls: type[Any], names: frozenset[str]) -> Callable[[object, str, object], None]:
    def refuse_assignment(self: object, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    return refuse_assignment


def _delattr(cls: type[Any], names: frozenset[str]) -> Callable[[object, str], None]:
    def refuse_deletion(self: object, name: str) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return refuse_deletion


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = _dataclass
