"""The part of Config about oneDNN, in Paddle's old and new spelling (``mkldnn``, ``onednn``)."""

from __future__ import annotations

from collections.abc import Collection

from lite.compat.paddle_inference.environment import warn_ignored

_SAVED_PRECISION = "the model runs in the precision in which it was saved"


class OneDnn:
    """Keeps what a program asks for; litebridge's own kernels run in any case."""

    def __init__(self) -> None:
        self._mkldnn = self._mkldnn_bfloat16 = self._mkldnn_int8 = False

    def enable_mkldnn(self) -> None:
        """Has no effect except on `mkldnn_enabled`."""
        self._mkldnn = True

    def disable_mkldnn(self) -> None:
        """Undo `enable_mkldnn`."""
        self._mkldnn = False

    def mkldnn_enabled(self) -> bool:
        """Whether `enable_mkldnn` was called, and `disable_mkldnn` was not called after it."""
        return self._mkldnn

    def disable_mkldnn_fc_passes(self) -> None:
        """Has no effect: oneDNN is not used."""

    def set_mkldnn_cache_capacity(self, capacity: int = 0) -> None:
        """Has no effect: oneDNN is not used."""

    def set_mkldnn_op(self, op_list: Collection[str]) -> None:
        """Has no effect."""

    def set_bfloat16_op(self, op_list: Collection[str]) -> None:
        """Has no effect."""

    def enable_mkldnn_bfloat16(self) -> None:
        """Has no effect except on `mkldnn_bfloat16_enabled`; logs a warning."""
        self._mkldnn_bfloat16 = True
        warn_ignored("enable_mkldnn_bfloat16", _SAVED_PRECISION)

    def mkldnn_bfloat16_enabled(self) -> bool:
        """Whether `enable_mkldnn_bfloat16` was called."""
        return self._mkldnn_bfloat16

    def enable_mkldnn_int8(self, op_list: Collection[str] = ()) -> None:
        """Has no effect except on `mkldnn_int8_enabled`; logs a warning."""
        self._mkldnn_int8 = True
        warn_ignored("enable_mkldnn_int8", _SAVED_PRECISION)

    def mkldnn_int8_enabled(self) -> bool:
        """Whether `enable_mkldnn_int8` was called."""
        return self._mkldnn_int8

    enable_onednn = enable_mkldnn
    disable_onednn = disable_mkldnn
    onednn_enabled = mkldnn_enabled
    disable_onednn_fc_passes = disable_mkldnn_fc_passes
    set_onednn_cache_capacity = set_mkldnn_cache_capacity
    set_onednn_op = set_mkldnn_op
    enable_onednn_bfloat16 = enable_mkldnn_bfloat16
    onednn_bfloat16_enabled = mkldnn_bfloat16_enabled
    enable_onednn_int8 = enable_mkldnn_int8
    onednn_int8_enabled = mkldnn_int8_enabled
