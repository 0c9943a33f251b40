"""Precision plan: which layers are quantised, as text that people read and edit.

Each line has a precision (``quantized`` or ``float``), the layer's name and, after ``#``, a comment::

    quantized  conv2d_0.tmp_0     # conv2d, drop 0.00012, gains 310 us
    float      matmul_v2_3.tmp_0  # matmul_v2, drop 0.034, gains 12 us
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lite.dataclass import dataclass
from lite.errors import ConfigError, suggest
from lite.quantization.layers import Layer
from lite.subgraph.user_file import read_text

QUANTIZED, FLOAT = "quantized", "float"


@dataclass(frozen=True)
class Choice:
    """Whether a layer is quantised, and why not.

    `drop` is how much the layer alone costs, and `gain` the microseconds that it is faster, if measured.
    """

    layer: Layer
    is_quantized: bool
    reason: str = ""
    drop: float | None = None
    gain: float | None = None


def plan_text(choices: Sequence[Choice]) -> str:
    """The plan of some choices."""
    width = max((len(each.layer.name) for each in choices), default=0)
    lines = ["# precision  layer  # op, how much worse the outputs are if only it is quantised, and its gain"]
    for each in choices:
        precision = QUANTIZED if each.is_quantized else FLOAT
        drop = "" if each.drop is None else f", drop {each.drop:.3g}"
        drop += "" if each.gain is None else f", gains {each.gain:.3g} us"
        reason = f", {each.reason}" if each.reason else ""
        lines.append(f"{precision:9}  {each.layer.name:{width}}  # {each.layer.op}{drop}{reason}")
    return "\n".join(lines) + "\n"


def read_plan(path: Path, layers: Sequence[Layer]) -> list[Choice]:
    """The choices of a plan in a file; layers that it does not name are quantised.

    Raises `ConfigError` for a file that cannot be read, and for a line with an unknown precision or layer.
    """
    lines = read_text(path, "plan").splitlines()
    names = [layer.name for layer in layers]
    kept: dict[str, bool] = {}
    for number, line in enumerate(lines, 1):
        # A name may contain "#", with the version of a variable that is written several times.
        words = f" {line} ".split(" # ", 1)[0].split()
        if words:
            kept.update(_entry(f"{path}, line {number}", words, names))
    return [Choice(layer, kept.get(layer.name, True), _reason(kept, layer)) for layer in layers]


def _reason(kept: Mapping[str, bool], layer: Layer) -> str:
    return "" if kept.get(layer.name, True) else "the plan keeps it"


def _entry(where: str, words: Sequence[str], names: Sequence[str]) -> dict[str, bool]:
    if len(words) != 2 or words[0] not in (QUANTIZED, FLOAT):
        raise ConfigError(
            f"{where}: expected {QUANTIZED!r} or {FLOAT!r} and a layer, got {' '.join(words)!r}"
        )
    if words[1] not in names:
        raise ConfigError(f"{where}: the model has no layer {words[1]!r}{suggest(words[1], names)}")
    return {words[1]: words[0] == QUANTIZED}
