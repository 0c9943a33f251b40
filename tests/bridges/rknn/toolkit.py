"""A toolkit in place of RKNN-Toolkit2: it records the steps, and runs ONNX models by ONNX Runtime."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from lite.ir.types import Array


class Rknn:
    """The toolkit's class; `codes` are return codes of steps that fail."""

    codes: ClassVar[dict[str, int]] = {}
    steps: ClassVar[list[str]] = []

    def __init__(self, *, verbose: bool) -> None:
        assert not verbose
        self.model = b""

    def _done(self, step: str) -> int:
        self.steps.append(step)
        return self.codes.get(step, 0)

    def config(self, target_platform: str) -> int:
        return self._done(f"config {target_platform}")

    def load_onnx(self, model: str) -> int:
        self.model = Path(model).read_bytes()
        return self._done("load_onnx")

    def build(self, *, do_quantization: bool) -> int:
        assert not do_quantization
        return self._done("build")

    def init_runtime(self) -> int:
        return self._done("init_runtime")

    def export_rknn(self, path: str) -> int:
        Path(path).write_bytes(b"rknn")
        return self._done("export_rknn")

    def release(self) -> None:
        self._done("release")

    def inference(self, inputs: list[Array], data_format: list[str]) -> Any:
        import onnxruntime as ort

        self._done(" ".join(data_format))
        session = ort.InferenceSession(self.model, providers=["CPUExecutionProvider"])
        names = [port.name for port in session.get_inputs()]
        return session.run(None, dict(zip(names, inputs, strict=True)))
