"""The engines with which litebridge is compared."""

from __future__ import annotations

from lite.tools.bench.peers.mnn import MNN
from lite.tools.bench.peers.ncnn import NCNN
from lite.tools.bench.peers.onnxruntime import ONNX_RUNTIME
from lite.tools.bench.peers.openvino import OPENVINO
from lite.tools.bench.peers.paddle_inference import PADDLE_INFERENCE
from lite.tools.bench.peers.peer import PackagePeer

REFERENCE = ONNX_RUNTIME
"""The engine whose answers are expected, and to which ratios refer."""

PEERS: tuple[PackagePeer, ...] = (REFERENCE, OPENVINO, PADDLE_INFERENCE, NCNN, MNN)
"""The engines that run in this process; `lite.tools.bench.peers.paddlelite` runs in another."""
