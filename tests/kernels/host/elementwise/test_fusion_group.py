"""fusion_group on the host equals the ops one by one, bit for bit, also in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from lite.ir.types import Array
from lite.kernels.host.elementwise import fusion_group
from lite.plugin.kernel import evaluate
from tests.kernels.host.checked import checked

LONG = (
    "elementwise_mul 0 1; relu 3; elementwise_add 4 2; sigmoid 5; scale 6 2.0 1.0; elementwise_sub 7 5; "
    "hard_swish 8; tanh 9; elementwise_div 10 7; gelu 11; elementwise_max 12 5; elementwise_min 13 1; "
    "clip 14 -1.0 0.5"
)


@pytest.fixture(params=[None, 4096, 300])
def block_bytes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whole arrays, large blocks, and blocks of a few elements."""
    if request.param is not None:
        monkeypatch.setattr(fusion_group, "LEAST_BYTES", 0)
        monkeypatch.setattr(fusion_group, "BLOCK_BYTES", request.param)
    fusion_group._runner.cache_clear()
    yield
    fusion_group._runner.cache_clear()


def arrays(*shapes: tuple[int, ...], dtype: str = "float32") -> list[Array]:
    generator = np.random.default_rng(3)
    return [np.asarray(2 * generator.standard_normal(shape), dtype) for shape in shapes]


def one_by_one(program: str, inputs: Sequence[Array], results: Sequence[int]) -> list[Array]:
    values = list(inputs)
    for line in program.split(";"):
        name, *words = line.split()
        count = 2 if name.startswith("elementwise_") else 1
        slots = {slot: [values[int(word)]] for slot, word in zip("XY", words[:count], strict=False)}
        names = {"scale": ("scale", "bias"), "clip": ("min", "max")}.get(name, ())
        attrs = dict(zip(names, map(float, words[count:]), strict=True))
        values.append(evaluate(name, slots, attrs, {"Out": 1})["Out"][0].array)
    return [values[number] for number in results]


def run(program: str, inputs: Sequence[Array], results: list[int]) -> list[Array]:
    slots: dict[str, Array | Sequence[Array]] = (
        {"X": inputs[0], "Inputs": inputs[1:]} if inputs[1:] else {"X": inputs[0]}
    )
    return checked("fusion_group", slots, {"program": program, "results": results}, {"Out": len(results)})


@pytest.mark.usefixtures("block_bytes")
@pytest.mark.parametrize(
    "shapes",
    [
        [(2, 3, 20, 5), (3, 1, 1), (2, 3, 20, 5)],
        [(2, 20, 5, 3), (3,), (2, 20, 5, 3)],
        [(40, 3), (40, 1), ()],
        [(1, 7), (5, 1), (5, 7)],
        [(2, 3, 4, 5), (3, 1, 5), (2, 1, 4, 1)],
        [(130,), (1,), (130,)],
        [(), (), ()],
        [(0, 4), (4,), (0, 4)],
        [(1,), (3, 1, 2), (3, 5, 2)],
    ],
)
@pytest.mark.parametrize("results", [[15], [6, 15], [15, 3, 8]])
def test_a_program_equals_its_ops_one_by_one(shapes: list[tuple[int, ...]], results: list[int]) -> None:
    inputs = arrays(*shapes)
    for found, expected in zip(run(LONG, inputs, results), one_by_one(LONG, inputs, results), strict=True):
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.usefixtures("block_bytes")
def test_smaller_values_are_computed_once() -> None:
    program = "scale 1 1.0 0.001; sqrt 3; reciprocal 4; elementwise_mul 0 5; elementwise_add 6 2"
    x, variance, shift = arrays((30, 40), (30, 1), (40,))
    found, root = run(program, [x, variance**2, shift], [7, 4])
    np.testing.assert_allclose(root, np.sqrt(variance**2 + 0.001), rtol=1e-6)
    np.testing.assert_allclose(found, x / np.sqrt(variance**2 + 0.001) + shift, rtol=1e-5, atol=1e-6)


@pytest.mark.usefixtures("block_bytes")
def test_half_and_double_precision_are_computed() -> None:
    for dtype in ("float64", "float16"):
        inputs = arrays((9, 11), (11,), (9, 11), dtype=dtype)
        [found], [expected] = run(LONG, inputs, [15]), one_by_one(LONG, inputs, [15])
        np.testing.assert_array_equal(found, expected)


@pytest.mark.usefixtures("block_bytes")
def test_the_result_may_overwrite_x() -> None:
    inputs = arrays((20, 30), (30,), (20, 30))
    [expected] = one_by_one(LONG, inputs, [15])
    x = inputs[0]
    found = fusion_group.fusion_group(x, inputs[1:], program=LONG, results=[15], out=[x])
    assert found[0] is x
    np.testing.assert_array_equal(x, expected)


@pytest.mark.usefixtures("block_bytes")
def test_buffers_may_be_strided() -> None:
    inputs = arrays((20, 30), (30,), (20, 30))
    buffer = np.zeros((20, 60), np.float32)
    fusion_group.fusion_group(
        inputs[0].T.copy().T, inputs[1:], program=LONG, results=[15], out=[buffer[:, ::2]]
    )
    np.testing.assert_array_equal(buffer[:, ::2], one_by_one(LONG, inputs, [15])[0])
    assert not buffer[:, 1::2].any()
