"""Keys for tests: of regions of a small device, and made up ones."""

from __future__ import annotations

from dataclasses import dataclass

from lite.cache import CacheKey, KeyPart, WeightHashes
from lite.cache.region_key import region_key
from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.ir.text import parse_graph
from lite.plugin.device import CompiledModel, Device, Settings, Signature, meta_of


@dataclass(frozen=True)
class Options:
    cores: object = 1


class PlainDevice(Device[Options]):
    """A device with the methods that a key needs."""

    name = "plain"
    sdk = "1.0"

    def available(self) -> str | None:
        return None

    def version(self) -> str:
        return self.sdk

    def compile(self, graph: Graph, signature: Signature) -> CompiledModel:
        raise CompileError("this device compiles nothing")


REGION = """
graph region(%x: float32[2,s], %z: int64[1]) {
  %w = const float32[2] [1.0, 2.0]
  %a = elementwise_add(X=%x, Y=%w) {axis=0} : float32[2,s]
  %b = scale(X=%a) {scale=2.0, bias=0.0} : float32[2,s]
  return %b
}
"""


def key_of_region(
    text: str = REGION,
    *,
    device: Device[Options] | None = None,
    spec: str = "plain",
    weights: WeightHashes | None = None,
    signature: Signature | None = None,
) -> CacheKey:
    """The key of the region in a text, for a PlainDevice and the shapes in the text by default."""
    graph = parse_graph(text)
    metas = tuple(meta_of(arg) for arg in graph.args) if signature is None else signature
    device = PlainDevice(Options(), Settings()) if device is None else device
    return region_key(graph, metas, device, spec, weights or WeightHashes())


def made_up_key(device: str, **parts: str) -> CacheKey:
    """A key of `device` with these parts; their digests follow from their texts."""
    texts = {"device": device, **parts}
    return CacheKey.of(KeyPart(part, f"{sum(map(ord, text)):04x}", text) for part, text in texts.items())


def changed_parts(first: CacheKey, second: CacheKey) -> list[str]:
    """The names of the parts in which two keys differ."""
    assert (first.digest == second.digest) == (not first.difference(second))
    return [(part or other).name for part, other in first.difference(second) if part or other]  # type: ignore[union-attr]
