"""A device that is only asked what a key wants to know."""

from __future__ import annotations

from dataclasses import dataclass

from lite.cache import CacheKey, KeyPart, WeightHashes, cache_key
from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.ir.text import parse_graph
from lite.plugin.device import CompiledModel, Device, Settings, Signature, meta_of


@dataclass(frozen=True)
class Options:
    cores: object = 1


class PlainDevice(Device[Options]):
    name = "plain"
    sdk = "1.0"

    def available(self) -> str | None:
        return None

    def version(self) -> str:
        return self.sdk

    def compile(self, graph: Graph, signature: Signature) -> CompiledModel:
        raise CompileError("not asked for")


REGION = """
graph region(%x: float32[2,s], %z: int64[1]) {
  %w = const float32[2] [1.0, 2.0]
  %a = elementwise_add(X=%x, Y=%w) {axis=0} : float32[2,s]
  %b = scale(X=%a) {scale=2.0, bias=0.0} : float32[2,s]
  return %b
}
"""


def key_of(
    text: str = REGION,
    *,
    device: Device[Options] | None = None,
    spec: str = "plain",
    weights: WeightHashes | None = None,
    signature: Signature | None = None,
) -> CacheKey:
    """The key of a region, for what its arguments say."""
    graph = parse_graph(text)
    given = tuple(meta_of(arg) for arg in graph.args) if signature is None else signature
    opened = PlainDevice(Options(), Settings()) if device is None else device
    return cache_key(graph, given, opened, spec, weights or WeightHashes())


def key_named(name: str, **parts: str) -> CacheKey:
    """A key made up for tests: of a device `name`, with these parts."""
    given = {"device": name, **parts}
    return CacheKey.of(KeyPart(part, f"{sum(map(ord, text)):04x}", text) for part, text in given.items())


def differing(first: CacheKey, second: CacheKey) -> list[str]:
    """The names of the parts in which two keys differ."""
    assert (first.digest == second.digest) == (not first.differing(second))
    return [(mine or other).name for mine, other in first.differing(second) if mine or other]  # type: ignore[union-attr]
