"""Plans as plain data: what comes back is equal, type by type."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.cache.array_table import ArrayWriter, NotKeptError, read_arrays
from lite.cache.plan_serde import plan_of, plan_record
from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.ir.text import print_graph
from lite.ir.types import Array
from lite.plan import Instruction, Plan
from lite.plugin.device import CompiledModel, Device, Memory, NoOptions, Settings, Signature
from lite.session.build import optimize
from tests.lite.small_convnet import convnet
from tests.suite.reference_models import FOLDER, reference_models

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


def back(plan: Plan, devices: tuple[Device[Any], ...] = ()) -> Plan:
    """A plan through JSON."""
    writer = ArrayWriter()
    record = json.loads(json.dumps(plan_record(plan, writer)))
    arrays = read_arrays(writer.table, memoryview(bytes(writer.content())))
    return plan_of(record, arrays, devices)


def assert_same(first: Plan, second: Plan) -> None:
    """Equal in everything, and in the types of attributes."""
    assert set(first.constants) == set(second.constants)
    for index, array in first.constants.items():
        found: Array = second.constants[index]
        assert found.dtype == array.dtype
        assert steps(found) == steps(array)
        np.testing.assert_array_equal(found, array)
    assert (first.name, first.values, first.args, first.results, first.result_names) == (
        (second.name, second.values, second.args, second.results, second.result_names)
    )
    assert (first.reads_lod, first.lod_sources) == (second.reads_lod, second.lod_sources)
    for mine, theirs in zip(first.instructions, second.instructions, strict=True):
        assert (mine.op, mine.inputs, mine.outputs, mine.place, mine.inplace) == (
            (theirs.op, theirs.inputs, theirs.outputs, theirs.place, theirs.inplace)
        )
        assert typed(dict(mine.attrs)) == typed(dict(theirs.attrs))
        for block, other in zip(mine.blocks, theirs.blocks, strict=True):
            assert_same(block, other)


def steps(array: Array) -> list[int]:
    """The strides of the axes that have any."""
    return [step for step, size in zip(array.strides, array.shape, strict=True) if size > 1]


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


@pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no reference models in {FOLDER.name}/")
@pytest.mark.parametrize("places", [["host"], ["cpu"]])
def test_plans_of_models_come_back(places: list[str]) -> None:
    for model in reference_models():
        plan = planned(lite.Config(model.path, valid_places=places))
        assert_same(plan, back(plan))


def with_attribute(value: Any) -> Plan:
    item = Instruction("relu", {"X": (0,)}, {"Out": (1,)}, {"a": value}, lite.Place())
    return Plan("main", (), (), (), (), (item,))


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_come_back(name: str) -> None:
    plan = with_attribute(ATTRIBUTES[name])
    assert_same(plan, back(plan))


@pytest.mark.parametrize("value", [b"bytes", None, {"a": 1}, object()])
def test_what_is_no_attribute_is_refused(value: object) -> None:
    with pytest.raises(NotKeptError, match="an attribute of type"):
        back(with_attribute(value))


class Opened(Device[NoOptions]):
    name = "sim_npu"
    has_memory = False

    def available(self) -> str | None:
        return None

    def version(self) -> str:
        return ""

    def compile(self, graph: Graph, signature: Signature) -> CompiledModel:
        raise CompileError("not asked for")

    def memory(self) -> Memory | None:
        return _NoMemory() if self.has_memory else None


class _NoMemory(Memory):
    def allocate(self, shape: tuple[int, ...], dtype: lite.DType) -> None:
        raise AssertionError

    def copy_in(self, handle: object, array: Array) -> None:
        raise AssertionError

    def copy_out(self, handle: object, array: Array) -> None:
        raise AssertionError


def test_regions_come_back(tmp_path: Path) -> None:
    lite.save_program(convnet(), tmp_path)
    plan = planned(lite.Config(tmp_path, devices=["sim_npu{max_ops=3}"]))
    device = Opened(NoOptions(), Settings())
    found = back(plan, (device,))
    assert_same(plan, found)
    regions = [(a.region, b.region) for a, b in zip(plan.instructions, found.instructions, strict=True)]
    assert len(regions) == 2
    for mine, theirs in regions:
        assert mine is not None
        assert theirs is not None
        assert print_graph(theirs.graph) == print_graph(mine.graph)
        assert (theirs.id, theirs.lod_sources, theirs.reads_lod) == (
            (mine.id, mine.lod_sources, mine.reads_lod)
        )
        assert theirs.device is device


def test_regions_of_a_device_that_changed(tmp_path: Path) -> None:
    lite.save_program(convnet(), tmp_path)
    plan = planned(lite.Config(tmp_path, devices=["sim_npu"]))
    device = Opened(NoOptions(), Settings())
    device.has_memory = True
    with pytest.raises(NotKeptError, match="device sim_npu has other memory than it had"):
        back(plan, (device,))
    with pytest.raises(NotKeptError, match="it holds no plan"):
        back(plan)


@pytest.mark.parametrize("damage", ["values", "instructions", "constants", "name"])
def test_a_record_that_lacks_something(damage: str) -> None:
    record = plan_record(with_attribute(1), ArrayWriter())
    del record[damage]
    with pytest.raises(NotKeptError, match="it holds no plan"):
        plan_of(record, [], [])
