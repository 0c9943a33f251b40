"""A program to the graph that emitters see: clean, fused, of static shapes, in their layouts."""

from __future__ import annotations

from collections.abc import Sequence

from lite.config import CPU, Config
from lite.errors import ConfigError
from lite.io.load import load_program
from lite.ir.graph import Graph
from lite.ir.types import HOST, Layout, Place, is_known, shape_text
from lite.ops.program_graph import program_graph
from lite.ops.window import is_channel_last
from lite.passes.base import PassContext
from lite.passes.manager import PassManager
from lite.passes.pipelines import CLEANUP, FUSIONS, HEAD
from lite.plugin.emitter import EMITTERS, load_emitters

_NOT_FOR_SOURCE = {
    "growing_concat_to_array_pass",
    "attention_fuse_pass",
    "squeeze_excite_fuse_pass",
    "embedding_eltwise_layernorm_fuse_pass",
    "skip_layernorm_fuse_pass",
    "quantized_moves_pass",
    "quantized_lookup_fuse_pass",
    "quantized_group_fuse_pass",
    "weight_storage_fuse_pass",
}
"""Fusions whose ops have no emitter: the products, softmax, additions and integers within them have."""

PASSES = (*HEAD, *CLEANUP, *(name for name in FUSIONS if name not in _NOT_FOR_SOURCE))
_LAYOUTS = ("type_layout_cast_pass", "dead_code_elimination_pass")


def lower(config: Config, language: str, outputs: Sequence[str] = ()) -> Graph:
    """The graph of a Config's model for emitters of `language`; see `optimized`, which raises its errors."""
    graph, context = optimized(config, outputs)
    _load_emitters(graph, language)
    for node in (node for each in graph.walk() for node in each):
        formats = (node.attrs.get(name) for name in ("data_format", "data_layout"))
        own = any(isinstance(text, str) and is_channel_last(text) for text in formats)
        emitter = EMITTERS.find((language, node.op))
        nhwc = emitter is not None and emitter.channels_last and not own
        node.place = Place(HOST, None, Layout.NHWC if nhwc else Layout.ANY)
    PassManager(_LAYOUTS, debug=config.debug, strict_order=False).run(graph, context)
    _load_emitters(graph, language)
    return graph


def _load_emitters(graph: Graph, language: str) -> None:
    load_emitters(language, sorted({node.op for each in graph.walk() for node in each}))


def optimized(config: Config, outputs: Sequence[str] = ()) -> tuple[Graph, PassContext]:
    """The graph of a Config's model after the passes that do not depend on layouts, and their context.

    With `outputs`, names of variables, the graph computes only these.

    Raises what `load_program` raises, and `ConfigError` for an input whose shape is open.
    """
    graph = original(config, outputs)
    if outputs:
        results = dict(zip(graph.result_names, graph.results, strict=True))
        graph.set_results([results[name] for name in outputs], list(outputs))
    open_args = [arg for arg in graph.args if not is_known(arg.shape)]
    if open_args:
        names = ", ".join(f"{arg.name} {shape_text(arg.shape)}" for arg in open_args)
        raise ConfigError(
            f"source code has fixed sizes, but these inputs have open ones: {names}; "
            "give their sizes, for example --shape x=1,3,224,224"
        )
    # The place cpu asks for the fusions of compiled kernels, which numba need not compile here.
    context = PassContext((Place(CPU), Place(HOST)), strict=config.precision == "strict")
    PassManager(PASSES, debug=config.debug, strict_order=False).run(graph, context)
    return graph, context


def original(config: Config, keep: Sequence[str] = ()) -> Graph:
    """The graph of a Config's model before all passes; the variables `keep` are results, too."""
    return program_graph(load_program(config), [*config.keep, *keep], config.input_shapes)
