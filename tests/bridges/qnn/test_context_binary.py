"""Stored context models: damage, and the nodes that the CPU would run."""

from __future__ import annotations

import pytest
from onnx import TensorProto, helper

from lite.bridges.qnn.context_binary import elsewhere, pack, unpack
from lite.errors import CompileError
from lite.plugin.device import Evidence


def context_model(*types: str) -> bytes:
    nodes = [
        helper.make_node(t, [f"v{n}"], [f"v{n + 1}"], domain="com.microsoft" if t == "EPContext" else "")
        for n, t in enumerate(types)
    ]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in ("v0", f"v{len(types)}")]
    data: bytes = helper.make_model(helper.make_graph(nodes, "g", ends[:1], ends[1:])).SerializeToString()
    return data


def test_the_stored_model_has_the_shapes_of_its_outputs() -> None:
    import onnx

    model = onnx.load_model_from_string(unpack(pack(context_model("EPContext"), "[[1]]")))
    assert {each.key: each.value for each in model.metadata_props} == {"litebridge.output_shapes": "[[1]]"}


@pytest.mark.parametrize("damage", [b"", b"not a model", None])
def test_damaged_bytes_are_refused(damage: bytes | None) -> None:
    blob = pack(context_model("EPContext"), "[[1]]")
    changed = blob[:-1] + bytes([blob[-1] ^ 1]) if damage is None else damage
    with pytest.raises(CompileError, match=r"^qnn: "):
        unpack(changed)


@pytest.mark.parametrize(
    ("types", "problem"),
    [
        (("EPContext",), ""),
        (("EPContext", "Erf", "EPContext"), "x: not all work is done on the device: Erf on the CPU"),
        (("Erf",), "x: not all work is done on the device: Erf on the CPU"),
    ],
)
def test_a_node_beside_the_binaries_is_work_on_the_cpu(types: tuple[str, ...], problem: str) -> None:
    count, others = elsewhere(context_model(*types))
    assert count == types.count("EPContext")
    assert Evidence("x", count, others).problem() == problem
