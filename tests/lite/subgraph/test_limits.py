"""Parts keep the limits at the least cost that an exhaustive search finds; ops above a limit are refused."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from lite.plugin.device import Limits, LocalMemory
from lite.subgraph.limits import PART_BYTES, Split, split_for_limits
from lite.subgraph.split_op import SplitOp

CHAIN = [
    SplitOp((0,), {1: 900}, frozenset(), {1: 10}),
    SplitOp((1,), {2: 100}, frozenset(), {2: 10}),
    SplitOp((2,), {3: 800}, frozenset(), {3: 10}),
    SplitOp((3,), {4: 100}, frozenset({4}), {4: 10}),
]


def counts(ops: Sequence[SplitOp], part: range) -> Limits:
    """The least limits that allow a part."""
    inside = ops[part.start : part.stop]
    written = {value for op in inside for value in op.outputs}
    read_by_others = {value for n, op in enumerate(ops) if n not in part for value in op.inputs}
    read_outside = {value for op in inside for value in op.read_outside}
    return Limits(
        ops=len(part),
        weight_bytes=sum({k: v for op in inside for k, v in op.weights.items()}.values()),
        inputs=len({value for op in inside for value in op.inputs} - written),
        outputs=len(written & (read_by_others | read_outside)),
    )


def fits(limits: Limits, part: Limits) -> bool:
    return all(
        getattr(limits, key) is None or getattr(part, key) <= getattr(limits, key)
        for key in ("ops", "weight_bytes", "inputs", "outputs")
    )


def cost(ops: Sequence[SplitOp], parts: Sequence[range]) -> int:
    """The bytes that parts read from earlier parts, plus the price of each part."""
    size = {value: size for op in ops for value, size in op.outputs.items()}
    total = len(parts) * PART_BYTES
    for part in parts:
        inside = ops[part.start : part.stop]
        own = {value for op in inside for value in op.outputs}
        total += sum(size.get(value, 0) for value in {v for op in inside for v in op.inputs} - own)
    return total


def divisions(count: int) -> Iterator[list[range]]:
    """Every division of ops into consecutive parts."""
    for cuts in itertools.product([False, True], repeat=count - 1):
        ends = [0, *(n for n, cut in enumerate(cuts, 1) if cut), count]
        yield [range(first, last) for first, last in itertools.pairwise(ends)]


def live_bytes(ops: Sequence[SplitOp], part: range, alignment: int = 1) -> int:
    """The most bytes of tensors at one time, by a simulation that frees what no later op reads."""
    size = {value: size for op in ops for value, size in (*op.input_bytes.items(), *op.outputs.items())}
    inside = [ops[n] for n in part]
    own = {value for op in inside for value in op.outputs}
    kept = {v for n, op in enumerate(ops) if n not in part for v in op.inputs if n > part[-1]}
    kept |= {value for op in inside for value in op.read_outside}
    live = {value for op in inside for value in op.inputs} - own
    peak = 0
    for n, op in enumerate(inside):
        live |= set(op.outputs)
        peak = max(peak, sum((size.get(v, 0) + alignment - 1) // alignment * alignment for v in live))
        later = {value for other in inside[n + 1 :] for value in other.inputs}
        live = {value for value in live if value in later or (value in kept and value in own)}
    return peak


def test_parts_fit_in_the_memories_of_the_device() -> None:
    rng = random.Random(1)
    refused = divided = 0
    for _ in range(400):
        ops = [replace(op, input_bytes={0: 700, 1: 300}) for op in random_region(rng, rng.randint(1, 8))]
        whole = range(len(ops))
        alignment = rng.choice([1, 64, 4096])
        local = LocalMemory(
            max(1, round(live_bytes(ops, whole, alignment) * rng.uniform(0.2, 1.1))), alignment
        )
        limits = Limits(local_memory=local, memory_bytes=rng.choice([None, local.bytes // 2 + 1]))

        def fits_memory(
            part: range, ops: Sequence[SplitOp] = ops, limits: Limits = limits, local: LocalMemory = local
        ) -> bool:
            used = live_bytes(ops, part) + (counts(ops, part).weight_bytes or 0)
            whole_fits = limits.memory_bytes is None or used <= limits.memory_bytes
            return whole_fits and live_bytes(ops, part, local.alignment) <= local.bytes

        possible = [
            (sum(not fits_memory(part) for part in parts), cost(ops, parts))
            for parts in divisions(len(ops))
            if all(len(part) == 1 or fits_memory(part) for part in parts)
        ]
        split = split_for_limits(ops, limits)
        assert all(map(fits_memory, split.parts))
        parts = sorted([*split.parts, *(range(n, n + 1) for n in split.refused)], key=lambda part: part.start)
        assert [n for part in parts for n in part] == list(range(len(ops)))
        assert (len(split.refused), cost(ops, parts)) == min(possible)
        assert bool(split.reason) == (not fits_memory(whole) and len(ops) > 1)
        refused += bool(split.refused)
        divided += len(split.parts) > 1
    assert refused > 20
    assert divided > 20


def test_the_reason_of_a_split_has_the_bytes() -> None:
    split = split_for_limits(CHAIN[1:], Limits(local_memory=LocalMemory(850)))
    assert split.reason == "900 bytes of tensors at one time, more than the 850 of local memory"
    assert (split.parts, split.refused) == (
        [range(1)],
        {
            1: "alone it has 900 bytes of tensors at one time, more than the 850 of local memory",
            2: "alone it has 900 bytes of tensors at one time, more than the 850 of local memory",
        },
    )


def random_region(rng: random.Random, count: int) -> list[SplitOp]:
    ops: list[SplitOp] = []
    values = [0, 1]
    for n in range(count):
        outputs = {10 * (n + 1) + k: rng.randint(0, 3) * PART_BYTES // 2 for k in range(rng.randint(1, 2))}
        ops.append(
            SplitOp(
                tuple(rng.choices(values, k=rng.randint(1, 3))),
                outputs,
                frozenset(value for value in outputs if rng.random() < 0.2),
                {k: 10 * k for k in rng.sample(range(4), rng.randint(0, 2))},
            )
        )
        values = (values + list(outputs))[-6:]
    return ops


def test_no_division_refuses_fewer_ops_or_is_cheaper() -> None:
    rng = random.Random(0)
    refused = divided = 0
    for _ in range(400):
        ops = random_region(rng, rng.randint(1, 8))
        limits = Limits(
            ops=rng.choice([None, 2, 4]),
            weight_bytes=rng.choice([None, 30, 50]),
            inputs=rng.choice([None, 2, 3]),
            outputs=rng.choice([None, 2, 3]),
        )
        possible = [
            (sum(not fits(limits, counts(ops, part)) for part in parts), cost(ops, parts))
            for parts in divisions(len(ops))
            if all(len(part) == 1 or fits(limits, counts(ops, part)) for part in parts)
        ]
        split = split_for_limits(ops, limits)
        assert all(fits(limits, counts(ops, part)) for part in split.parts)
        parts = sorted([*split.parts, *(range(n, n + 1) for n in split.refused)], key=lambda part: part.start)
        assert [n for part in parts for n in part] == list(range(len(ops)))
        assert (len(split.refused), cost(ops, parts)) == min(possible)
        refused += bool(split.refused)
        divided += len(split.parts) > 1
    assert refused > 40
    assert divided > 150


@pytest.mark.parametrize(
    ("limits", "ends"),
    [
        (Limits(), [4]),
        (Limits(ops=4, weight_bytes=40, inputs=1, outputs=1), [4]),
        (Limits(ops=3), [2, 4]),
        (Limits(weight_bytes=39), [2, 4]),
        (Limits(ops=1), [1, 2, 3, 4]),
    ],
    ids=["none", "just kept", "ops", "weights", "one op"],
)
def test_a_chain_is_cut_where_the_fewest_bytes_cross(limits: Limits, ends: list[int]) -> None:
    parts = [range(first, last) for first, last in itertools.pairwise([0, *ends])]
    assert split_for_limits(CHAIN, limits) == Split(parts)


def test_an_op_above_a_limit_is_refused_and_separates_the_others() -> None:
    ops = [CHAIN[0], SplitOp((1,), {2: 100}, frozenset(), {0: 1_000, 2: 10}), CHAIN[2], CHAIN[3]]
    assert split_for_limits(ops, Limits(weight_bytes=100, inputs=1)) == Split(
        [range(1), range(2, 4)],
        {1: "alone it has 1,010 bytes of weights, more than the 100 of a region"},
    )
    several = [SplitOp((0, 1), {2: 1, 3: 1}, frozenset({2, 3}))]
    assert split_for_limits(several, Limits(inputs=1, outputs=1)).refused == {
        0: "alone it has 2 inputs, more than the 1 of a region and 2 outputs, more than the 1 of a region"
    }


def test_shared_values_and_weights_count_once() -> None:
    ops = [SplitOp((0, 0), {1: 1}, weights={0: 60}), SplitOp((1, 0), {2: 1}, frozenset({2}), {0: 60})]
    assert split_for_limits(ops, Limits(weight_bytes=60, inputs=1, outputs=1)) == Split([range(2)])


def test_an_empty_region_has_no_parts() -> None:
    assert split_for_limits([], Limits()) == split_for_limits([], Limits(ops=1)) == Split()
