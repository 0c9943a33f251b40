"""Views of buffers in later segments, and views that ops with effects return."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from tests.lite.runtime.run_text import runtime_of

LOD = ((0, 1, 3),)


@pytest.mark.parametrize("memory", ["compact", "plain"])
@pytest.mark.parametrize(
    "change", ["lod_reset(X=%a, Y=%x)", "sequence_reshape(X=%a) {new_dim=2}", "assign(X=%a)"]
)
def test_a_view_in_a_later_segment_shows_the_buffer_of_each_run(change: str, memory: str) -> None:
    runtime = runtime_of(
        f"""
        graph main(%x: float32[?,2]) {{
          %a = tanh(X=%x) : float32[?,2]
          %b = {change} : float32[?,2]
          %c = reshape2(X=%b) {{shape=[-1]}} : float32[?]
          %y = scale(X=%c) {{scale=2.0}} : float32[?]
          return %y
        }}
        """,
        memory,
    )
    for number in (1.0, 3.0, -1.0):
        x = np.full((3, 2), number, np.float32)
        np.testing.assert_allclose(runtime.run([x], [LOD])[0][0], 2 * np.tanh(x).reshape(-1), rtol=1e-6)


def test_a_view_beside_another_output_shows_the_buffer_of_each_run() -> None:
    runtime = runtime_of(
        """
        graph main(%x: float32[?,2], %n: int64[1]) {
          %zero = const int64[1] [0]
          %one = const int64[1] [1]
          %a = tanh(X=%x) : float32[?,2]
          %b, XShape=%s = reshape2(X=%a) {shape=[-1]} : float32[?], float32[0,?,2]
          %r = range(Start=%zero, End=%n, Step=%one) : int64[?]
          %c = reshape2(X=%b) {shape=[1, -1]} : float32[1,?]
          %y = scale(X=%c) {scale=2.0} : float32[1,?]
          return %y, %s, %r
        }
        """
    )
    for number in (1.0, 3.0):
        x = np.full((3, 2), number, np.float32)
        (y, shape, counted), _ = runtime.run([x, np.array([2])])
        np.testing.assert_allclose(y, 2 * np.tanh(x).reshape(1, -1), rtol=1e-6)
        assert shape.shape == (0, 3, 2)
        assert counted.tolist() == [0, 1]


def test_an_effect_takes_place_in_every_run_on_its_elements(caplog: pytest.LogCaptureFixture) -> None:
    runtime = runtime_of(
        """
        graph main(%x: float32[1]) {
          %a = scale(X=%x) {scale=2.0} : float32[1]
          %b = print(In=%a) : float32[1]
          %y = scale(X=%b) {scale=1.0, bias=1.0} : float32[1]
          return %y
        }
        """
    )
    with caplog.at_level(logging.INFO):
        results = [runtime.run([np.array([n], np.float32)])[0][0].item() for n in (1, 2)]
    assert results == [3, 5]
    assert [text.partition("data: ")[2] for text in caplog.messages] == ["[2.]", "[4.]"]
