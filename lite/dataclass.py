"""`dataclass` of the standard library, most of whose work is done when a class is first used.

The standard decorator looks at each field and compiles up to six methods from text, which was a fifth of the
instructions of a start of the engine.  Here the fields are made when they are first asked for, and each
method at its first call; `__init__` is compiled when a class has some instances.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["dataclass"]

T = TypeVar("T")
Key = Callable[[object], tuple[object, ...]]
Method = Callable[..., Any]

_FIELDS, _PARAMETERS, _MATCH_ARGS = "__dataclass_fields__", "__dataclass_params__", "__match_args__"

_STATE = "__dataclass_state__"
"""The attribute of a class that holds its `_State`."""

_UNCOMPILED = 16
"""Instances of a class before its `__init__` is compiled, which takes as long as to make tens of them."""


def _dataclass(
    cls: type[T] | None = None, /, *, frozen: bool = False, eq: bool = True, repr: bool = True
) -> type[T] | Callable[[type[T]], type[T]]:
    """Make a dataclass; `frozen`, `eq` and `repr` are those of `dataclasses.dataclass`.

    `InitVar` and `KW_ONLY` are not supported.  A class without a docstring gets its name as one.
    """

    def decorate(cls: type[T]) -> type[T]:
        if cls.__doc__ is None:
            # The standard decorator would write a signature, which takes longer than all the rest.
            cls.__doc__ = cls.__name__
        own = vars(cls)
        defines_hash = own.get("__hash__") is not None or ("__hash__" in own and "__eq__" not in own)
        setattr(cls, _STATE, _State(frozen))
        if any(_FIELDS in vars(base) for base in cls.__mro__[1:]):
            _make_fields(cls)  # raises the errors of a class that must not inherit
        else:
            for name, attribute in _DEFERRED.items():
                if name not in own:
                    setattr(cls, name, attribute)
        methods: dict[str, Method] = {"__init__": _first_init}
        if repr:
            methods["__repr__"] = _first_repr
        if eq:
            methods["__eq__"] = _first_eq
        for name, method in methods.items():
            if name not in own:
                setattr(cls, name, method)
        if eq and not defines_hash:
            cls.__hash__ = _first_hash if frozen else None  # type: ignore[assignment]
        if frozen:
            cls.__setattr__ = _refuse_assignment  # type: ignore[method-assign]
            cls.__delattr__ = _refuse_deletion  # type: ignore[method-assign]
        return cls

    return decorate if cls is None else decorate(cls)


class _State:
    """Whether a class is frozen, how many instances it has had, and its defaults once they are known."""

    __slots__ = ("defaults", "frozen", "made")

    def __init__(self, frozen: bool) -> None:
        self.frozen = frozen
        self.made = 0
        self.defaults: Mapping[str, object] | None = None


class _Deferred:
    """An attribute that the standard decorator makes, at the first time that it is read."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type[Any]) -> object:
        cls = next((base for base in owner.__mro__ if vars(base).get(self._name) is self), None)
        if cls is not None:  # another thread may have made it meanwhile
            _make_fields(cls)
        return getattr(owner, self._name)


_DEFERRED = {name: _Deferred(name) for name in (_FIELDS, _PARAMETERS, _MATCH_ARGS)}
_making = threading.RLock()


def _make_fields(cls: type[Any]) -> None:
    """Let the standard decorator make the fields of a class, and nothing that it compiles."""
    with _making:
        own, frozen = vars(cls), vars(cls)[_STATE].frozen
        if own.get(_FIELDS, _DEFERRED[_FIELDS]) is not _DEFERRED[_FIELDS]:
            return
        inherits = any(_FIELDS in vars(base) for base in cls.__mro__[1:])
        if own.get(_MATCH_ARGS) is _DEFERRED[_MATCH_ARGS]:
            delattr(cls, _MATCH_ARGS)
        # The standard decorator compares `frozen` with that of the base.
        dataclasses.dataclass(init=False, eq=False, repr=False, frozen=frozen and inherits)(cls)
        own[_PARAMETERS].frozen = frozen


def _owner(instance: object, name: str, method: Method) -> type[Any] | None:
    """The class that an instance has a method from; None if that has been replaced."""
    return next((base for base in type(instance).__mro__ if vars(base).get(name) is method), None)


def _first(name: str, make: Callable[[type[Any]], Method]) -> Method:
    """A method that puts the one that `make` makes for its class in its own place."""

    def first(self: object, *args: object) -> object:
        cls = _owner(self, name, first)
        if cls is not None:
            _add(cls, name, make(cls))
        return getattr(type(self), name)(self, *args)

    return first


def _add(cls: type[Any], name: str, method: Method) -> None:
    method.__name__ = name
    method.__qualname__ = f"{cls.__qualname__}.{name}"
    setattr(cls, name, method)


