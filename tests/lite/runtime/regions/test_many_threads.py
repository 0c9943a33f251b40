"""Regions of clones that run in several threads."""

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
from tests.lite.runtime.regions.on_fake import CONVNET, device_class, fake_predictor, host_result, image
from tests.support.fake_device import FakeModel, fake_device
from tests.support.log_records import warnings_in


def test_clones_in_threads_share_one_model(net: Path) -> None:
    with fake_device(*CONVNET) as faults:
        first = fake_predictor(net, fallback="error")
        clones = [first.clone() for _ in range(4)]
        x = image()
        expected = host_result(net, x)
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
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)
    assert len(results) == 4


def test_a_dynamic_model_runs_for_one_thread_at_a_time(net: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    running: list[int] = []
    concurrent: list[int] = []

    def counted_run(self: FakeModel, inputs: Sequence[Any], outputs: Sequence[Any]) -> Sequence[Any]:
        running.append(1)
        concurrent.append(len(running))
        time.sleep(0.005)
        results = run(self, inputs, outputs)
        running.pop()
        return results

    run = FakeModel.run
    with fake_device(*CONVNET, dynamic=True):
        predictor = fake_predictor(net, max_signatures=1, fallback="error")
        for size in (4, 5, 6):
            predictor.run([image(size)])
        monkeypatch.setattr(FakeModel, "run", counted_run)
        threads = [
            threading.Thread(
                target=lambda clone, size: clone.run([image(size)]), args=(predictor.clone(), size)
            )
            for size in (5, 6, 5, 6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert concurrent == [1, 1, 1, 1]


def test_threads_that_wait_for_a_model_share_its_failure(
    net: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    expected = host_result(net, image())
    results: list[Array] = []
    with fake_device(*CONVNET) as faults:
        original = device_class().compile

        def slow(self: Any, graph: Graph, signature: Any) -> CompiledModel:
            time.sleep(0.02)
            model: CompiledModel = original(self, graph, signature)
            return model

        monkeypatch.setattr(device_class(), "compile", slow)
        faults.compile = frozenset(CONVNET)
        first = fake_predictor(net)
        threads = [
            threading.Thread(target=lambda clone: results.append(clone.run([image()])["y"]), args=(clone,))
            for clone in [first.clone() for _ in range(4)]
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        alone = faults.compiled
        fake_predictor(net).run([image()])
    assert faults.compiled == 2 * alone
    assert len(results) == 4
    for each in results:
        np.testing.assert_allclose(each, expected, rtol=1e-4, atol=1e-5)
    assert len(warnings_in(caplog)) == 2
