"""The installed engines run a small model correctly."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from lite.tools.bench.peers.engines import PEERS, REFERENCE
from lite.tools.bench.peers.mnn import MNN
from lite.tools.bench.peers.ncnn import NCNN
from lite.tools.bench.peers.openvino import OPENVINO
from lite.tools.bench.peers.paddle_inference import PADDLE_INFERENCE
from lite.tools.bench.peers.peer import CannotRunError, Files, PackagePeer
from tests.tools.bench.peers.small_conv import FEEDS, expected, write

READ_ONNX = [peer for peer in PEERS if peer is not PADDLE_INFERENCE]


def skip_without(peer: PackagePeer) -> None:
    hint = peer.missing()
    if hint is not None:
        pytest.skip(f"{peer.name} is not installed: {hint}")
    if peer is NCNN and importlib.util.find_spec("pnnx") is None:
        pytest.skip("ncnn's converter is not installed: pip install --no-deps pnnx")


@pytest.mark.parametrize("peer", READ_ONNX, ids=lambda peer: peer.name)
@pytest.mark.parametrize("threads", [1, 2])
def test_each_engine_computes_the_expected_result(peer: PackagePeer, threads: int, tmp_path: Path) -> None:
    skip_without(peer)
    model = peer.load(Files(write(tmp_path)), FEEDS, threads)

    [first] = model.answers()
    seconds = model.seconds()
    [second] = model.answers()
    model.close()

    np.testing.assert_allclose(first, expected(), rtol=1e-5, atol=1e-5, strict=True)
    np.testing.assert_array_equal(first, second)
    assert seconds > 0
    assert peer.version()


@pytest.mark.parametrize("peer", [NCNN, MNN], ids=lambda peer: peer.name)
def test_a_model_is_converted_once(
    peer: PackagePeer, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    skip_without(peer)
    files = Files(write(tmp_path))

    for _ in range(2):
        peer.load(files, FEEDS, 1).close()

    assert capfd.readouterr().err.count("conv.onnx: converting to ") == 1


@pytest.mark.parametrize(
    ("peer", "reason"),
    [(OPENVINO, "it cannot load the file: "), (MNN, "its converter "), (NCNN, "its converter ")],
    ids=["OpenVINO", "MNN", "ncnn"],
)
def test_an_unknown_op_has_a_reason(peer: PackagePeer, reason: str, tmp_path: Path) -> None:
    skip_without(peer)
    path = write(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"Relu", b"Rela"))

    with pytest.raises(CannotRunError, match=f"^{reason}"):
        peer.load(Files(path), FEEDS, 1)


def test_paddle_inference_needs_paddle_files() -> None:
    with pytest.raises(CannotRunError, match=r"^this model has no Paddle files$"):
        PADDLE_INFERENCE.load(Files(Path("a.onnx")), FEEDS, 1)


def test_a_missing_engine_names_the_command_that_installs_it() -> None:
    peer = PackagePeer("Some Engine", "no_such_module", "some-engine", REFERENCE.loader)

    assert peer.missing() == "pip install some-engine"