def _first_init(self: object, *args: object, **kwargs: object) -> None:
    """An `__init__` that later puts the compiled one in its place; two threads may both compile it.

    That happens after some instances, or for arguments that do not fit, so that the error is as ever.
    """
    cls = _owner(self, "__init__", _first_init)
    if cls is None:
        type(self).__init__(self, *args, **kwargs)
        return
    state = vars(cls)[_STATE]
    state.made += 1
    if state.defaults is None:
        state.defaults = _defaults(cls)
    values = _values(state.defaults, args, kwargs) if state.made <= _UNCOMPILED else None
    if values is None:
        compiled = _init(cls, state.defaults, state.frozen)
        _add(cls, "__init__", compiled)
        compiled(self, *args, **kwargs)
        return
    assign: Callable[[object, str, object], None] = object.__setattr__ if state.frozen else setattr
    for name, value in values.items():
        assign(self, name, value)
    if hasattr(cls, "__post_init__"):
        self.__post_init__()  # type: ignore[attr-defined]


def _defaults(cls: type[Any]) -> Mapping[str, object]:
    """By field: its default, MISSING without one, or a `Field` that says more."""
    own = vars(cls)
    annotations = own.get("__annotations__", {})
    if own[_FIELDS] is not _DEFERRED[_FIELDS] or not all(
        isinstance(each, str) for each in annotations.values()
    ):
        return {field.name: field for field in dataclasses.fields(cls)}
    return {
        name: own.get(name, MISSING)
        for name, annotation in annotations.items()
        if not annotation.startswith(("ClassVar", "typing.ClassVar"))
    }


def _described(default: object) -> tuple[bool, Callable[[], object] | None, object]:
    """Whether `__init__` takes a field with this default, what makes its default, and the default itself."""
    if not isinstance(default, dataclasses.Field):
        return True, None, default
    factory = default.default_factory
    return default.init, None if factory is MISSING else factory, default.default


def _values(
    defaults: Mapping[str, object], args: Sequence[object], kwargs: Mapping[str, object]
) -> dict[str, object] | None:
    """The values of an instance's fields; None for arguments that the class does not take."""
    values: dict[str, object] = {}
    given = 0
    left = len(args) + len(kwargs)
    for name, default in defaults.items():
        is_taken, factory, default = _described(default)
        if is_taken and given < len(args):
            values[name] = args[given]
            given += 1
            left -= 1
        elif is_taken and name in kwargs:
            values[name] = kwargs[name]
            left -= 1
        elif factory is not None:
            values[name] = factory()
        elif is_taken and default is not MISSING:
            values[name] = default
        elif is_taken:
            return None
    return None if left else values


def _init(cls: type[Any], defaults: Mapping[str, object], frozen: bool) -> Method:
    parameters, lines = ["_self"], []
    names: dict[str, Any] = {"_set": object.__setattr__, "_MISSING": MISSING}
    for name, default in defaults.items():
        is_taken, factory, default = _described(default)
        value = name
        if factory is not None:
            names[f"_default_{name}"] = factory
            value = f"_default_{name}()"
            if is_taken:
                parameters.append(f"{name}=_MISSING")
                value = f"{value} if {name} is _MISSING else {name}"
        elif not is_taken:
            continue
        elif default is not MISSING:
            names[f"_default_{name}"] = default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        lines.append(f"_set(_self, {name!r}, {value})" if frozen else f"_self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("_self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines or ["pass"]), names)
    init: Method = names["__init__"]
    return init


def _key(names: Iterable[str]) -> Key:
    """Reads the fields of an instance as a tuple, also where there is one or none."""
    names = tuple(names)
    if len(names) > 1:
        return attrgetter(*names)
    return lambda instance: tuple(getattr(instance, name) for name in names)


def _repr(cls: type[Any]) -> Method:
    names = [field.name for field in dataclasses.fields(cls) if field.repr]

    @recursive_repr("...")
    def show(self: object) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({values})"

    return show


def _eq(cls: type[Any]) -> Method:
    key = _key(field.name for field in dataclasses.fields(cls) if field.compare)

    def equal(self: object, other: object) -> bool:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    return equal


def _hash(cls: type[Any]) -> Method:
    fields = dataclasses.fields(cls)
    key = _key(each.name for each in fields if (each.compare if each.hash is None else each.hash))

    def hash_of(self: object) -> int:
        return hash(key(self))

    return hash_of


_first_repr, _first_eq, _first_hash = (
    _first("__repr__", _repr),
    _first("__eq__", _eq),
    _first("__hash__", _hash),
)


def _refuse_assignment(self: object, name: str, value: object) -> None:
    base = _frozen_base(self, name, "__setattr__", _refuse_assignment, "assign to")
    super(base, self).__setattr__(name, value)


def _refuse_deletion(self: object, name: str) -> None:
    base = _frozen_base(self, name, "__delattr__", _refuse_deletion, "delete")
    super(base, self).__delattr__(name)


def _frozen_base(self: object, name: str, method: str, refuse: Method, action: str) -> type[Any]:
    """The last frozen class that an instance inherits from; raises for a field, and for a frozen instance."""
    frozen = [base for base in type(self).__mro__ if vars(base).get(method) is refuse]
    for base in frozen:
        if type(self) is base or any(name == field.name for field in dataclasses.fields(base)):
            raise dataclasses.FrozenInstanceError(f"cannot {action} field {name!r}")
    return frozen[-1]


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = _dataclass
