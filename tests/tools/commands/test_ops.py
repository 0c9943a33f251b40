"""Op types that `litebridge ops` lists."""

from __future__ import annotations

from lite.ops import SCHEMAS
from tests.tools.tiny_model import call, call_json

CAST = {
    "name": "cast",
    "about": "X in another element type.",
    "traits": ["elementwise", "layout-agnostic"],
    "inputs": [
        {"name": "X", "optional": False, "repeated": False, "kind": "any", "rank": None},
    ],
    "outputs": [
        {"name": "Out", "optional": False, "repeated": False, "kind": "any", "rank": None},
    ],
    "attrs": [
        {"name": "in_dtype", "type": "int", "default": -1, "choices": [], "low": None, "high": None},
        {"name": "out_dtype", "type": "int", "default": None, "choices": [], "low": None, "high": None},
    ],
    "lod": "X",
    "view": {},
    "inplace": {},
    "effect": False,
    "foldable": True,
    "control_flow": False,
    "canonical": None,
    "targets": ["cpu", "host"],
}

RESHAPE = """\
op            reshape
about         Old spelling of reshape2.
traits        movement, reshape
becomes       reshape2
targets       -
"""

CAST_TEXT = """\
op            cast
about         X in another element type.
traits        elementwise, layout-agnostic
becomes       -
targets       cpu, host
LoD           from X
view          -
in place      -
effect        no
random        no
control flow  no

inputs
slot  optional  repeated  dtypes  rank
X     no        no        any     any

outputs
slot  optional  repeated  dtypes  rank
Out   no        no        any     any

attributes
attribute  type  default   values
in_dtype   int   -1        any
out_dtype  int   required  any
"""


def test_the_document_describes_one_op() -> None:
    row = call_json("ops", "cast")
    dtypes = [slot.pop("dtypes") for slot in (*row["inputs"], *row["outputs"])]
    assert row == CAST
    assert all("float32" in names and names == sorted(names) for names in dtypes)


def test_the_output_describes_one_op() -> None:
    assert call("ops", "cast").stdout == CAST_TEXT


def test_an_op_names_its_canonical_op() -> None:
    assert call("ops", "reshape").stdout.startswith(RESHAPE)


def test_the_list_has_every_op_in_order() -> None:
    assert [row["name"] for row in call_json("ops")] == sorted(SCHEMAS)
    lines = call("ops", "--wide").stdout.splitlines()
    assert lines[0].split() == [
        "op",
        "about",
        "inputs",
        "->",
        "outputs",
        "becomes",
        "targets",
        "notes",
        "attributes",
    ]
    assert [line.split()[0] for line in lines[1 : len(SCHEMAS) + 1]] == sorted(SCHEMAS)
    assert lines[-1] == f"{len(SCHEMAS)} op types"
    (cast,) = (line for line in lines if line.startswith("cast "))
    assert " ".join(cast.split()) == (
        "cast X in another element type. X -> Out cpu, host lod=X in_dtype=-1 out_dtype!"
    )
    (loop,) = (line for line in lines if line.startswith("while "))
    assert "control flow" in loop


def test_an_unknown_op_is_an_error_with_near_names() -> None:
    result = call("ops", "relux")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("litebridge: unknown op 'relux'; did you mean 'relu")
    assert result.stderr.endswith("; litebridge ops lists them\n")
