"""The engines that litebridge is compared with."""

from __future__ import annotations

from lite.tools.bench.peers.mnn import MNN
from lite.tools.bench.peers.ncnn import NCNN
from lite.tools.bench.peers.onnxruntime import ONNX_RUNTIME
from lite.tools.bench.peers.openvino import OPENVINO
from lite.tools.bench.peers.paddle_inference import PADDLE_INFERENCE
from lite.tools.bench.peers.peer import PackagePeer

REFERENCE = ONNX_RUNTIME
"""What ratios are to, and what answers are compared with."""

PEERS: tuple[PackagePeer, ...] = (REFERENCE, OPENVINO, PADDLE_INFERENCE, NCNN, MNN)
"""Those that run in this process; `lite.tools.bench.peers.paddlelite` has one that does not."""
