"""Plans as JSON data and arrays: the plan read back is equal, in the types of its attributes, too."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.cache.array_blob import ArrayWriter, NotCacheableError, read_arrays
from lite.cache.entry import InvalidEntryError
from lite.cache.plan_serde import plan_from_record, plan_record
from lite.cache.shape_record import shape_of
from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.ir.text import print_graph
from lite.ir.types import Array
from lite.plan import Instruction, Plan
from lite.plugin.device import CompiledModel, Device, Memory, NoOptions, Settings, Signature
from lite.session.build import optimize
from tests.support.reference_models import reference_models
from tests.support.small_convnet import convnet

ATTRIBUTES: dict[str, Any] = {
    "true": True,
    "int": 7,
    "large": 2**63 - 1,
    "float": 0.1,
    "infinite": [math.inf, -math.inf],
    "text": 'a "b" \udcff é',
    "tuple": (1, (2.0, "x")),
    "complex": 1 + 2j,
    "numpy": np.float32(0.1),
    "numpy bool": np.bool_(True),
    "mixed": [1, 2.0, (3, np.int64(4))],
    "empty": [],
}


def read_back(plan: Plan, devices: tuple[Device[Any], ...] = ()) -> Plan:
    """A plan after writing it as JSON and reading it."""
    writer = ArrayWriter()
    record = json.loads(json.dumps(plan_record(plan, writer)))
    arrays = read_arrays(writer.table, memoryview(bytes(writer.content())))
    return plan_from_record(record, arrays, devices)


def assert_same(first: Plan, second: Plan) -> None:
    """Equal in everything, and in the types of attributes."""
    assert set(first.constants) == set(second.constants)
    for index, array in first.constants.items():
        read: Array = second.constants[index]
        assert read.dtype == array.dtype
        assert strides(read) == strides(array)
        np.testing.assert_array_equal(read, array)
    assert (first.name, first.values, first.args, first.results, first.result_names) == (
        (second.name, second.values, second.args, second.results, second.result_names)
    )
    assert (first.reads_lod, first.lod_sources) == (second.reads_lod, second.lod_sources)
    for item, other_item in zip(first.instructions, second.instructions, strict=True):
        assert (item.op, item.inputs, item.outputs, item.place, item.inplace) == (
            (other_item.op, other_item.inputs, other_item.outputs, other_item.place, other_item.inplace)
        )
        assert typed(dict(item.attrs)) == typed(dict(other_item.attrs))
        for block, other in zip(item.blocks, other_item.blocks, strict=True):
            assert_same(block, other)


def strides(array: Array) -> list[int]:
    """The strides of the axes with more than one element."""
    return [stride for stride, size in zip(array.strides, array.shape, strict=True) if size > 1]


def typed(value: object) -> object:
    if isinstance(value, dict):
        return {key: typed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value), [typed(item) for item in value]
    return type(value), repr(value)


def planned(config: lite.Config) -> Plan:
    plan = optimize(lite.load_program(config), config).context.results.plan
    assert plan is not None
    return plan


@pytest.mark.parametrize("places", [["host"], ["cpu"]])
def test_plans_of_reference_models_are_read_back(places: list[str]) -> None:
    for model in reference_models():
        plan = planned(lite.Config(model.path, valid_places=places))
        assert_same(plan, read_back(plan))


def with_attribute(value: Any) -> Plan:
    item = Instruction("relu", {"X": (0,)}, {"Out": (1,)}, {"a": value}, lite.Place())
    return Plan("main", (), (), (), (), (item,))


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_are_read_back_with_their_types(name: str) -> None:
    plan = with_attribute(ATTRIBUTES[name])
    assert_same(plan, read_back(plan))


@pytest.mark.parametrize("value", [b"bytes", None, {"a": 1}, object()])
def test_a_value_that_is_not_an_attribute_is_refused(value: object) -> None:
    with pytest.raises(NotCacheableError, match="an attribute of type"):
        read_back(with_attribute(value))


class OpenedDevice(Device[NoOptions]):
    name = "sim_npu"
    has_memory = False

    def available(self) -> str | None:
        return None

    def version(self) -> str:
        return ""

    def compile(self, graph: Graph, signature: Signature) -> CompiledModel:
        raise CompileError("this device compiles nothing")

    def memory(self) -> Memory | None:
        return _NoMemory() if self.has_memory else None


class _NoMemory(Memory):
    def allocate(self, shape: tuple[int, ...], dtype: lite.DType) -> None:
        raise AssertionError

    def copy_in(self, handle: object, array: Array) -> None:
        raise AssertionError

    def copy_out(self, handle: object, array: Array) -> None:
        raise AssertionError


def test_regions_are_read_back_for_the_opened_device(tmp_path: Path) -> None:
    lite.save_program(convnet(), tmp_path)
    plan = planned(lite.Config(tmp_path, devices=["sim_npu{max_ops=3}"]))
    device = OpenedDevice(NoOptions(), Settings())
    read = read_back(plan, (device,))
    assert_same(plan, read)
    regions = [(a.region, b.region) for a, b in zip(plan.instructions, read.instructions, strict=True)]
    assert len(regions) == 2
    for region, restored in regions:
        assert region is not None
        assert restored is not None
        assert print_graph(restored.graph) == print_graph(region.graph)
        assert (restored.id, restored.lod_sources, restored.reads_lod) == (
            (region.id, region.lod_sources, region.reads_lod)
        )
        assert restored.device is device


def test_regions_of_a_changed_or_missing_device_are_refused(tmp_path: Path) -> None:
    lite.save_program(convnet(), tmp_path)
    plan = planned(lite.Config(tmp_path, devices=["sim_npu"]))
    device = OpenedDevice(NoOptions(), Settings())
    device.has_memory = True
    with pytest.raises(
        InvalidEntryError, match="device sim_npu has a memory of its own, unlike when the plan was stored"
    ):
        read_back(plan, (device,))
    with pytest.raises(InvalidEntryError, match="it holds no valid plan"):
        read_back(plan)


@pytest.mark.parametrize("damage", ["values", "instructions", "constants", "name"])
def test_a_record_without_a_field_is_refused(damage: str) -> None:
    record = plan_record(with_attribute(1), ArrayWriter())
    del record[damage]
    with pytest.raises(InvalidEntryError, match="it holds no valid plan"):
        plan_from_record(record, [], [])


@pytest.mark.parametrize("shape", [None, [], [1, "N"], ["?", 0]])
def test_shapes_are_lists_of_sizes_and_names(shape: list[Any] | None) -> None:
    assert shape_of(shape) == (None if shape is None else tuple(shape))


@pytest.mark.parametrize("size", [False, 1.0, None, [1]])
def test_a_size_of_another_type_is_refused(size: object) -> None:
    with pytest.raises(ValueError, match="expected an integer or a name"):
        shape_of([2, size])
