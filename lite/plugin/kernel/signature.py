"""Reads a kernel's slots and attributes from its function, and checks that they fit the op."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any

from lite.dataclass import dataclass
from lite.errors import PluginError, suggest
from lite.ir.attributes import Attributes, record_fields, type_name
from lite.ir.program import AttrType, AttrValue
from lite.ir.types import Place
from lite.ops.schema import LOD_BY_KERNEL, SCHEMAS, OpSchema
from lite.plugin.kernel.prepare import KernelFunction

RESERVED = ("out", "lods", "metas")
"""Keyword parameters of kernels that are not attributes."""

Keywords = Callable[[Mapping[str, AttrValue]], dict[str, Any]]
"""Returns a kernel's keyword arguments for the attributes of an op."""

_TYPES: Mapping[object, frozenset[AttrType]] = {
    int: frozenset({AttrType.INT, AttrType.LONG}),
    float: frozenset({AttrType.FLOAT, AttrType.FLOAT64}),
    bool: frozenset({AttrType.BOOLEAN}),
    str: frozenset({AttrType.STRING}),
    tuple[int, ...]: frozenset({AttrType.INTS, AttrType.LONGS}),
    tuple[float, ...]: frozenset({AttrType.FLOATS, AttrType.FLOAT64S}),
}
"""The types of attributes that a dataclass field of each type can hold."""


@dataclass(frozen=True)
class Signature:
    """The parameters of a kernel: slots by position, attributes and `reserved` names by keyword."""

    slots: tuple[str, ...]
    attrs: tuple[str, ...]
    reserved: frozenset[str]
    keywords: Keywords


class Registration:
    """A kernel that is being registered: its op's schema, its module, and its name in messages (`where`).

    The constructor and the methods that check raise `PluginError` with file, line, op and the problem.
    """

    def __init__(self, op: str, place: Place, function: KernelFunction) -> None:
        self.op = op
        self.function = function
        definition = _definition(function)
        self.module = definition.__module__
        self.where = f"{_location(definition)}: kernel {op} ({place})"
        schema = SCHEMAS.get(op)
        if schema is None:
            raise self.error(f"no op of that name has a schema{suggest(op, SCHEMAS)}")
        self.schema: OpSchema = schema

    def error(self, problem: str) -> PluginError:
        """An error that names the kernel's file, line, op and place."""
        return PluginError(f"{self.where}: {problem}")

    def signature(self, slots: Sequence[str] | None, record: type | None) -> Signature:
        """The signature of a function on arrays.

        `slots` replace the names of positional parameters; `record` is the type of the parameter ``attrs``.
        """
        positional, keyword = self._parameters(takes_any_slots=slots is not None)
        slots = positional if slots is None else slots
        self.check_slots(slots)
        names = [name for name in keyword if name not in RESERVED]
        reserved = frozenset(keyword) - set(names)
        if record is None:
            self._check_attributes(names, "parameter")
            return Signature(tuple(slots), tuple(names), reserved, functools.partial(_by_name, names))
        if names != ["attrs"]:
            found = ", ".join(names) or "none"
            raise self.error(
                f"with attrs={record.__name__} the function takes one keyword parameter 'attrs' "
                f"besides {', '.join(RESERVED)}; found: {found}"
            )
        names = self._record_names(record)
        return Signature(tuple(slots), tuple(names), reserved, functools.partial(_as_record, self.op, record))

    def check_slots(self, slots: Iterable[str]) -> None:
        """Check that all of them are input slots of the op."""
        known = self.schema.inputs
        for name in slots:
            if name not in known:
                raise self.error(
                    f"{name!r} is not an input slot of {self.op}{suggest(name, known)}; "
                    f"it has {', '.join(known)}"
                )

    def check_packs(self, packs: Iterable[str], slots: Collection[str]) -> None:
        """Check that the kernel receives all packed slots."""
        for name in packs:
            if name not in slots:
                raise self.error(f"packs {name!r}, which is not among its slots: {', '.join(slots)}")

    def check_fallback(self, target: str, fallback: str) -> None:
        """Check that the function can be a `prepare` with this fallback."""
        if fallback == target:
            raise self.error(f"its fallback {fallback!r} is its own target")
        if self.schema.lod == LOD_BY_KERNEL:
            raise self.error(f"kernels of {self.op} return LoDs, so it cannot have a fallback")
        required = _required_parameters(self.function)
        if len(required) != 1 or required[0] in self.schema.inputs:
            names = ", ".join(required) or "nothing"
            raise self.error(
                "with fallback= the decorated function is `prepare`: it takes one PrepareContext; "
                f"this one takes {names}"
            )

    def _parameters(self, *, takes_any_slots: bool) -> tuple[list[str], list[str]]:
        plain = _plain_code(self.function)
        if plain is not None:
            first, count = plain.co_argcount, plain.co_argcount + plain.co_kwonlyargcount
            return list(plain.co_varnames[:first]), list(plain.co_varnames[first:count])
        positional: list[str] = []
        keyword: list[str] = []
        for parameter in inspect.signature(self.function).parameters.values():
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
                keyword.append(parameter.name)
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                raise self.error(
                    f"**{parameter.name} names no attributes; use attrs= with a dataclass or `Attributes`"
                )
            elif parameter.kind is not inspect.Parameter.VAR_POSITIONAL:
                positional.append(parameter.name)
            elif not takes_any_slots:
                raise self.error(f"*{parameter.name} names no input slots; list them with slots=")
        return positional, keyword

    def _check_attributes(self, names: Iterable[str], what: str) -> None:
        known = self.schema.attrs
        for name in names:
            if name not in known:
                raise self.error(
                    f"{what} {name!r} is not an attribute of {self.op}{suggest(name, known)}; "
                    f"it has {', '.join(known) or 'none'}"
                )

    def _record_names(self, record: type) -> list[str]:
        if record is Attributes:
            return list(self.schema.attrs)
        try:
            fields = record_fields(record)
        except TypeError as error:
            raise self.error(f"attrs={record.__name__}: {error}") from error
        self._check_attributes(fields, f"field of {record.__name__}")
        for name, kind in fields.items():
            attribute = self.schema.attrs[name].type
            if attribute not in _TYPES[kind]:
                field = f"{record.__name__}.{name} is {type_name(kind)}"
                raise self.error(f"{field}, but the attribute of {self.op} is {attribute.name}")
        return list(fields)


