"""``paddle.inference.InternalUtils``: settings of TensorRT without an effect here."""

from __future__ import annotations

from collections.abc import Collection

from lite.compat.paddle_inference.config import Config
from lite.compat.paddle_inference.environment import warn_ignored


class InternalUtils:
    """Settings of TensorRT that are not in Config; each logs a warning."""

    @staticmethod
    def set_transformer_posid(config: Config, tensor_name: str) -> None:
        """Has no effect."""
        warn_ignored("set_transformer_posid", "TensorRT is not used")

    @staticmethod
    def set_transformer_maskid(config: Config, tensor_name: str) -> None:
        """Has no effect."""
        warn_ignored("set_transformer_maskid", "TensorRT is not used")

    @staticmethod
    def disable_tensorrt_half_ops(config: Config, ops: Collection[str]) -> None:
        """Has no effect."""
        warn_ignored("disable_tensorrt_half_ops", "TensorRT is not used")
