"""Where values are: nothing that is still read is overwritten."""

from __future__ import annotations

import itertools
from pathlib import Path

from lite.codegen.emit import emit
from lite.codegen.lower import lower
from lite.codegen.memory import plan_memory
from lite.plugin.emitter import EmitValue
from tests.support.compiled_c import saved_config
from tests.support.small_convnet import convnet


def test_values_that_live_at_once_do_not_overlap(tmp_path: Path) -> None:
    graph = lower(saved_config(convnet(), tmp_path, input_shapes={"x": (2, 3, 16, 16)}), "c")
    steps = emit(graph, "c", 16)

    plan = plan_memory(graph, steps)

    assert len(steps.steps) >= 4
    for n, step in enumerate(steps.steps):
        spans = []
        for p in step.emission.parameters:
            if p.source.scratch:
                spans.append((plan.scratch[n, p.name].offset, p.source.scratch))
            value = p.source.value
            if value is not None:
                root = steps.root(value)
                place = plan.values[root]
                if place.where == "arena":
                    spans.append((place.offset, EmitValue(root).bytes))
        spans.sort()
        assert all(a + size <= b for (a, size), (b, _) in itertools.pairwise(spans))
        assert all(a + size <= plan.arena for a, size in spans)
