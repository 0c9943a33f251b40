"""A model file brings devices and passes, but no option that names files or libraries of the machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import lite
from lite.plugin.device import DEVICES, Device, FileOption, device
from lite.session.local_options import check_portable, without_local_options
from lite.session.saved_settings import settings_record, with_settings


@dataclass(frozen=True)
class Options:
    """Options of text, of numbers and of files."""

    level: int = 0
    mode: str = ""
    library: str = ""
    folder: Path | None = None
    ranges: tuple[FileOption, ...] = ()


@pytest.fixture(autouse=True)
def _device() -> Iterator[None]:
    @device("fake_local")
    class Fake(Device[Options]):
        Options = Options
        local_options = ("library",)

        def available(self) -> str | None:
            return None

        def version(self) -> str:
            return "1"

        def compile(self, graph: Any, signature: Any) -> Any:
            raise NotImplementedError

    yield
    DEVICES.remove("fake_local")


LOCAL = [
    'fake_local{library="evil.so"}',
    "fake_local{folder=here}",
    "fake_local{ranges=[a]}",
    "fake_local{mode='/etc/passwd'}",
    r"fake_local{mode='..\\evil'}",
    "subgraph_pass{device=fake_local{library=x}}",
    "subgraph_pass{devices=[sim_npu, fake_local{folder=x}]}",
    "subgraph_pass{device='fake_local{library=x}'}",
    "openvino{cache_dir=blobs}",
    "onnxruntime{provider=QNNExecutionProvider, provider_options=['backend_path=evil.so']}",
]


@pytest.mark.parametrize("text", LOCAL)
def test_a_file_may_not_set_options_of_the_machine(text: str) -> None:
    with pytest.raises(ValueError, match="a model file may not"):
        check_portable(text)
    field = "passes" if text.startswith("subgraph") else "devices"
    with pytest.raises(lite.ModelParseError, match=r"settings in meta\.json are not valid: .*may not"):
        with_settings(lite.Config("m.lbm"), {field: [text]}, "m.lbm")


@pytest.mark.parametrize(
    "text",
    [
        "fake_local",
        "fake_local{level=2, mode=fast}",
        "nowhere{a=1}",
        "openvino{device=GPU.1}",
        "graph_visualize_pass{fold=['prefix:layer/3_']}",
        "conv_bn_fuse_pass",
    ],
)
def test_other_options_are_taken(text: str) -> None:
    check_portable(text)
    assert without_local_options(text) == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("fake_local{level=2, library='/x.so', folder=here}", "fake_local{level=2}"),
        ("fake_local{level=2, mode='a/b'}", "fake_local{level=2}"),
        ("openvino{hint=LATENCY, cache_dir=blobs}", "openvino{hint=LATENCY}"),
        ("subgraph_pass{devices=[fake_local{library=x}]}", "subgraph_pass{devices=[fake_local]}"),
    ],
)
def test_options_of_the_machine_are_not_stored_and_plan_nothing_again(text: str, kept: str) -> None:
    assert without_local_options(text) == kept
    field = "passes" if text.startswith("subgraph") else "devices"
    fields: dict[str, Any] = {field: [text]}
    config = lite.Config("m", **fields)
    record = settings_record(config)
    assert record[field] == [kept]
    assert with_settings(config, record, "m.lbm").changed == ()
