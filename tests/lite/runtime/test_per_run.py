"""Kernels that are prepared in the run serve sizes that change, with the results of the host."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from lite.errors import GraphError
from lite.ir.limits import Limits
from lite.ir.types import Array
from lite.runtime.binding.per_run import PreparedPerRun
from lite.runtime.open_signatures import EXACT
from tests.lite.runtime.run_text import runtime_of

pytest.importorskip("numba", reason="compiled kernels need the extra jit")


def decoder(*scales: float) -> str:
    """A layer for each scale; each appends its keys to the same past."""
    layers = [
        f"""
        %ks{n} = cache_append(X=%past, Updates=%new, Starts=%start, Length=%total) : float32[1,2,?,8]
        %y{n} = attention(Q=%q, K=%ks{n}, V=%ks{n}) {{scale={scale}}} : float32[1,4,1,8]
        """
        for n, scale in enumerate(scales)
    ]
    results = ", ".join(f"k{n}=%ks{n}, y{n}=%y{n}" for n in range(len(scales)))
    return f"""
    graph main(%q: float32[1,4,1,8], %past: float32[1,2,?,8], %new: float32[1,2,1,8], %start: int64[1],
               %total: int32[1]) {{
      {"".join(layers)}
      return {results}
    }}
    """


def feeds(rows: int) -> list[Array]:
    """A past of some rows, and a new one."""
    generator = np.random.default_rng(rows)
    q, past, new = (generator.standard_normal((1, *each, 8)) for each in ((4, 1), (2, rows), (2, 1)))
    numbers = (np.array([rows]), np.array([rows + 1], np.int32))
    return [*(each.astype(np.float32) for each in (q, past, new)), *numbers]


def test_layers_share_what_is_prepared_for_a_length() -> None:
    text = decoder(0.5, 0.25, 0.5)
    runtime, host = runtime_of(text, target="cpu"), runtime_of(text)
    prepared: list[Any] = []
    prepare = PreparedPerRun._prepared

    def counted(self: PreparedPerRun, arguments: Any) -> Any:
        prepared.append(self)
        return prepare(self, arguments)

    with patch.object(PreparedPerRun, "_prepared", counted):
        for rows in range(EXACT + 8):
            prepared.clear()
            results, _ = runtime.run(feeds(rows))
            expected, _ = host.run(feeds(rows))
            for result, wanted in zip(results, expected, strict=True):
                assert (result.shape, result.dtype) == (wanted.shape, wanted.dtype)
                np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-6)
        assert len(prepared) == 3  # cache_append, and attention with either scale
        prepared.clear()
        runtime.run(feeds(rows))
        assert not prepared


@pytest.mark.parametrize("target", ["host", "cpu"])
def test_a_result_has_a_limit(target: str) -> None:
    runtime = runtime_of(decoder(0.5), target=target)
    runtime.state.limits = Limits(elements=1000)
    for rows in range(EXACT + 2):
        runtime.run(feeds(rows))

    with pytest.raises(GraphError, match=r"1,120 elements, the limit is 1,000"):
        runtime.run([*feeds(5)[:4], np.array([70], np.int32)])
