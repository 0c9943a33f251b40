"""Clones in several threads share the models of their regions."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite.ir.graph import Graph
from lite.ir.types import Array
from lite.plugin.device import CompiledModel
from tests.fake_device import FakeModel, fake_device
from tests.lite.runtime.regions.on_fake import CONVNET, device_class, host_result, image, predictor
from tests.logged import warnings_in


def test_clones_share_models(net: Path) -> None:
    with fake_device(*CONVNET) as faults:
        first = predictor(net, fallback="error")
        clones = [first.clone() for _ in range(4)]
        x = image()
        want = host_result(net, x)
        results: list[Array] = []
        threads = [
            threading.Thread(target=lambda each=each: results.append(each.run([x])["y"])) for each in clones
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert faults.compiled == 1
    for result in results:
        np.testing.assert_allclose(result, want, rtol=1e-4, atol=1e-5)
    assert len(results) == 4


def test_one_model_for_any_shape_runs_for_one_thread_at_a_time(
    net: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running: list[int] = []
    most: list[int] = []

    def watched(self: FakeModel, inputs: Sequence[Any], outputs: Sequence[Any]) -> Sequence[Any]:
        running.append(1)
        most.append(len(running))
        time.sleep(0.005)
        results = run(self, inputs, outputs)
        running.pop()
        return results

    run = FakeModel.run
    with fake_device(*CONVNET, dynamic=True):
        made = predictor(net, max_signatures=1, fallback="error")
        for size in (4, 5, 6):
            made.run([image(size)])
        monkeypatch.setattr(FakeModel, "run", watched)
        threads = [
            threading.Thread(target=lambda clone, size: clone.run([image(size)]), args=(made.clone(), size))
            for size in (5, 6, 5, 6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert most == [1, 1, 1, 1]


def test_threads_that_meet_at_a_region_share_its_failure(
    net: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    want = host_result(net, image())
    found: list[Array] = []
    with fake_device(*CONVNET) as faults:
        compile_it = device_class().compile

        def slow(self: Any, graph: Graph, signature: Any) -> CompiledModel:
            time.sleep(0.02)
            made: CompiledModel = compile_it(self, graph, signature)
            return made

        monkeypatch.setattr(device_class(), "compile", slow)
        faults.compile = frozenset(CONVNET)
        first = predictor(net)
        threads = [
            threading.Thread(target=lambda clone: found.append(clone.run([image()])["y"]), args=(clone,))
            for clone in [first.clone() for _ in range(4)]
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        alone = faults.compiled
        predictor(net).run([image()])
    assert faults.compiled == 2 * alone
    assert len(found) == 4
    for each in found:
        np.testing.assert_allclose(each, want, rtol=1e-4, atol=1e-5)
    assert len(warnings_in(caplog)) == 2
