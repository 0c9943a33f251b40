"""Long short-term memory layers equal TensorFlow Lite's interpreter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from tests.model_parser.tflite.builder import TfliteBuilder
from tests.model_parser.tflite.compare import check, error
from tests.model_parser.tflite.models import Case, noise
from tests.record_tflite import run

pytest.importorskip("ai_edge_litert")

STEPS, BATCH, SIZE, HIDDEN, PROJECTED = 5, 2, 3, 4, 2


class Parts:
    """The inputs of a layer: names in `chosen` add peepholes and so on; "coupled" has no input gate."""

    def __init__(self, builder: TfliteBuilder, chosen: str, seed: int = 0, dtype: str = "float32") -> None:
        self.builder, self.chosen, self.seed, self.dtype = builder, chosen, seed, dtype
        self.width = PROJECTED if "projection" in chosen else HIDDEN
        self.gates = ("f", "c", "o") if "coupled" in chosen else ("i", "f", "c", "o")

    def gate_weights(self, name: str, size: int) -> list[int]:
        return [self.weight(f"{name}{gate}", HIDDEN, size) for gate in "ifco"]

    def weight(self, name: str, *shape: int) -> int:
        self.seed += 1
        if len(name) > 1 and name[-1] in "ifco" and name[-1] not in self.gates:
            return -1
        array = noise(*shape, seed=self.seed)
        if self.dtype == "float32" or (len(shape) == 1 and name[0] != "p"):
            return self.builder.constant(f"{name}.{self.seed}", array)
        scale = float(np.abs(array).max() / 127)
        stored = np.rint(array / scale).astype(np.int8)
        return self.builder.constant(f"{name}.{self.seed}", stored, scale=scale, zero=0)

    def layer(self) -> list[int]:
        """Input weights to the projection's bias."""
        has_peephole = "peephole" in self.chosen
        peepholes = [self.weight(f"p{gate}", HIDDEN) if has_peephole else -1 for gate in "ifo"]
        biases = [self.weight(f"b{gate}", HIDDEN) for gate in "ifco"]
        projection = [-1, -1]
        if "projection" in self.chosen:
            projection = [self.weight("P", PROJECTED, HIDDEN), -1]
        if "biased projection" in self.chosen:
            projection[1] = self.weight("Q", PROJECTED)
        inputs, recurrent = self.gate_weights("w", SIZE), self.gate_weights("r", self.width)
        return [*inputs, *recurrent, *peepholes, *biases, *projection]

    def states(self) -> list[int]:
        widths = {"h": self.width, "c": HIDDEN}
        return [
            self.builder.tensor(f"{name}.{self.seed}", (BATCH, width), is_variable=True)
            for name, width in widths.items()
        ]

    def gains(self) -> list[int]:
        return [self.weight(f"g{gate}", HIDDEN) for gate in "ifco"] if "gain" in self.chosen else []


def model(
    op: str,
    options: Mapping[int, Any],
    chosen: str = "",
    *,
    shape: Sequence[int] = (STEPS, BATCH, SIZE),
    dtype: str = "float32",
) -> Case:
    """A model of one layer, or of one step."""
    builder = TfliteBuilder()
    parts = Parts(builder, chosen, dtype=dtype)
    x = builder.tensor("x", shape)
    inputs = [x, *parts.layer(), *parts.states(), *parts.gains()]
    y = builder.tensor("y", (*shape[:-1], parts.width))
    builder.op(op, inputs, [y], options)
    return Case(op.lower(), builder.model([x], [y]), [noise(*shape, seed=99)])


def options(activation: int = 4, cell: float = 0.0, projection: float = 0.0) -> dict[int, Any]:
    return {0: ("b", activation), 1: ("f", cell), 2: ("f", projection)}


CHOICES = [
    "",
    "peephole",
    "coupled",
    "coupled peephole",
    "projection",
    "biased projection",
    "gain",
    "gain coupled peephole",
    "gain peephole biased projection",
]


@pytest.mark.parametrize("chosen", CHOICES)
@pytest.mark.parametrize("time_major", [False, True])
def test_sequences(chosen: str, time_major: bool) -> None:
    shape = (STEPS, BATCH, SIZE) if time_major else (BATCH, STEPS, SIZE)
    check(model("UNIDIRECTIONAL_SEQUENCE_LSTM", {**options(), 3: ("?", time_major)}, chosen, shape=shape))


@pytest.mark.parametrize("activation", [1, 3, 4])
@pytest.mark.parametrize("clips", [(0.0, 0.0), (0.3, 0.2)])
def test_activations_and_clipping(activation: int, clips: tuple[float, float]) -> None:
    keys = {**options(activation, *clips), 3: ("?", True)}
    for chosen in ("", "biased projection"):
        check(model("UNIDIRECTIONAL_SEQUENCE_LSTM", keys, chosen))


@pytest.mark.parametrize("chosen", CHOICES)
def test_one_step(chosen: str) -> None:
    check(model("LSTM", options(), chosen, shape=(BATCH, SIZE)))


@pytest.mark.parametrize("chosen", ["", "peephole", "coupled", "biased projection", "gain"])
def test_quantised_weights_are_near(chosen: str) -> None:
    case = model("UNIDIRECTIONAL_SEQUENCE_LSTM", {**options(), 3: ("?", True)}, chosen, dtype="int8")
    check(case, 2e-2)


