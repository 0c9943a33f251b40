"""Traits and descriptions of op schemas."""

from __future__ import annotations

import pytest

from lite.ops import SCHEMAS, Trait, get_schema, has_trait, ops_with

each_op = pytest.mark.parametrize("name", sorted(SCHEMAS))


@each_op
def test_every_op_has_a_description_of_one_line(name: str) -> None:
    about = get_schema(name).about

    assert about.endswith(".")
    assert "\n" not in about
    assert "|" not in about.replace("|X|", "")
    assert 3 <= len(about) <= 100


@each_op
def test_an_old_spelling_says_so(name: str) -> None:
    schema = get_schema(name)

    assert schema.about.startswith("Old spelling of ") == (schema.canonical is not None)
    if schema.canonical is not None:
        assert schema.about.split()[3].strip(",.") == schema.canonical.op


def test_traits_imply_others() -> None:
    for name in ops_with(Trait.ACTIVATION) | ops_with(Trait.ARITHMETIC):
        assert {Trait.ELEMENTWISE, Trait.LAYOUT_AGNOSTIC} <= get_schema(name).traits
    for name in ops_with(Trait.RESHAPE):
        assert Trait.MOVEMENT in get_schema(name).traits


def test_slots_and_attributes_that_traits_promise() -> None:
    for name in ops_with(Trait.ACTIVATION):
        schema = get_schema(name)
        assert (list(schema.inputs), list(schema.outputs)) == (["X"], ["Out"])
        assert all(isinstance(attr.default, float | bool) for attr in schema.attrs.values()), name
    for name in ops_with(Trait.ARITHMETIC):
        assert (list(get_schema(name).inputs), get_schema(name).attrs["axis"].default) == (["X", "Y"], -1)
        assert f"fusion_{name}_activation" in SCHEMAS
    for name in ops_with(Trait.REDUCTION):
        assert {"dim", "keep_dim", "reduce_all"} <= get_schema(name).attrs.keys()
    for name in ops_with(Trait.COMMUTATIVE):
        assert {"X", "Y"} <= get_schema(name).inputs.keys()
    for name in ops_with(Trait.MOVEMENT):
        assert {"X", "Input"} & get_schema(name).inputs.keys(), name


@pytest.mark.parametrize(
    ("op", "trait", "expected"),
    [
        ("relu", Trait.ACTIVATION, True),
        ("prelu", Trait.ACTIVATION, False),
        ("elementwise_sub", Trait.COMMUTATIVE, False),
        ("elementwise_max", Trait.COMMUTATIVE, True),
        ("softmax", Trait.ELEMENTWISE, False),
        ("cast", Trait.ELEMENTWISE, True),
        ("reshape2", Trait.RESHAPE, True),
        ("transpose2", Trait.RESHAPE, False),
        ("arg_max", Trait.REDUCTION, False),
        ("nonsense", Trait.ELEMENTWISE, False),
    ],
)
def test_has_trait_is_false_for_an_unknown_op(op: str, trait: Trait, expected: bool) -> None:
    assert has_trait(op, trait) == expected
