"""The engines that litebridge is compared with."""

from __future__ import annotations

from lite.tools.peers.mnn import MNN
from lite.tools.peers.ncnn import NCNN
from lite.tools.peers.onnxruntime import ONNX_RUNTIME
from lite.tools.peers.openvino import OPENVINO
from lite.tools.peers.paddle_inference import PADDLE_INFERENCE
from lite.tools.peers.peer import PackagePeer

REFERENCE = ONNX_RUNTIME
"""What ratios are to, and what answers are compared with."""

PEERS: tuple[PackagePeer, ...] = (REFERENCE, OPENVINO, PADDLE_INFERENCE, NCNN, MNN)
"""Those that run in this process; `lite.tools.peers.paddlelite` has one that does not."""
