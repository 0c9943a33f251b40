"""BoundSegments: how many segments stay bound when shapes and data keep changing."""

from __future__ import annotations

import numpy as np

from lite.runtime.bound_segments import MAX_PATHS
from tests.lite.runtime.run_text import runtime_of

ABOVE_ZERO = """
  %{m} = greater_than(X=%{x}, Y=%zero) : bool[?]
  %{w} = where_index(Condition=%{m}) : int64[?,1]
  %{g} = gather_nd(X=%{x}, Index=%{w}) : float32[?]
  %{y} = scale(X=%{g}) {scale=1.0, bias=-0.25} : float32[?]
"""


def stage(number: int) -> str:
    text = ABOVE_ZERO
    for name in "mwg":
        text = text.replace(f"{{{name}}}", f"{name}{number}")
    return text.replace("{x}", f"x{number}").replace("{y}", f"x{number + 1}")


THREE_SPLITS = (
    "graph main(%x0: float32[?]) {\n  %zero = const float32[1] [0.0]"
    + "".join(stage(number) for number in range(3))
    + "  return %x3\n}"
)


def above_zero(x: np.ndarray) -> np.ndarray:
    for _ in range(3):
        x = x[x > 0] - np.float32(0.25)
    return x


def test_the_number_of_segments_is_bounded() -> None:
    runtime = runtime_of(THREE_SPLITS)
    rng = np.random.default_rng(0)
    for _ in range(200):
        x = rng.standard_normal(rng.integers(1, 40)).astype(np.float32)
        np.testing.assert_array_equal(runtime.run([x])[0][0], above_zero(x))
    segments = list(runtime.segments())
    assert len(segments) == 4 * MAX_PATHS
    positions = {segment: number for number, segment in enumerate(segments)}
    for segment in segments:
        previous = segment.key[0]
        assert previous is None or positions[previous] < positions[segment]


def test_a_path_in_use_stays_bound() -> None:
    runtime = runtime_of(THREE_SPLITS)
    frequent = np.linspace(-1, 1, 50, dtype=np.float32)
    runtime.run([frequent])
    bound = set(runtime.segments())
    for length in range(1, 60):
        runtime.run([np.ones(length, np.float32)])
        runtime.run([frequent])
    assert bound <= set(runtime.segments())
