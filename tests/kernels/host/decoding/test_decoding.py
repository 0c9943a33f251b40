"""Beam search, Viterbi and CTC against searches through everything there is."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lite.errors import ExecutionError
from lite.ir.types import Lod
from lite.ops.array_lod import array_lod
from lite.plugin.kernel import Array, host_kernel
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked, same
from tests.kernels.host.sequence.run_lod_op import Level, cut, draw, int32, int64, joined, run_lod_op

SOURCES: Lod = ((0, 2, 3, 5), (0, 1, 2, 3, 4, 5))


@pytest.mark.parametrize("accumulated", [False, True])
@pytest.mark.parametrize("named", [False, True])
def test_beam_search_selects_the_best_continuations(accumulated: bool, named: bool) -> None:
    rng = np.random.default_rng(1)
    scores = rng.random((5, 3)).astype(np.float32)
    before = rng.random((5, 1)).astype(np.float32)
    ids = rng.integers(10, 99, (5, 3))
    pre_ids = int64([[4], [0], [0], [5], [6]])
    inputs = {"pre_ids": pre_ids, "pre_scores": before, "scores": scores, **({"ids": ids} if named else {})}

    found = run_lod_op(
        "beam_search",
        inputs,
        {"scores": SOURCES},
        {"beam_size": 2, "end_id": 0, "is_accumulated": accumulated},
        {"selected_ids": 1, "selected_scores": 1, "parent_idx": 1},
    )

    chosen: list[tuple[int, float, int]] = []
    for start, end in ((0, 2), (2, 3), (3, 5)):
        items: list[tuple[int, float, int]] = []
        for row in range(start, end):
            if pre_ids[row, 0] == 0:
                items.append((0, float(before[row, 0]), row))
                continue
            for k in range(3):
                score = scores[row, k] if accumulated else before[row, 0] + np.log(scores[row, k])
                items.append((int(ids[row, k]) if named else k, float(score), row))
        best = sorted(items, key=lambda item: -item[1])[:2]
        if any(word != 0 or pre_ids[row, 0] != 0 for word, _, row in best):
            chosen += sorted(best, key=lambda item: item[2])
    (words, lod), (values, _), (parents, _) = found
    same(words, np.array([[word] for word, _, _ in chosen]))
    np.testing.assert_allclose(values, [[value] for _, value, _ in chosen], rtol=1e-6)
    same(parents, int32([row for _, _, row in chosen]))
    counts = [sum(row == wanted for _, _, row in chosen) for wanted in range(5)]
    assert lod == ((0, 2, 3, 5), (0, *np.cumsum(counts).tolist()))


def test_beam_search_ends_when_all_have_ended() -> None:
    ended = np.zeros((2, 1), np.int64)

    found = run_lod_op(
        "beam_search",
        {"pre_ids": ended, "pre_scores": draw(2, 1), "scores": draw(2, 3)},
        {"scores": ((0, 2), (0, 1, 2))},
        {"beam_size": 2, "end_id": 0},
        {"selected_ids": 1, "selected_scores": 1, "parent_idx": 1},
    )

    assert [out.shape for out, _ in found] == [(0, 1), (0, 1), (0,)]
    assert found[0][1] == ((0, 2), (0, 0, 0))


def test_beam_search_decode_follows_the_parents() -> None:
    """Two sources of beam 2; the first ends a step before the second, with an end token repeated."""
    levels: list[Lod] = [
        ((0, 1, 2), (0, 2, 4)),
        ((0, 2, 4), (0, 1, 2, 2, 4)),
        ((0, 2, 4), (0, 0, 0, 1, 2)),
    ]
    ids = [int64([[5], [6], [7], [8]]), int64([[9], [1], [2], [1]]), int64([[3], [1]])]
    scores = [float32([[n * 4 + k] for k in range(len(step))]) for n, step in enumerate(ids)]

    run = host_kernel("beam_search_decode").run
    (words, values), lods = run(ids, scores, end_id=1, lods={"Ids": [array_lod(levels)], "Scores": [()]})

    sentences = [[6, 1], [5, 9], [8, 1], [8, 2, 3]]
    same(words, joined([int64(sentence) for sentence in sentences])[0])
    same(values, float32([1, 5, 0, 4, 3, 9, 3, 6, 8]))
    assert lods["SentenceIds"] == lods["SentenceScores"] == [((0, 2, 4), (0, 2, 4, 6, 9))]


def test_beam_search_decode_refuses_steps_without_lod() -> None:
    run = host_kernel("beam_search_decode").run
    with pytest.raises(ExecutionError, match="two-level LoD"):
        run([int64([[1]])], [draw(1, 1)], end_id=1, lods={"Ids": [()], "Scores": [()]})


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("steps", [0, 1, 4])
def test_gather_tree_follows_the_parents(dtype: type[np.generic], steps: int) -> None:
    rng = np.random.default_rng(steps)
    ids = rng.integers(0, 99, (steps, 2, 3)).astype(dtype)
    parents = rng.integers(0, 3, (steps, 2, 3)).astype(dtype)

    (out,) = checked("gather_tree", {"Ids": ids, "Parents": parents})

    expected = np.zeros_like(ids)
    for batch, beam in np.ndindex(2, 3):
        at = beam
        for step in reversed(range(steps)):
            expected[step, batch, beam] = ids[step, batch, at]
            at = int(parents[step, batch, at])
    same(out, expected)


def best(emission: Array, start: Array, transition: Array, end: Array) -> tuple[float, tuple[int, ...]]:
    """The best of all paths there are."""

    def score(path: tuple[int, ...]) -> float:
        total = start[path[0]] + end[path[-1]] + sum(emission[t, tag] for t, tag in enumerate(path))
        return float(total + sum(transition[a, b] for a, b in itertools.pairwise(path)))

    return max((score(path), path) for path in itertools.product(range(len(start)), repeat=len(emission)))


@pytest.mark.parametrize("label", [False, True])
@pytest.mark.parametrize("level", [(0, 3, 3, 4, 8), (0, 2)])
def test_crf_decoding_finds_the_best_path(label: bool, level: Level) -> None:
    emission, weights = draw(level[-1], 3), draw(5, 3, seed=2)
    labels = np.random.default_rng(3).integers(0, 3, (level[-1], 1))
    paths = [
        list(best(part, weights[0], weights[2:], weights[1])[1]) if len(part) else []
        for part in cut(emission, level)
    ]
    wide = max(map(len, paths))
    lengths = int64([len(path) for path in paths])
    padded, padded_labels = (
        np.zeros((len(paths), wide, 3), np.float32),
        np.zeros((len(paths), wide), np.int64),
    )
    expected = np.zeros((len(paths), wide), np.int64)
    for n, path in enumerate(paths):
        padded[n, : len(path)] = cut(emission, level)[n]
        padded_labels[n, : len(path)] = cut(labels, level)[n][:, 0]
        expected[n, : len(path)] = path == padded_labels[n, : len(path)] if label else path

    with_lod = {"Emission": emission, "Transition": weights, **({"Label": labels} if label else {})}
    with_length = {"Emission": padded, "Transition": weights, "Length": lengths}
    with_length |= {"Label": padded_labels} if label else {}
    ((out, lod),) = run_lod_op("crf_decoding", with_lod, {"Emission": (level,)})
    ((rows, _),) = run_lod_op("crf_decoding", with_length, {})

    same(rows, expected)
    same(out[:, 0], np.concatenate([row[:n] for row, n in zip(expected, lengths, strict=True)]))
    assert lod == (level,)


@pytest.mark.parametrize("tagged", [False, True])
@pytest.mark.parametrize("lengths", [[4, 1, 3], [2, 2, 2]])
def test_viterbi_decode_finds_the_best_path(tagged: bool, lengths: list[int]) -> None:
    x, transition = draw(3, 4, 4), draw(4, 4, seed=2)

    scores, path = checked(
        "viterbi_decode",
        {"Input": x, "Transition": transition, "Length": int64(lengths)},
        {"include_bos_eos_tag": tagged},
        {"Scores": 1, "Path": 1},
    )

    zeros = np.zeros(4)
    start, end = (transition[-1], transition[-2]) if tagged else (zeros, zeros)
    found = [best(row[:length], start, transition, end) for row, length in zip(x, lengths, strict=True)]
    expected = np.zeros((3, max(lengths)), np.int64)
    for row, (_, tags) in zip(expected, found, strict=True):
        row[: len(tags)] = tags
    np.testing.assert_allclose(scores, [score for score, _ in found], rtol=1e-5)
    same(path, expected)


def collapsed(tokens: Array, merge: bool) -> list[int]:
    kept = [int(t) for n, t in enumerate(tokens) if not (merge and n and tokens[n - 1] == t)]
    return [token for token in kept if token != 0]


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize("level", [(0, 5, 5, 7, 12), (0, 3)])
def test_ctc_align_drops_blanks_and_repetitions(merge: bool, level: Level) -> None:
    tokens = np.random.default_rng(2).integers(0, 3, (level[-1], 1))
    parts = [collapsed(part[:, 0], merge) for part in cut(tokens, level)]
    wide = max(end - start for start, end in itertools.pairwise(level))
    padded = np.full((len(parts), wide), 1)
    for row, part in zip(padded, cut(tokens, level), strict=True):
        row[: len(part)] = part[:, 0]
    lengths = np.diff(np.array(level))[:, None]
    attrs = {"blank": 0, "merge_repeated": merge, "padding_value": 7}

    ((out, lod),) = run_lod_op("ctc_align", {"Input": tokens}, {"Input": (level,)}, attrs)
    (rows, _), (counts, _) = run_lod_op(
        "ctc_align", {"Input": padded, "InputLength": lengths}, {}, attrs, {"Output": 1, "OutputLength": 1}
    )

    same(out, np.concatenate([np.array(part, np.int64) for part in parts])[:, None])
    assert lod == ((0, *np.cumsum([len(part) for part in parts]).tolist()),)
    same(counts, np.array([[len(part)] for part in parts]))
    same(rows, np.array([part + [7] * (wide - len(part)) for part in parts]))


def test_ctc_align_of_blanks_gives_a_single_minus_1() -> None:
    ((out, lod),) = run_lod_op("ctc_align", {"Input": np.zeros((2, 1), np.int32)}, {"Input": ((0, 1, 2),)})

    same(out, int32([[-1]]))
    assert lod == ((0, 0, 0),)
