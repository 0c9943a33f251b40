"""The most likely path through scored tags, for many sequences at once."""

from __future__ import annotations

import numpy as np

from lite.plugin.kernel import Array


def best_path(
    emissions: Array, lengths: Array, start: Array, transition: Array, end: Array
) -> tuple[Array, Array]:
    """Scores [B] and paths [B, S], int64, for emissions [B, S, tags] and sequences of `lengths` [B].

    `start` and `end` score the first and last tag, `transition` [from, to] each step.  Of equally good
    tags the first is taken.  Behind the end of a sequence its path is 0.
    """
    batch, steps, _ = emissions.shape
    path = np.zeros((batch, steps), np.int64)
    if not steps:
        return start.max(initial=0) * np.ones(batch, emissions.dtype), path
    score = start + emissions[:, 0]
    came_from = np.zeros(emissions.shape, np.intp)
    for step in range(1, steps):
        routes = score[:, :, None] + transition
        came_from[:, step] = routes.argmax(axis=1)
        going = (step < lengths)[:, None]
        score = np.where(going, routes.max(axis=1) + emissions[:, step], score)
    score = score + end
    tag = score.argmax(axis=1)
    every = np.arange(batch)
    for step in reversed(range(steps)):
        inside = step < lengths
        path[inside, step] = tag[inside]
        tag = np.where(inside, came_from[every, step, tag], tag)
    return score.max(axis=1), path
