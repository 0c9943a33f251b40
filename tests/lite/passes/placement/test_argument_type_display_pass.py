"""The table of values and places."""

from __future__ import annotations

import pytest

from lite.errors import ConfigError
from lite.passes.manager import PassManager
from tests.lite.passes.check import check_unchanged

LOGGER = "lite.passes.placement.argument_type_display_pass"
TEXT = """
graph main(%c: bool[1], %x: float32[?,2] @host/float32/nchw) {
  %w = const float32[2] [1.0, 2.0] : float32[2] @npu/float32/nhwc
  %y = conditional_block(Cond=%c, Input=%x) {carried=1} : float32[?,2]
    graph block1(%x: float32[?,2]) {
      %long.name#2 = relu(X=%x) : ?[*] @npu/any/nchw
      return %long.name#2
    }
  return %y, %w
}
"""
TABLES = [
    """graph main
value  written by         type          target  dtype    layout
%c     argument           bool[1]       ?       ?        ?
%x     argument           float32[?,2]  host    float32  nchw
%w     constant           float32[2]    npu     float32  nhwc
%y     conditional_block  float32[?,2]  ?       ?        ?""",
    """graph block1
value         written by  type          target  dtype  layout
%x            argument    float32[?,2]  ?       ?      ?
%long.name#2  relu        ?[*]          npu     any    nchw""",
]


@pytest.mark.parametrize("level", ["debug", "info"])
def test_the_places_of_all_values_are_logged(level: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(level.upper(), LOGGER):
        check_unchanged(f"argument_type_display_pass{{level={level}}}", TEXT)

    messages = [record.getMessage() for record in caplog.records if record.name == LOGGER]
    assert messages == TABLES * 2
    assert {record.levelname for record in caplog.records if record.name == LOGGER} == {level.upper()}


def test_nothing_is_logged_below_the_level(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", LOGGER):
        check_unchanged("argument_type_display_pass", TEXT)

    assert [record for record in caplog.records if record.name == LOGGER] == []


def test_the_level_is_an_option() -> None:
    with pytest.raises(ConfigError, match="option level"):
        PassManager(["argument_type_display_pass{level=loud}"])
