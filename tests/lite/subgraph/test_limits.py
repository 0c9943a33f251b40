"""Parts keep the limits, at the least cost that an exhaustive search finds; ops above a limit are refused."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

import pytest

from lite.plugin.device import Limits
from lite.subgraph.limits import PART_BYTES, Split, SplitNode, split_for_limits


def op(name: str, inputs: str, outputs: dict[str, int], outside: str = "", **weights: int) -> SplitNode:
    return {
        "name": name,
        "inputs": inputs.split(),
        "outputs": outputs,
        "read_outside": set(outside.split()),
        "weights": weights,
    }


CHAIN = [
    op("a", "x", {"va": 900}, wa=10),
    op("b", "va", {"vb": 100}, wb=10),
    op("c", "vb", {"vc": 800}, wc=10),
    op("d", "vc", {"vd": 100}, "vd", wd=10),
]


def held(nodes: Sequence[SplitNode], part: Sequence[SplitNode]) -> Limits:
    """What a part holds, as the least limits that allow it."""
    written = {value for node in part for value in node["outputs"]}
    inside = {node["name"] for node in part}
    read_by_others = {v for node in nodes if node["name"] not in inside for v in node["inputs"]}
    read_outside = {value for node in part for value in node["read_outside"]}
    return Limits(
        ops=len(part),
        weight_bytes=sum({k: v for node in part for k, v in node["weights"].items()}.values()),
        inputs=len({value for node in part for value in node["inputs"]} - written),
        outputs=len(written & (read_by_others | read_outside)),
    )


def fits(limits: Limits, part: Limits) -> bool:
    return all(
        getattr(limits, key) is None or getattr(part, key) <= getattr(limits, key)
        for key in ("ops", "weight_bytes", "inputs", "outputs")
    )


def cost(nodes: Sequence[SplitNode], parts: Sequence[Sequence[SplitNode]]) -> int:
    """Bytes that parts read from earlier ones, and what each part costs."""
    size = {value: size for node in nodes for value, size in node["outputs"].items()}
    total = len(parts) * PART_BYTES
    for part in parts:
        own = {value for node in part for value in node["outputs"]}
        total += sum(size.get(value, 0) for value in {v for node in part for v in node["inputs"]} - own)
    return total


def runs(nodes: Sequence[SplitNode]) -> Iterator[list[list[SplitNode]]]:
    """Every division of ops into runs."""
    for cuts in itertools.product([False, True], repeat=len(nodes) - 1):
        parts = [[nodes[0]]]
        for node, cut in zip(nodes[1:], cuts, strict=True):
            if cut:
                parts.append([])
            parts[-1].append(node)
        yield parts


def random_region(rng: random.Random, count: int) -> list[SplitNode]:
    nodes: list[SplitNode] = []
    values = ["x", "y"]
    for n in range(count):
        outputs = {f"v{n}_{k}": rng.randint(0, 3) * PART_BYTES // 2 for k in range(rng.randint(1, 2))}
        nodes.append(
            {
                "name": f"n{n}",
                "inputs": rng.choices(values, k=rng.randint(1, 3)),
                "outputs": outputs,
                "read_outside": {value for value in outputs if rng.random() < 0.2},
                "weights": {f"w{k}": 10 * k for k in rng.sample(range(4), rng.randint(0, 2))},
            }
        )
        values = (values + list(outputs))[-6:]
    return nodes


def test_no_division_refuses_fewer_ops_or_is_cheaper() -> None:
    rng = random.Random(0)
    refused = divided = 0
    for _ in range(400):
        nodes = random_region(rng, rng.randint(1, 8))
        limits = Limits(
            ops=rng.choice([None, 2, 4]),
            weight_bytes=rng.choice([None, 30, 50]),
            inputs=rng.choice([None, 2, 3]),
            outputs=rng.choice([None, 2, 3]),
        )
        possible = [
            (sum(not fits(limits, held(nodes, part)) for part in parts), cost(nodes, parts))
            for parts in runs(nodes)
            if all(len(part) == 1 or fits(limits, held(nodes, part)) for part in parts)
        ]
        split = split_for_limits(nodes, limits)
        by_name = {node["name"]: node for node in nodes}
        parts = [[by_name[name] for name in part] for part in split.parts]
        assert all(fits(limits, held(nodes, part)) for part in parts)
        parts += [[by_name[name]] for name in split.refused]
        parts.sort(key=lambda part: nodes.index(part[0]))
        assert [node for part in parts for node in part] == nodes
        assert (len(split.refused), cost(nodes, parts)) == min(possible)
        refused += bool(split.refused)
        divided += len(split.parts) > 1
    assert refused > 40
    assert divided > 150


@pytest.mark.parametrize(
    ("limits", "parts"),
    [
        (Limits(), [["a", "b", "c", "d"]]),
        (Limits(ops=4, weight_bytes=40, inputs=1, outputs=1), [["a", "b", "c", "d"]]),
        (Limits(ops=3), [["a", "b"], ["c", "d"]]),
        (Limits(weight_bytes=39), [["a", "b"], ["c", "d"]]),
        (Limits(ops=1), [["a"], ["b"], ["c"], ["d"]]),
    ],
    ids=["none", "just kept", "ops", "weights", "one op"],
)
def test_a_chain_is_cut_where_the_least_crosses(limits: Limits, parts: list[list[str]]) -> None:
    assert split_for_limits(CHAIN, limits) == Split(parts)


def test_an_op_above_a_limit_is_refused_and_parts_the_others() -> None:
    nodes = [CHAIN[0], op("b", "va", {"vb": 100}, big=1_000, wb=10), CHAIN[2], CHAIN[3]]
    assert split_for_limits(nodes, Limits(weight_bytes=100, inputs=1)) == Split(
        [["a"], ["c", "d"]],
        {"b": "alone it has 1,010 bytes of weights, more than the 100 of a region"},
    )
    several = [op("s", "x y", {"p": 1, "q": 1}, "p q")]
    assert split_for_limits(several, Limits(inputs=1, outputs=1)).refused == {
        "s": "alone it has 2 inputs, more than the 1 of a region and 2 outputs, more than the 1 of a region"
    }


def test_shared_values_and_weights_count_once() -> None:
    nodes = [op("a", "x x", {"va": 1}, w=60), op("b", "va x", {"vb": 1}, "vb", w=60)]
    assert split_for_limits(nodes, Limits(weight_bytes=60, inputs=1, outputs=1)) == Split([["a", "b"]])


def test_an_empty_region() -> None:
    assert split_for_limits([], Limits()) == split_for_limits([], Limits(ops=1)) == Split()
