"""Regions that are compiled again without the op at fault."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.ir.types import DType
from lite.plugin.device import CompiledModel
from lite.runtime import Runtime
from tests.lite.runtime.regions.on_fake import CONVNET, X, check_net, device_class, fake_predictor, image
from tests.support.fake_device import Faults, fake_device
from tests.support.log_records import warnings_in
from tests.support.small_programs import make_program


@pytest.mark.parametrize("names_op", [True, False])
def test_a_region_is_split_around_the_op_at_fault(net: Path, names_op: bool) -> None:
    x = image()
    with fake_device(*CONVNET) as faults:
        faults.compile, faults.names_op = frozenset({"reduce_mean"}), names_op
        predictor = fake_predictor(net)
        check_net(predictor, net, x)
        assert faults.runs == 1
        assert predictor.report().regions[0].state == "split"


def test_the_compiler_may_name_an_op_by_any_of_its_outputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    program = make_program(
        {"x": (DType.FLOAT32, (-1, 4))},
        {},
        [
            ("relu", {"X": ["x"]}, {"Out": ["r"]}, {}),
            ("split", {"X": ["r"]}, {"Out": ["a", "b"]}, {"axis": 1, "num": 2}),
            ("tanh", {"X": ["b"]}, {"Out": ["c"]}, {}),
        ],
        ["a", "c"],
    )
    lite.save_program(program, tmp_path / "split")
    with fake_device("relu", "split", "tanh") as faults:
        original = device_class().compile

        def no_split(self: Any, graph: Graph, signature: Any) -> CompiledModel:
            if any(node.op == "split" for node in graph):
                raise CompileError("no circuit for split", "b")
            model: CompiledModel = original(self, graph, signature)
            return model

        monkeypatch.setattr(device_class(), "compile", no_split)
        outputs = fake_predictor(tmp_path / "split", min_subgraph_ops=1).run([X])
    np.testing.assert_array_equal(outputs["a"], np.maximum(X, 0)[:, :2])
    np.testing.assert_allclose(outputs["c"], np.tanh(np.maximum(X, 0)[:, 2:]), rtol=1e-6)
    assert (faults.compiled, faults.runs) == (2, 2)
    [warning] = warnings_in(caplog)
    assert warning.startswith("region 0 on fake runs without op 'a' for float32[2,4]: ")


@pytest.fixture
def split_net(net: Path) -> Iterator[tuple[lite.Predictor, Faults]]:
    """A model whose region is split around the relu."""
    with fake_device(*CONVNET) as faults:
        faults.compile = frozenset({"relu"})
        yield fake_predictor(net), faults


def test_messages_name_a_region_of_a_split_by_its_path(
    split_net: tuple[lite.Predictor, Faults], net: Path, caplog: pytest.LogCaptureFixture
) -> None:
    predictor, faults = split_net
    faults.run = 1
    check_net(predictor, net, image())
    first, *later = warnings_in(caplog)
    assert first.startswith("region 0 on fake runs without op 'b'")
    assert later
    assert all(text.startswith("region 0.0 on fake runs on the host from now on") for text in later)


def test_a_split_keeps_the_options_of_the_users_subgraph_pass(net: Path) -> None:
    """The device that the pass names runs the remaining ops; it is opened once, with its options."""
    with fake_device(*CONVNET) as faults, fake_device(*CONVNET, name="other") as other:
        faults.compile = frozenset({"relu"})
        text = "subgraph_pass{device=fake{version=two}, min_subgraph_ops=3}"
        config = lite.Config(net, devices=["fake", "other"], passes=[text])
        predictor = lite.create_predictor(config)
        check_net(predictor, net, image())
        [outer] = [engine for engine in predictor._state.engines if engine is not None]
        host = outer.bound[0].plan_host()("plain")
        assert isinstance(host, Runtime)
        inner = [engine for engine in host.state.engines if engine is not None]
    assert predictor.report().regions[0].state == "split"
    # conv2d | relu | conv2d, reduce_mean, matmul_v2: the first part is too small.
    assert [[node.op for node in engine.region.graph] for engine in inner] == [
        ["conv2d", "reduce_mean", "matmul_v2"]
    ]
    assert {engine.region.device for engine in inner} == {outer.region.device}
    assert outer.region.device.options.version == "two"
    assert (faults.runs, other.compiled) == (1, 0)