def test_an_int8_layer_differs_by_at_most_one_step() -> None:
    builder, source = TfliteBuilder(), np.random.default_rng(0)
    x = builder.tensor("x", (STEPS, BATCH, SIZE), "int8", scale=1 / 64)
    inputs = [x]
    for name, size in (("w", SIZE), ("r", HIDDEN)):
        for gate in "ifco":
            array = source.integers(-127, 128, (HIDDEN, size)).astype(np.int8)
            inputs.append(builder.constant(f"{name}{gate}", array, scale=0.01, zero=0))
    inputs += [-1] * 3
    for gate in "ifco":
        array = source.integers(-500, 500, HIDDEN).astype(np.int32)
        inputs.append(builder.constant(f"b{gate}", array, scale=0.01 / 64, zero=0))
    inputs += [-1, -1, builder.tensor("h", (BATCH, HIDDEN), "int8", scale=1 / 128, is_variable=True)]
    inputs.append(builder.tensor("c", (BATCH, HIDDEN), "int16", scale=2**-11, is_variable=True))
    y = builder.tensor("y", (STEPS, BATCH, HIDDEN), "int8", scale=1 / 128)
    builder.op("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, [y], {**options(), 3: ("?", True)})
    inner = [builder.tensor(f"t{n}", (1,), "int16", scale=2**-12) for n in range(4)]
    inner.append(builder.tensor("t4", (BATCH, HIDDEN), "int8", scale=1 / 128))
    builder.operators[-1][8] = np.array(inner, np.int32)
    array = source.integers(-127, 128, (STEPS, BATCH, SIZE)).astype(np.int8)
    check(Case("int8", builder.model([x], [y]), [array]), step=1)


def both(chosen: str, auxiliary: str, *, time_major: bool, merge: bool) -> Case:
    """A model of a forward and a backward layer."""
    builder = TfliteBuilder()
    leading = (STEPS, BATCH) if time_major else (BATCH, STEPS)
    feeds, arrays = [builder.tensor("x", (*leading, SIZE))], [noise(*leading, SIZE, seed=99)]
    forward, backward = Parts(builder, chosen), Parts(builder, chosen, seed=50)
    inputs = [*feeds, *forward.layer(), *backward.layer(), *forward.states(), *backward.states()]
    if auxiliary:
        feeds.append(builder.tensor("z", (*leading, SIZE)))
        arrays.append(noise(*leading, SIZE, seed=98))
    inputs.append(feeds[1] if auxiliary else -1)
    for parts in (forward, backward):
        inputs += parts.gate_weights("v", SIZE) if auxiliary == "weights" else [-1] * 4
    widths = [2 * forward.width] if merge else [forward.width, forward.width]
    results = [builder.tensor(f"y{n}", (*leading, width)) for n, width in enumerate(widths)]
    keys = {**options(), 3: ("?", merge), 4: ("?", time_major)}
    builder.op("BIDIRECTIONAL_SEQUENCE_LSTM", inputs, results, keys)
    return Case("bidirectional", builder.model(feeds, results), arrays)


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("time_major", [False, True])
@pytest.mark.parametrize("auxiliary", ["", "parallel", "weights"])
@pytest.mark.parametrize("chosen", ["", "peephole coupled", "biased projection"])
def test_both_directions(merge: bool, time_major: bool, auxiliary: str, chosen: str) -> None:
    expected = None
    if merge and not time_major:
        # Merged, the interpreter's forward outputs of the second sequence differ from its separate ones.
        separate = run(both(chosen, auxiliary, time_major=time_major, merge=False))
        expected = [np.concatenate(separate, axis=-1)]
    check(both(chosen, auxiliary, time_major=time_major, merge=merge), expected=expected)


def test_the_basic_kernel_has_states_as_inputs_and_outputs() -> None:
    builder = TfliteBuilder()
    x = builder.tensor("x", (BATCH, SIZE))
    h, c = builder.tensor("h", (BATCH, HIDDEN)), builder.tensor("c", (BATCH, HIDDEN))
    weight = builder.constant("w", noise(4 * HIDDEN, SIZE + HIDDEN, seed=1))
    bias = builder.constant("b", noise(4 * HIDDEN, seed=2))
    outputs = [builder.tensor(name, (BATCH, HIDDEN)) for name in ("h1", "c1")]
    scratch = [builder.tensor("s", (BATCH, SIZE + HIDDEN)), builder.tensor("t", (BATCH, 4 * HIDDEN))]
    builder.op("LSTM", [x, h, weight, bias, c], [*outputs, *scratch], {**options(), 3: ("b", 1)})
    arrays = [noise(BATCH, SIZE), noise(BATCH, HIDDEN, seed=3), noise(BATCH, HIDDEN, seed=4)]
    check(Case("basic", builder.model([x, h, c], outputs), arrays))


def test_states_must_be_variable_and_unused() -> None:
    builder = TfliteBuilder()
    parts = Parts(builder, "")
    x, y = builder.tensor("x", (STEPS, BATCH, SIZE)), builder.tensor("y", (STEPS, BATCH, HIDDEN))
    z = builder.tensor("z", (STEPS, BATCH, HIDDEN))
    inputs = [x, *parts.layer(), *parts.states()]
    for result in (y, z):
        builder.op("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, [result], {**options(), 3: ("?", True)})
    assert error(builder.model([x], [y, z])).endswith(
        "operator 1 (UNIDIRECTIONAL_SEQUENCE_LSTM): input 18 ('h.12'): expected a variable tensor that no "
        "other operator uses"
    )


def test_weights_that_do_not_fit_are_refused() -> None:
    builder = TfliteBuilder()
    parts = Parts(builder, "")
    x, y = builder.tensor("x", (STEPS, BATCH, SIZE + 1)), builder.tensor("y", (STEPS, BATCH, HIDDEN))
    inputs = [x, *parts.layer(), *parts.states()]
    builder.op("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, [y], {**options(), 3: ("?", True)})
    assert error(builder.model([x], [y])).endswith(
        "input 0 ('x'): expected float32 of rank 3 with 3 features, got float32[5, 2, 4]"
    )
