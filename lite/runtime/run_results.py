"""run_results: what a run returns to its caller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lite.ir.types import Array
from lite.plan import Plan
from lite.runtime.allocation import copied
from lite.runtime.output_arrays import copy_result
from lite.runtime.regions.device_tensor import on_host
from lite.runtime.segment import Env, Segment, Storage


def run_results(
    plan: Plan, segment: Segment, env: Env, outputs: Mapping[int, Array], buffers: Mapping[int, Array]
) -> list[Any]:
    """The results of a run whose last segment was `segment`.

    A value that the caller must not own, or gets twice, is copied.  `outputs` are arrays of the caller by
    position, `buffers` those by value that steps wrote to.
    """
    results: list[Any] = []
    returned_roots = {plan.values[index].root for index in buffers}
    for position, index in enumerate(plan.results):
        value = on_host(env[index])
        if isinstance(value, np.ndarray) and value is not outputs.get(position):
            root = plan.values[index].root
            is_fresh = segment.storage[root] is Storage.FRESH and value.flags.writeable
            if not is_fresh or root in returned_roots:
                value = copied(value)
            returned_roots.add(root)
        results.append(value)
    # Only now: an output array may share memory with an argument, and an argument may be a result.
    for position, output in outputs.items():
        results[position] = copy_result(output, results[position], plan.result_names[position])
    return results
