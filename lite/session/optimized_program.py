"""The optimised model of a Config as a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from lite.config import Config
from lite.io.load import load_program
from lite.ir.clone import clone_graph
from lite.ir.graph import Graph
from lite.ir.lower import lower_graph
from lite.ir.program import Program
from lite.ir.types import HOST, Place
from lite.passes.quantize.restore_quantization_pass import restore


def optimized_program(
    config: Config,
    origin: tuple[Graph, Program] | None,
    output_names: Sequence[str],
    optimized_graph: Callable[[Program, Config], Graph],
) -> Program:
    """The model optimised for the host; `origin` is the optimised graph with its program, if it was kept.

    Without it the model is read, and `optimized_graph` makes the graph.
    Raises what `Predictor.optimized_program` raises.
    """
    if origin is None or config.places != (Place(HOST),):
        program = load_program(config)
        graph = optimized_graph(program, replace(config, valid_places=[HOST]))
    else:
        graph, program = origin
    graph = clone_graph(graph)
    restore(graph, regions=True)
    return lower_graph(graph, program, list(output_names))
