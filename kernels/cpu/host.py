"""The host's kernels, for what compiled functions do not know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lite.plugin.evaluate import host_kernel
from lite.plugin.kernel import Array


def on_host(op: str, inputs: Mapping[str, Any], attrs: Mapping[str, Any], out: Array | None) -> Array:
    """What the host's kernel of `op` computes; `inputs` by slot, those it does not take are left out."""
    found = host_kernel(op)
    keywords = {name: attrs[name] for name in found.attrs}
    arguments = [inputs.get(slot) for slot in found.slots]
    result: Array = (
        found.run(*arguments, **keywords, out=out) if found.takes_out else found.run(*arguments, **keywords)
    )
    return result
