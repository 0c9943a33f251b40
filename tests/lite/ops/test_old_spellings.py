"""Old spellings of ops, and slots that stand for attributes."""

from __future__ import annotations

import pytest

from lite.ir.program import AttrValue
from lite.ops import SCHEMAS

Attrs = dict[str, AttrValue]


@pytest.mark.parametrize(
    ("old", "new", "attrs", "expected"),
    [
        ("top_k", "top_k_v2", {"k": 5}, {"k": 5, "axis": -1, "largest": True, "sorted": True}),
        ("expand", "tile", {"expand_times": [1, 2]}, {"repeat_times": [1, 2]}),
        ("fill_zeros_like", "fill_any_like", {}, {"value": 0.0, "dtype": -1}),
    ],
)
def test_attributes_of_an_old_spelling_are_translated(
    old: str, new: str, attrs: Attrs, expected: Attrs
) -> None:
    canonical = SCHEMAS[old].canonical
    assert canonical is not None
    assert canonical.op == new
    assert canonical.attrs is not None
    assert canonical.attrs(SCHEMAS[old].attr_values(attrs)) == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("reshape", "reshape2"),
        ("transpose", "transpose2"),
        ("squeeze", "squeeze2"),
        ("unsqueeze", "unsqueeze2"),
        ("flatten", "flatten2"),
        ("reverse", "flip"),
        ("share_data", "assign"),
        ("expand", "tile"),
        ("top_k", "top_k_v2"),
        ("fill_zeros_like", "fill_any_like"),
    ],
)
def test_every_slot_of_an_old_spelling_has_a_slot_in_the_new_one(old: str, new: str) -> None:
    canonical = SCHEMAS[old].canonical
    assert canonical is not None
    assert canonical.op == new
    assert {canonical.slots.get(slot, slot) for slot in SCHEMAS[old].inputs} <= set(SCHEMAS[new].inputs)
    assert set(SCHEMAS[old].outputs) <= set(SCHEMAS[new].outputs)


def test_attr_slots_name_slots_and_attributes_of_the_op() -> None:
    for schema in SCHEMAS.values():
        for slot, names in schema.attr_slots.items():
            assert slot in schema.inputs, schema.name
            assert ({names} if isinstance(names, str) else set(names)) <= set(schema.attrs), schema.name
