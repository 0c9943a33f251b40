"""Converts plans to JSON data and arrays, and back."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from lite.cache.array_blob import ArrayWriter, NotCacheableError
from lite.cache.entry import InvalidEntryError
from lite.cache.shape_record import shape_of
from lite.errors import LiteError
from lite.ir.graph import Graph
from lite.ir.program import AttrValue
from lite.ir.text import constant_key, constants_by_key, parse_graph, print_graph
from lite.ir.types import Array, DType, Layout, Place
from lite.plan import Instruction, Plan, Region, ValueInfo
from lite.plugin.boundary import at_boundary
from lite.plugin.device import Device, Memory

Record = dict[str, Any]


def plan_record(plan: Plan, arrays: ArrayWriter) -> Record:
    """A plan as JSON data, which refers to its constants by their numbers in `arrays`.

    Raises `NotCacheableError` for attributes and constants that an entry cannot hold.
    """
    return {
        "name": plan.name,
        "values": [_value_record(info) for info in plan.values],
        "args": plan.args,
        "results": plan.results,
        "result_names": plan.result_names,
        "instructions": [_instruction_record(item, arrays) for item in plan.instructions],
        "constants": [[index, arrays.add(array)] for index, array in plan.constants.items()],
        "reads_lod": plan.reads_lod,
        "lod_sources": plan.lod_sources,
    }


def plan_from_record(record: Record, arrays: Sequence[Array], devices: Sequence[Device[Any]]) -> Plan:
    """The plan that `plan_record` stored, with its regions on `devices`.

    Raises `InvalidEntryError` if the record is damaged or does not fit the devices.
    """
    try:
        return _Reader(arrays, {device.name: device for device in devices}).plan(record)
    except (LiteError, ValueError, TypeError, LookupError, AttributeError) as error:
        raise InvalidEntryError(f"it holds no valid plan: {error}") from error


def _value_record(info: ValueInfo) -> list[Any]:
    dtype = None if info.dtype is None else info.dtype.label
    lifetime = [info.first, info.last, info.root]
    return [info.name, dtype, info.shape, *lifetime, info.is_array, info.opaque, info.channels_last]


def _instruction_record(item: Instruction, arrays: ArrayWriter) -> list[Any]:
    return [
        item.op,
        dict(item.inputs),
        dict(item.outputs),
        {name: attribute_record(value) for name, value in item.attrs.items()},
        [
            item.place.target,
            None if item.place.dtype is None else item.place.dtype.label,
            str(item.place.layout),
        ],
        item.inplace,
        [plan_record(block, arrays) for block in item.blocks],
        None if item.region is None else _region_record(item.region, arrays),
    ]


def _region_record(region: Region, arrays: ArrayWriter) -> Record:
    constants = constants_by_key(region.graph)
    for inner in region.graph.walk(regions=True):
        for value in inner.constants.values():
            array = value.data
            keyed = None if array is None else constants.get(constant_key(array), array)
            if array is None or keyed is None or not _is_same(array, keyed):
                raise NotCacheableError(
                    f"region {region.id} has constants that its text form cannot distinguish"
                )
    return {
        "id": region.id,
        "device": region.device.name,
        "graph": print_graph(region.graph),
        "constants": {key: arrays.add(array) for key, array in constants.items()},
        "lod_sources": region.lod_sources,
        "reads_lod": region.reads_lod,
        "memory": region.memory is not None,
    }


def _is_same(array: Array, other: Array) -> bool:
    if array is other:
        return True
    if array.dtype != other.dtype or array.shape != other.shape:
        return False
    return array.dtype.kind == "O" or array.tobytes() == other.tobytes()


def attribute_record(value: AttrValue) -> Any:
    """The value itself if JSON keeps its type, otherwise ``{type: content}``.

    Raises `NotCacheableError` for values of other types.
    """
    kind: type[Any] = type(value)
    if kind in (bool, int, float, str):
        return value
    if isinstance(value, list | tuple):
        items = [attribute_record(item) for item in value]
        return items if kind is list else {"tuple": items}
    if isinstance(value, complex) and kind is complex:
        return {"complex": [value.real, value.imag]}
    if isinstance(value, np.generic):
        return {"numpy": [value.dtype.str, attribute_record(value.item())]}
    raise NotCacheableError(f"an attribute of type {kind.__name__} cannot be cached")


def attribute_of(record: Any) -> Any:
    """The value of an `attribute_record`; raises `ValueError`, `TypeError` or `LookupError`."""
    if isinstance(record, list):
        return [attribute_of(item) for item in record] if _is_nested(record) else record
    if not isinstance(record, dict):
        return record
    [(kind, content)] = record.items()
    return _DECODERS[kind](content)


def _is_nested(items: list[Any]) -> bool:
    return any(isinstance(item, dict | list) for item in items)


_DECODERS: Mapping[str, Callable[[Any], Any]] = {
    "tuple": lambda items: tuple(attribute_of(item) for item in items),
    "complex": lambda parts: complex(*parts),
    "numpy": lambda parts: np.dtype(parts[0]).type(attribute_of(parts[1])),
}


class _Reader:
    def __init__(self, arrays: Sequence[Array], devices: Mapping[str, Device[Any]]) -> None:
        self._arrays = arrays
        self._devices = devices
        self._places: dict[tuple[str, str | None, str], Place] = {}
        self._memory = functools.cache(_memory_of)

    def plan(self, record: Record) -> Plan:
        return Plan(
            record["name"],
            tuple([self._value(fields) for fields in record["values"]]),
            tuple(record["args"]),
            tuple(record["results"]),
            tuple(record["result_names"]),
            tuple([self._instruction(*fields) for fields in record["instructions"]]),
            {index: self._arrays[number] for index, number in record["constants"]},
            record["reads_lod"],
            tuple(record["lod_sources"]),
        )

    def _value(self, fields: Sequence[Any]) -> ValueInfo:
        name, dtype, shape, *lifetime, is_array, opaque, channels_last = fields
        first, last, root = lifetime
        return ValueInfo(
            name, _dtype(dtype), shape_of(shape), first, last, root, is_array, opaque, channels_last
        )

    def _instruction(
        self,
        op: str,
        inputs: Mapping[str, Sequence[int]],
        outputs: Mapping[str, Sequence[int]],
        attrs: Mapping[str, Any],
        place: Sequence[Any],
        inplace: Sequence[Sequence[int]],
        blocks: Sequence[Record],
        region: Record | None,
    ) -> Instruction:
        return Instruction(
            op,
            {slot: tuple(indices) for slot, indices in inputs.items()},
            {slot: tuple(indices) for slot, indices in outputs.items()},
            {name: attribute_of(value) for name, value in attrs.items()},
            self._place(*place),
            tuple([(out, reused) for out, reused in inplace]),
            tuple([self.plan(block) for block in blocks]),
            None if region is None else self._region(region),
        )

    def _place(self, target: str, dtype: str | None, layout: str) -> Place:
        key = target, dtype, layout
        if key not in self._places:
            self._places[key] = Place(target, _dtype(dtype), Layout(layout))
        return self._places[key]

    def _region(self, record: Record) -> Region:
        device = self._devices[record["device"]]
        memory = self._memory(device)
        if (memory is not None) != record["memory"]:
            has = "no" if memory is None else "a"
            raise InvalidEntryError(
                f"device {device.name} has {has} memory of its own, unlike when the plan was stored"
            )
        constants = {key: self._arrays[number] for key, number in record["constants"].items()}
        graph: Graph = parse_graph(record["graph"], constants)
        return Region(record["id"], device, graph, tuple(record["lod_sources"]), record["reads_lod"], memory)


def _dtype(label: str | None) -> DType | None:
    return None if label is None else DType.from_name(label)


def _memory_of(device: Device[Any]) -> Memory | None:
    return at_boundary(device.name, "opening its memory", device.memory)
