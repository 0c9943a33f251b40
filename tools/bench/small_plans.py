"""Times plans of about ten small ops against ONNX Runtime: ``python -m lite.tools.bench.small_plans``.

Writes ``docs/benchmarks/small_plans.md``.  All times are CPU time of the thread that runs the model, with one
thread, the least of many runs; both engines take turns.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import lite
from lite.ir.types import Array
from lite.runtime.joined_steps import JoinedStep
from lite.tools.bench.processor import processor

PAGE = Path("docs/benchmarks/small_plans.md")

_ROUNDS, _RUNS = 40, 100


def _weights(**shapes: Sequence[int]) -> list[onnx.TensorProto]:
    rng = np.random.default_rng(0)
    return [
        numpy_helper.from_array(rng.standard_normal(shape).astype(np.float32) / 6, name)
        for name, shape in shapes.items()
    ]


def _graph(
    nodes: Sequence[onnx.NodeProto], weights: Sequence[onnx.TensorProto], shape: Sequence[int]
) -> onnx.ModelProto:
    """A model with the input x of this shape, and the last result as output."""
    name = nodes[-1].output[0]
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)],
        weights,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def dense() -> onnx.ModelProto:
    """Five dense layers of 32 with sigmoid, for four rows."""
    nodes, last = [], "x"
    for n in range(5):
        nodes.append(helper.make_node("Gemm", [last, f"w{n}", f"b{n}"], [f"g{n}"]))
        nodes.append(helper.make_node("Sigmoid", [f"g{n}"], [f"s{n}"]))
        last = f"s{n}"
    shapes = {f"{kind}{n}": (32, 32) if kind == "w" else (32,) for n in range(5) for kind in "wb"}
    return _graph(nodes, _weights(**shapes), [4, 32])


def mixed() -> onnx.ModelProto:
    """Ten ops of several kinds on 64 elements."""
    node = helper.make_node
    shape = numpy_helper.from_array(np.array([4, 8, 2]), "shape")
    nodes = [
        node("MatMul", ["x", "w"], ["a"]),
        node("Add", ["a", "b"], ["c"]),
        node("Relu", ["c"], ["d"]),
        node("Mul", ["d", "x"], ["e"]),
        node("ReduceMean", ["e"], ["f"], axes=[1]),
        node("Sub", ["e", "f"], ["g"]),
        node("Reshape", ["g", "shape"], ["h"]),
        node("Transpose", ["h"], ["i"], perm=[1, 0, 2]),
        node("Softmax", ["i"], ["j"], axis=2),
        node("Concat", ["j", "j"], ["k"], axis=2),
    ]
    return _graph(nodes, [*_weights(w=(16, 16), b=(16,)), shape], [4, 16])


def images() -> onnx.ModelProto:
    """Two convolutions with pooling and two dense layers, for 28 by 28 pixels."""
    node = helper.make_node
    pool: dict[str, Any] = {"kernel_shape": [2, 2], "strides": [2, 2]}
    nodes = [
        node("Conv", ["x", "w0"], ["a"]),
        node("Relu", ["a"], ["b"]),
        node("MaxPool", ["b"], ["c"], **pool),
        node("Conv", ["c", "w1"], ["d"]),
        node("Relu", ["d"], ["e"]),
        node("MaxPool", ["e"], ["f"], **pool),
        node("Flatten", ["f"], ["g"]),
        node("Gemm", ["g", "w2", "b2"], ["h"]),
        node("Relu", ["h"], ["i"]),
        node("Gemm", ["i", "w3", "b3"], ["j"]),
        node("Softmax", ["j"], ["k"]),
    ]
    weights = _weights(w0=(8, 1, 3, 3), w1=(16, 8, 3, 3), w2=(400, 32), b2=(32,), w3=(32, 10), b3=(10,))
    return _graph(nodes, weights, [1, 1, 28, 28])


MODELS: Mapping[str, Callable[[], onnx.ModelProto]] = {"dense": dense, "mixed": mixed, "images": images}


def least(functions: Sequence[Callable[[], Any]]) -> list[float]:
    """The least microseconds of each function, which take turns."""
    best = [float("inf")] * len(functions)
    for _ in range(_ROUNDS):
        for n, function in enumerate(functions):
            start = time.thread_time()
            for _ in range(_RUNS):
                function()
            best[n] = min(best[n], (time.thread_time() - start) / _RUNS * 1e6)
    return best


def measured(model: onnx.ModelProto) -> tuple[float, float, float, int, int]:
    """Microseconds of ONNX Runtime, joined and apart; the numbers of steps, apart and joined."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    content = model.SerializeToString()
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    joined, apart = (lite.create_predictor(lite.Config(model_buffer=content)) for _ in range(2))
    shape = [each.dim_value for each in model.graph.input[0].type.tensor_type.shape.dim]
    x: Array = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    feeds = {"x": x}
    for _ in range(3):
        (result,) = joined.run(feeds).values()
    apart.prepare({"x": shape})
    (segment,) = apart._runtime.segments()
    segment.launching = {}
    np.testing.assert_allclose(result, session.run(None, feeds)[0], atol=1e-5)
    times = least([lambda: session.run(None, feeds), lambda: joined.run(feeds), lambda: apart.run(feeds)])
    (bound,) = joined._runtime.segments()
    steps = bound.steps if bound.joined is None else bound.joined.steps
    assert any(isinstance(step, JoinedStep) for step in steps)
    return times[0], times[1], times[2], len(bound.steps), len(steps)


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=PAGE, show_default=True)
def main(out: Path) -> None:
    """Measure, and write the page."""
    rows = []
    for name, make in MODELS.items():
        runtime, joined, apart, before, after = measured(make())
        times = f"{apart:.1f} | {joined:.1f} | {runtime:.1f} | {joined / runtime:.2f}"
        rows.append(f"| {name} | {before} | {after} | {times} |")
        click.echo(rows[-1])
    out.write_text(_page(rows), encoding="utf-8")


def _page(rows: Sequence[str]) -> str:
    import onnxruntime

    listed = "\n".join(f"- {name}: {make.__doc__}" for name, make in MODELS.items())
    table = "\n".join(rows)
    return f"""# Small plans

Microseconds of one run, in one thread: CPU time of the thread, the least of {_ROUNDS} rounds of
{_RUNS} runs, in turns. "Apart" runs each step from Python, "joined" is the default. {processor()},
Python {platform.python_version()}, ONNX Runtime {onnxruntime.__version__}. Written by
`python -m lite.tools.bench.small_plans`.

| model | steps | after joining | apart | joined | ONNX Runtime | joined / ONNX Runtime |
|---|---|---|---|---|---|---|
{table}

{listed}
"""


if __name__ == "__main__":
    main()
