"""Every schema refuses what does not fit it, naming the op and the slot or attribute."""

from __future__ import annotations

import re

import pytest

from lite.errors import GraphError
from lite.ir.program import AttrType, AttrValue
from lite.ops import SCHEMAS, Meta, OpSchema, check_slots, infer
from lite.ops.attrs import Attr
from lite.ops.slots import KINDS, Slot

NAMES = sorted(SCHEMAS)
each_op = pytest.mark.parametrize("name", NAMES)


def required_counts(slots: dict[str, Slot]) -> dict[str, int]:
    return {slot: 1 for slot, spec in slots.items() if not spec.optional}


def refused(schema: OpSchema, inputs: dict[str, int], outputs: dict[str, int]) -> str:
    with pytest.raises(GraphError) as caught:
        check_slots(schema, inputs, outputs)
    return str(caught.value)


@each_op
def test_wrong_slots_are_refused(name: str) -> None:
    schema = SCHEMAS[name]
    inputs, outputs = required_counts(dict(schema.inputs)), required_counts(dict(schema.outputs))
    check_slots(schema, inputs, outputs)
    assert refused(schema, {**inputs, "Nonsense": 1}, outputs).startswith(f"{name}: no input slot 'Nonsense'")
    assert refused(schema, inputs, {**outputs, "Nonsense": 1}).startswith(
        f"{name}: no output slot 'Nonsense'"
    )
    for slot, spec in schema.inputs.items():
        if not spec.optional:
            fewer = {other: count for other, count in inputs.items() if other != slot}
            assert refused(schema, fewer, outputs) == f"{name}: input slot {slot} is missing"
        if not spec.repeated:
            more = {**inputs, slot: 2}
            assert refused(schema, more, outputs) == f"{name}: input slot {slot} takes one value, got 2"


def fitting(spec: Slot) -> Meta:
    """A meta that the slot takes."""
    dtype = next(dtype for dtype in sorted(spec.dtypes, key=str) if dtype in spec.dtypes)
    return Meta(dtype, (1,) * spec.min_rank)


def refusal(schema: OpSchema, slot: str, meta: Meta) -> str:
    inputs = {other: [fitting(spec)] for other, spec in schema.inputs.items() if not spec.optional}
    attrs = {name: attr.default for name, attr in schema.attrs.items() if attr.default is not None}
    with pytest.raises(GraphError) as caught:
        infer(schema, {slot: [meta], **{k: v for k, v in inputs.items() if k != slot}}, attrs, {})
    return str(caught.value)


@each_op
def test_wrong_dtypes_and_ranks_are_refused(name: str) -> None:
    schema = SCHEMAS[name]
    for slot, spec in schema.inputs.items():
        for dtype in sorted(KINDS["any"] - spec.dtypes, key=str):
            message = refusal(schema, slot, Meta(dtype, (1,) * spec.min_rank))
            assert re.match(rf"{name}: slot {slot}: expected .*, got {dtype}", message)
        wrong = [spec.min_rank - 1] if spec.min_rank else []
        wrong += [] if spec.max_rank is None else [spec.max_rank + 1]
        for rank in wrong:
            message = refusal(schema, slot, Meta(fitting(spec).dtype, (1,) * rank))
            assert message.startswith(f"{name}: slot {slot}: expected rank {spec.rank_text()}, got ")


def bad_values(attr: Attr) -> list[AttrValue]:
    """Values that the attribute cannot have."""
    listed = attr.type.name.endswith("S")
    found: list[AttrValue] = []
    if attr.type not in (AttrType.STRING, AttrType.STRINGS, AttrType.SCALARS):
        found.append("a word")
    if attr.type in (AttrType.STRING, AttrType.STRINGS):
        found.append(1.5)
    if attr.choices:
        found.append("no such choice")
    if attr.low is not None:
        found.append([attr.low - 1] if listed else attr.low - 1)
    if attr.high is not None:
        found.append([attr.high + 1] if listed else attr.high + 1)
    return found


def given_attrs(schema: OpSchema) -> dict[str, AttrValue]:
    """The defaults; a word or 1 for what has none."""
    missing: dict[AttrType, AttrValue] = {AttrType.STRING: "word"}
    return {
        key: missing.get(attr.type, 1) if attr.default is None else attr.default
        for key, attr in schema.attrs.items()
    }


@each_op
def test_wrong_attributes_are_refused(name: str) -> None:
    schema = SCHEMAS[name]
    given = given_attrs(schema)
    for key, attr in schema.attrs.items():
        if attr.default is None:
            with pytest.raises(GraphError, match=f"^{name}: attribute {key} is missing and has no default$"):
                schema.attr_values({k: v for k, v in given.items() if k != key})
        for value in bad_values(attr):
            with pytest.raises(GraphError, match=f"^{name}: attribute {key}: expected "):
                schema.attr_values({**given, key: value})


@each_op
def test_defaults_are_values_that_the_attribute_takes(name: str) -> None:
    given = given_attrs(SCHEMAS[name])
    assert SCHEMAS[name].attr_values(given) == given
