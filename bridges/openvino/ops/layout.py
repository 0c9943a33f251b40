"""Images whose channels are the last axis: OpenVINO's ops want them behind the batch."""

from __future__ import annotations

from lite.bridges.openvino.builder import Builder, Tensor


def channels_first(b: Builder, tensor: Tensor, rank: int, *, last: bool) -> Tensor:
    """The tensor with its channels, now the last axis if `last`, behind the batch."""
    return b.transpose(tensor, [0, rank - 1, *range(1, rank - 1)]) if last else tensor


def channels_back(b: Builder, tensor: Tensor, rank: int, *, last: bool) -> Tensor:
    """The tensor with its channels where they were."""
    return b.transpose(tensor, [0, *range(2, rank), 1]) if last else tensor


def per_channel(b: Builder, vector: Tensor, rank: int) -> Tensor:
    """``[channels]`` as it broadcasts against an image with channels first; ``[1]`` stays one number."""
    return b.op.unsqueeze(vector, b.ints(range(1, rank - 1))) if rank > 2 else vector
