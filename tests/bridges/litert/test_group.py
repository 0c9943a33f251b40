"""Several regions and signatures in one file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.errors import CompileError
from lite.plugin.device import Settings
from lite.tools.analysis.device_build import build_regions
from tests.support.small_convnet import convnet

pytest.importorskip("ai_edge_litert")

from lite.bridges.litert.blob import pack
from lite.bridges.litert.device import Litert, LitertOptions

SIZES = (6, 9)


@pytest.fixture
def net(tmp_path: Path) -> Path:
    lite.save_program(convnet(), tmp_path / "net")
    return tmp_path / "net"


def on_litert(net: Path, **settings: object) -> lite.Predictor:
    """The network on LiteRT, without fallback."""
    config = lite.Config(net, devices=["litert"], fallback="error", min_subgraph_ops=1, **settings)  # type: ignore[arg-type]
    return lite.create_predictor(config)


def check(predictor: lite.Predictor, net: Path) -> None:
    """Compare the results for all sizes with the host."""
    host = lite.create_predictor(lite.Config(net))
    for size in (*SIZES, SIZES[0]):
        x = np.random.default_rng(size).standard_normal((1, 3, size, size)).astype(np.float32)
        np.testing.assert_allclose(predictor.run([x])["y"], host.run([x])["y"], 1e-4, 1e-4)


def test_signatures_share_constants_and_are_kept_together(net: Path, tmp_path: Path) -> None:
    shapes = [{"x": (1, 3, size, size)} for size in SIZES]
    for state in ("built", "loaded"):
        predictor = on_litert(net, cache_dir=tmp_path / "cache")
        predictor.prepare(shapes)
        check(predictor, net)
        assert [each.state for each in predictor.report().regions[0].signatures] == [state, state]
    sizes = sorted(path.stat().st_size for path in (tmp_path / "cache").glob("*.model"))
    apart = on_litert(net)
    for each in shapes:
        apart.prepare(each)
    singles = [len(file) for model in apart.built_models() for file in model.files.values()]
    assert len(sizes) == 3
    assert max(singles) < sizes[-1] < 0.75 * sum(singles)


def test_regions_are_built_into_one_file(net: Path, tmp_path: Path) -> None:
    predictor = on_litert(net, partition_rules="relu -> host")
    x = np.ones((1, 3, 6, 6), np.float32)
    manifest = build_regions(predictor, {"x": x}, tmp_path / "built")
    files = [[each["path"] for each in region["files"]] for region in manifest["regions"]]
    assert files == [["group_0/regions.tflite"]] * len(files)
    assert len(files) > 1


def test_a_damaged_group_is_refused() -> None:
    device = Litert(LitertOptions(), Settings())
    with pytest.raises(CompileError, match="a stored model is damaged"):
        device.load_all(pack(b"TFL3 0123456789")[:-1] + b"?")
