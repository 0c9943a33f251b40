"""Compares the times of kinds of ops with those in ONNX Runtime's profile."""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lite.dataclass import dataclass
from lite.session.predictor import Predictor
from lite.tools.bench.peers.peer import Feeds

RUNS = 10

_OURS = {
    "conv2d": "convolution",
    "squeeze_excite": "squeeze and excite",
    "conv2d_transpose": "transposed convolution",
    "fc": "matrix product",
    "matmul_v2": "matrix product",
    "pool2d": "pooling",
    "layout": "layout",
    "transpose2": "layout",
    "concat": "concat and split",
    "split": "concat and split",
    "softmax": "softmax",
    "layer_norm": "normalisation",
    "skip_layernorm": "normalisation",
    "nearest_interp_v2": "resize",
    "bilinear_interp_v2": "resize",
    "fused_qkv_attention": "attention",
    "lstm_sequence": "recurrent",
}

_THEIRS = {
    "Conv": "convolution",
    "FusedConv": "convolution",
    "ConvTranspose": "transposed convolution",
    "MatMul": "matrix product",
    "Gemm": "matrix product",
    "FusedGemm": "matrix product",
    "FusedMatMul": "matrix product",
    "MaxPool": "pooling",
    "AveragePool": "pooling",
    "GlobalAveragePool": "pooling",
    "ReorderInput": "layout",
    "ReorderOutput": "layout",
    "Transpose": "layout",
    "Concat": "concat and split",
    "Split": "concat and split",
    "Softmax": "softmax",
    "LayerNormalization": "normalisation",
    "SkipLayerNormalization": "normalisation",
    "Resize": "resize",
    "Upsample": "resize",
    "LSTM": "recurrent",
}

_WITH_SUBGRAPHS = ("If", "Loop", "Scan")

OTHER = "elementwise and other"


@dataclass(frozen=True)
class Gap:
    """Milliseconds per run of one kind of op in both engines."""

    kind: str
    ours: float
    theirs: float


def op_gaps(predictor: Predictor, model: Path, feeds: Feeds, threads: int) -> list[Gap]:
    """The kinds of ops, sorted by the time that litebridge loses."""
    ours = _our_times(predictor, feeds)
    theirs = _their_times(model, feeds, threads)
    gaps = [Gap(kind, ours.get(kind, 0.0), theirs.get(kind, 0.0)) for kind in {*ours, *theirs}]
    return sorted(gaps, key=lambda gap: (gap.theirs - gap.ours, gap.kind))


def _our_times(predictor: Predictor, feeds: Feeds) -> Mapping[str, float]:
    times: dict[str, float] = defaultdict(float)
    profile = predictor.profile(list(feeds.values()), runs=RUNS)
    for op in profile.ops:
        times[_OURS.get(op.op, OTHER)] += op.self_ms / RUNS
    return times


def _their_times(model: Path, feeds: Feeds, threads: int) -> Mapping[str, float]:
    import onnxruntime

    with tempfile.TemporaryDirectory() as folder:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        options.enable_profiling = True
        options.profile_file_prefix = str(Path(folder) / "profile")
        session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        named = dict(zip((port.name for port in session.get_inputs()), feeds.values(), strict=True))
        for _ in range(RUNS + 1):
            session.run(None, named)
        events = json.loads(Path(session.end_profiling()).read_text(encoding="utf-8"))
    return times_of(events)


def times_of(events: Sequence[Mapping[str, Any]]) -> Mapping[str, float]:
    """Milliseconds per run by kind of op, from ONNX Runtime's profile of a first run and `RUNS` others."""
    second_run = sorted(event["ts"] for event in events if event["name"] == "model_run")[1]
    times: dict[str, float] = defaultdict(float)
    for event in events:
        name = event["args"].get("op_name", "") if event.get("cat") == "Node" else ""
        # The time of an op with a sub-graph includes the times of its ops, which are events, too.
        if (
            event["name"].endswith("_kernel_time")
            and event["ts"] >= second_run
            and name not in _WITH_SUBGRAPHS
        ):
            times[_THEIRS.get(name, OTHER)] += event["dur"] / 1000 / RUNS
    return times
