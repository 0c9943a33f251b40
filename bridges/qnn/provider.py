"""The execution provider of onnxruntime-qnn, registered once in a process."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lite.errors import CompileError

if TYPE_CHECKING:
    import onnxruntime as ort

EP_NAME = "QNNExecutionProvider"

_lock = threading.Lock()


def provider_devices() -> Sequence[ort.OrtEpDevice]:
    """The devices of the execution provider; the first call registers its library.

    Raises `CompileError` where the library registers no device.
    """
    import onnxruntime as ort
    import onnxruntime_qnn

    with _lock:
        found = _devices()
        if not found:
            ort.register_execution_provider_library(EP_NAME, onnxruntime_qnn.get_library_path())
            found = _devices()
    if not found:
        raise CompileError(f"onnxruntime-qnn offers no device of {EP_NAME} on this machine")
    return found


def _devices() -> Sequence[ort.OrtEpDevice]:
    import onnxruntime as ort

    return [each for each in ort.get_ep_devices() if each.ep_name == EP_NAME]
