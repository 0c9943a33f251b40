"""The SimNPU SDK: what the vendor of an accelerator ships.  It does not import litebridge.

Build a graph, compile it, load the blob, run it in the device's memory::

    graph = sdk.Graph()
    x = graph.input("x", (1, 3, 8, 8), "float32")
    w = graph.constant("w", weights)
    (y,) = graph.add("CONV_2D", x, w, stride=2, pads=(1, 1, 1, 1))
    graph.output("y", y)
    blob = sdk.compile(graph)

    npu = sdk.Npu()
    model = npu.load(blob)
    source, target = npu.memory.allocate(x.nbytes), npu.memory.allocate(y.nbytes)
    npu.memory.copy_in(source, image)
    model.execute([source], [target])
    npu.memory.copy_out(target, result)

Shapes are static, images are NCHW, elements are float32, int32 or int8; `limits` lists the other limits of
the hardware.  The SDK raises `NpuError` with a status code for anything beyond them.
"""

from lite.bridges.sim_npu.sdk.compiler import compile_graph as compile
from lite.bridges.sim_npu.sdk.compiler import compile_graphs as compile_all
from lite.bridges.sim_npu.sdk.errors import NpuError, Status
from lite.bridges.sim_npu.sdk.graph import Graph
from lite.bridges.sim_npu.sdk.memory import Memory
from lite.bridges.sim_npu.sdk.operator import OPERATORS
from lite.bridges.sim_npu.sdk.runtime import Model, Npu
from lite.bridges.sim_npu.sdk.tensor import Tensor
from lite.bridges.sim_npu.sdk.version import version

__all__ = [
    "OPERATORS",
    "Graph",
    "Memory",
    "Model",
    "Npu",
    "NpuError",
    "Status",
    "Tensor",
    "compile",
    "compile_all",
    "version",
]
