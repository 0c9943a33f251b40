"""The time to compile a loop of a fusion_group program, so that no loop takes long."""

from __future__ import annotations

from lite.kernels.cpu.elementwise.group_loop import form_of
from lite.plugin.kernel.fusion_stages import Stage

MOST = 1700
"""The most that `compile_time` may be for one loop: 2 seconds of a slow core, with what each loop takes."""

MOST_INSTRUCTIONS = 512
"""The host computes longer programs, which only a damaged or hostile model has."""

_INSTRUCTION, _NUMBER, _ARRAY = 25, 15, 60
_FUNCTIONS = {
    "activation(": 40,
    "erf_of(": 45,
    "exp(": 100,
    "expm1_of_negative(": 90,
    "logsigmoid_of(": 60,
    "mish_of(": 70,
    "sigmoid(": 65,
    "softplus_of(": 100,
    "tanh(": 60,
}
"""What functions add, which are copied into the loop wherever they are used."""


def compile_time(stage: Stage) -> int:
    """An estimate in milliseconds, from the instructions, their numbers, the operands and the results."""
    total = _ARRAY * (len(stage.reads) + len(stage.writes))
    for each in stage.instructions:
        text, numbers = form_of(each) or ("", {})
        total += _INSTRUCTION + _NUMBER * len(numbers)
        total += sum(cost for name, cost in _FUNCTIONS.items() if text.startswith(name) or f" {name}" in text)
    return total
