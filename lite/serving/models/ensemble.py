"""Ensembles: graphs of models that one request runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from lite.errors import ConfigError, ExecutionError, suggest
from lite.ir.types import Array
from lite.serving.models.model_value import Value
from lite.serving.repository.settings import Step

RunStep = Callable[[str, Mapping[str, Value]], Awaitable[Mapping[str, Value]]]
"""Runs a model by name."""


def check_steps(steps: Sequence[Step], inputs: Iterable[str], outputs: Iterable[str]) -> None:
    """Raise `ConfigError` if a step reads a value that no input and no earlier step gives."""
    known = set(inputs)
    for number, step in enumerate(steps):
        for value in step.inputs.values():
            if value not in known:
                raise ConfigError(
                    f"ensemble[{number}] ({step.model}): no input and no earlier step gives "
                    f"{value!r}{suggest(value, known)}"
                )
        for value in step.outputs.values():
            if value in known:
                raise ConfigError(f"ensemble[{number}] ({step.model}): {value!r} has a value already")
            known.add(value)
    for value in outputs:
        if value not in known:
            raise ConfigError(f"ensemble: no step gives the output {value!r}{suggest(value, known)}")


async def run_ensemble(steps: Sequence[Step], inputs: Mapping[str, Value], run: RunStep) -> dict[str, Value]:
    """All values of the graph by name.  A step begins when the values that it reads are there."""
    loop = asyncio.get_running_loop()
    values: dict[str, asyncio.Future[Value]] = {}
    for name, array in inputs.items():
        values[name] = loop.create_future()
        values[name].set_result(array)
    for step in steps:
        values.update((name, loop.create_future()) for name in step.outputs.values())
    tasks = [asyncio.ensure_future(_run_step(step, values, run)) for step in steps]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
    return {name: future.result() for name, future in values.items() if future.done()}


async def _run_step(step: Step, values: Mapping[str, asyncio.Future[Value]], run: RunStep) -> None:
    feeds = {name: await values[value] for name, value in step.inputs.items()}
    if step.each:
        results = await _run_each(step, feeds, run)
    else:
        results = await run(step.model, feeds)
    for name, value in step.outputs.items():
        if name not in results:
            raise ExecutionError(f"ensemble: model {step.model!r} has no output {name!r}")
        values[value].set_result(results[name])


async def _run_each(step: Step, feeds: Mapping[str, Value], run: RunStep) -> Mapping[str, Value]:
    lists = {name: feed for name in step.each if isinstance(feed := feeds[name], list)}
    lengths = {len(feed) for feed in lists.values()}
    if len(lists) != len(step.each) or len(lengths) != 1:
        raise ExecutionError(
            f"ensemble: step {step.model!r}: each needs lists of equal lengths in {', '.join(step.each)}"
        )
    fixed = {name: feed for name, feed in feeds.items() if name not in lists}
    results = await asyncio.gather(
        *(
            run(step.model, {**fixed, **{name: feed[number] for name, feed in lists.items()}})
            for number in range(lengths.pop())
        )
    )
    return {name: [_array(step, name, each[name]) for each in results] for name in step.outputs}


def _array(step: Step, name: str, value: Value) -> Array:
    if isinstance(value, list):
        raise ExecutionError(f"ensemble: step {step.model!r}: output {name!r} of one item is a list")
    return value
