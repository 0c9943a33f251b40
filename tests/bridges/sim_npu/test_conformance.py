"""The conformance kit on the device: right, or declined with a sentence; never wrong."""

from __future__ import annotations

import functools
import itertools
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pytest

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import Array, DType
from lite.ops.infer_graph import infer_graph
from lite.plugin.bridge import BRIDGES
from lite.plugin.bridge_op import meta_of
from lite.plugin.convert import why_not
from lite.plugin.loader import load_all_bridges
from lite.tools.conformance import Case, read_cases
from tests.bridges.sim_npu.opened import opened

TOLERANCE = 1e-3
"""Largest difference, relative to the largest value of an output."""


@functools.cache
def bridged_ops() -> frozenset[str]:
    load_all_bridges("sim_npu")
    return frozenset(op for device, op in BRIDGES if device == "sim_npu")


def cases() -> list[Case]:
    return [case for case in read_cases() if case.op in bridged_ops()]


def graph_of(
    case: Case, *, constants: bool, only_first: bool
) -> tuple[Graph, Node, list[Array], list[Array]]:
    """A region of the case's op, with what it is given and what it must return.

    With `constants`, every input but the first is one; with `only_first`, other outputs than the first
    are not read.
    """
    graph = Graph()
    inputs: dict[str, list[Value]] = {}
    arrays: list[Array] = []
    for slot, items in case.inputs.items():
        inputs[slot] = []
        for n, item in enumerate(items):
            if constants and arrays:
                inputs[slot].append(graph.add_constant(f"{slot}_{n}", item.array))
                continue
            value = graph.add_arg(f"{slot}_{n}")
            value.shape, value.dtype = item.array.shape, DType.from_numpy(item.array.dtype)
            inputs[slot].append(value)
            arrays.append(np.ascontiguousarray(item.array))
    outputs = {slot: [f"{slot}_{n}_out" for n in range(len(items))] for slot, items in case.outputs.items()}
    node = graph.add_node(case.op, inputs, outputs, case.attrs)
    read = list(case.outputs)[:1] if only_first else list(case.outputs)
    results = [value for slot in read for value in node.outputs[slot]]
    graph.set_results(results, [value.name for value in results])
    infer_graph(graph)
    return graph, node, arrays, [item.array for slot in read for item in case.outputs[slot]]


def answer(case: Case, *, constants: bool, only_first: bool) -> str | None:
    """Why the device declines a case; None when it takes it, which this then checks."""
    device = opened()
    graph, node, arrays, wanted = graph_of(case, constants=constants, only_first=only_first)
    sentence = why_not(node, device)
    if sentence is None:
        model = device.compile(graph, tuple(meta_of(arg) for arg in graph.args))
        compare(model.run(arrays, [None] * len(wanted)), wanted)
    return sentence


def compare(results: Sequence[Array], wanted: Sequence[Array]) -> None:
    for have, want in zip(results, wanted, strict=True):
        assert have.shape == want.shape
        assert have.dtype == want.dtype
        if want.dtype.kind in "biu":
            np.testing.assert_array_equal(have, want)
        else:
            finite = np.isfinite(want)
            np.testing.assert_array_equal(have[~finite], want[~finite])
            scale = float(np.abs(want[finite]).max(initial=0))
            np.testing.assert_allclose(have[finite], want[finite], rtol=0, atol=TOLERANCE * scale)


@pytest.mark.parametrize("op", sorted(bridged_ops() - {"sim_npu.conv", "sim_npu.fully_connected"}))
def test_right_or_declined_with_a_sentence(op: str) -> None:
    for case in cases():
        if case.op == op:
            for constants, only_first in itertools.product((False, True), repeat=2):
                sentence = answer(case, constants=constants, only_first=only_first)
                assert sentence is None or len(sentence) > 20


def test_coverage_does_not_shrink() -> None:
    taken: dict[str, int] = defaultdict(int)
    for case in cases():
        taken[case.op] += answer(case, constants=True, only_first=True) is None

    # Its one case has unequal strides.
    assert [op for op, count in taken.items() if not count] == ["depthwise_conv2d_transpose"]
    assert len(taken) == 52
    assert sum(taken.values()) >= 180
