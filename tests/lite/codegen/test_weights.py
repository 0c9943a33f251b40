"""The weights file, and what the generated loader says about a damaged one."""

from __future__ import annotations

import numpy as np
import pytest

from lite.codegen.weights import HEADER, Weights, sums
from lite.ir.types import Array
from tests.support.compiled_c import CompiledModel, compile_model, saved_config
from tests.support.small_convnet import convnet

X = np.random.default_rng(0).standard_normal((1, 3, 6, 6)).astype(np.float32)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> CompiledModel:
    folder = tmp_path_factory.mktemp("net")
    config = saved_config(convnet(), folder / "source", input_shapes={"x": (1, 3, 6, 6)})
    return compile_model(config, folder / "c")


def test_equal_arrays_are_stored_once_at_aligned_offsets() -> None:
    weights = Weights(64)
    arrays: list[Array] = [np.arange(5, dtype=np.float32), np.arange(3, dtype=np.int8)]

    offsets = [weights.add(array) for array in (*arrays, arrays[0].copy())]
    content = weights.content()

    assert offsets == [64, 128, 64]
    assert len(content) == weights.size + (-weights.size % 4)
    for array, offset in zip(arrays, offsets, strict=False):
        np.testing.assert_array_equal(np.frombuffer(content, array.dtype, array.size, offset), array)


def test_sums_tell_changed_and_exchanged_words_apart() -> None:
    words = np.arange(1, 9, dtype=np.uint32)
    exchanged = words[[1, 0, 2, 3, 4, 5, 6, 7]]

    assert sums(words.tobytes())[0] == sums(exchanged.tobytes())[0] == 36
    assert sums(words.tobytes())[1] != sums(exchanged.tobytes())[1]


def test_weights_from_a_file_are_those_that_are_linked(model: CompiledModel) -> None:
    linked = model.run({"x": X})
    loaded = model.run({"x": X}, "--weights", str(model.folder / "weights.bin"))

    np.testing.assert_array_equal(linked[0], loaded[0])


def test_a_damaged_file_is_refused(model: CompiledModel) -> None:
    """The program is compiled with sanitizers: any access outside of the file ends it with another status."""
    whole = (model.folder / "weights.bin").read_bytes()
    rng = np.random.default_rng(1)
    path = model.folder / "damaged.bin"
    damaged = [b"", whole[:10], whole[:63], whole[:64], whole[:-4], whole[:-1], whole + b"0000", whole[64:]]
    damaged += [whole[:8] + whole[8:12][::-1] + whole[12:], whole[:12] + whole[12:16][::-1] + whole[16:]]
    for number in range(90):
        changed = bytearray(whole)
        # Half of the changes are in the header.
        at = int(rng.integers(0, HEADER.size - 8 if number % 2 else len(whole)))
        changed[at] ^= int(rng.integers(1, 256))
        if not HEADER.size - 8 <= at < HEADER.size:
            damaged.append(bytes(changed))

    for content in damaged:
        path.write_bytes(content)
        result = model.call({"x": X}, "--weights", str(path))

        assert result.returncode == 1, (len(content), result.stderr)
        assert "weights" in result.stderr