def _by_name(names: Sequence[str], attrs: Mapping[str, AttrValue]) -> dict[str, Any]:
    return {name: attrs[name] for name in names}


def _as_record(op: str, record: type, attrs: Mapping[str, AttrValue]) -> dict[str, Any]:
    values = Attributes(op, attrs)
    return {"attrs": values if record is Attributes else values.read(record)}


def _plain_code(function: KernelFunction) -> CodeType | None:
    """The code of a function without ``*`` and ``**``; None for other functions and for partial ones.

    It has all that `inspect.signature` finds, which takes forty times as long: a start registers hundreds.
    """
    if type(function) is not FunctionType or hasattr(function, "__wrapped__"):
        return None
    code = function.__code__
    return None if code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS) else code


def _required_parameters(function: KernelFunction) -> list[str]:
    """The names of the parameters without a default."""
    code = _plain_code(function)
    if code is not None and not code.co_kwonlyargcount:
        optional = len(function.__defaults__ or ())
        return list(code.co_varnames[: code.co_argcount - optional])
    parameters = inspect.signature(function).parameters.values()
    return [each.name for each in parameters if each.default is inspect.Parameter.empty]


def _definition(function: KernelFunction) -> KernelFunction:
    """The function that a `functools.partial` or a wrapper calls."""
    while isinstance(function, functools.partial):
        function = function.func
    definition: KernelFunction = inspect.unwrap(function)
    return definition


def _location(function: KernelFunction) -> str:
    """File and line of a function, or its module."""
    code = getattr(function, "__code__", None)
    return function.__module__ if code is None else f"{code.co_filename}:{code.co_firstlineno}"
