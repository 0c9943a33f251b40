"""ONNX Runtime's CPU provider."""

from __future__ import annotations

from lite.tools.bench.peers.peer import Feeds, Files, PackagePeer, Run


def load(files: Files, feeds: Feeds, threads: int) -> Run:
    """Load with all graph optimisations, the default."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(files.onnx), options, providers=["CPUExecutionProvider"])
    named = dict(zip((port.name for port in session.get_inputs()), feeds.values(), strict=True))
    return lambda: list(session.run(None, named))


ONNX_RUNTIME = PackagePeer("ONNX Runtime", "onnxruntime", "onnxruntime", load)
