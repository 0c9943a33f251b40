"""Write the models and op cases of `tests/data` from the networks in `tests/support/twins`.

``python -m tests.record_twins``.  ONNX Runtime computes the expected outputs.
"""

from __future__ import annotations

import json
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

import lite
from lite.ir.program import Program
from lite.ir.types import Array
from tests.support.data_folders import OWN
from tests.support.twins import loop
from tests.support.twins.network import model_files
from tests.support.twins.networks import NETWORKS, TwinModel
from tests.support.twins.op_cases import op_cases

WITH_ONNX = ("separable_classifier", "pyramid_detector", "attention_reader")
"""Networks whose ONNX form is stored, too: `tests/support/ocr_models.py` names them."""

FIXED_TIME = (1980, 1, 1, 0, 0, 0)


def main() -> int:
    """Replace all recorded files."""
    (OWN / "onnx").mkdir(parents=True, exist_ok=True)
    for name, make in NETWORKS.items():
        twin = make()
        expected = twin.network.expected(twin.outputs, twin.feeds)
        write_model(name, twin.network.program(twin.outputs), twin.feeds, expected)
        if name in WITH_ONNX:
            model = twin.network.onnx_model(twin.outputs)
            (OWN / "onnx" / f"{name}.onnx").write_bytes(model.SerializeToString(deterministic=True))
    write_model("loop_and_branches", loop.loop_and_branches(), loop.FEEDS, loop.expected())
    for name, cases in op_cases().items():
        write_cases(name, cases)
    sys.stderr.write(f"{sum(path.stat().st_size for path in OWN.rglob('*') if path.is_file())} bytes\n")
    return 0


def write_model(
    name: str, program: Program, feeds: Mapping[str, Array], expected: Mapping[str, Array]
) -> None:
    """Write a model and its `reference.npz` with the arrays ``in:NAME`` and ``out:NAME``."""
    folder = OWN / "models" / name
    lite.save_program(program, folder)
    arrays = {f"in:{key}": array for key, array in feeds.items()}
    arrays |= {f"out:{key}": array for key, array in expected.items()}
    np.savez_compressed(folder / "reference.npz", **arrays)  # type: ignore[arg-type]


def write_cases(name: str, cases: Iterable[TwinModel]) -> None:
    """Write one zip; `tests/suite/op_cases.py` describes its entries."""
    (OWN / "op_cases").mkdir(parents=True, exist_ok=True)
    with (
        zipfile.ZipFile(OWN / "op_cases" / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as archive,
        tempfile.TemporaryDirectory() as scratch,
    ):
        for number, case in enumerate(cases):
            expected = case.network.expected(case.outputs, case.feeds)
            program = case.network.program(case.outputs)
            model, params = model_files(program, Path(scratch) / str(number))
            entries = {"model.pdmodel": model, "model.pdiparams": params}
            meta: dict[str, object] = {"atol": 1e-5, "rtol": 1e-4}
            for kind, arrays in (("in", case.feeds), ("out", expected)):
                described = []
                for n, (key, array) in enumerate(arrays.items()):
                    entries[f"{kind}{n}.bin"] = np.ascontiguousarray(array).tobytes()
                    described.append(
                        {
                            "name": key,
                            "file": f"{kind}{n}.bin",
                            "dtype": array.dtype.name,
                            "shape": list(array.shape),
                            "lod": [],
                        }
                    )
                meta["inputs" if kind == "in" else "outputs"] = described
            entries["meta.json"] = json.dumps(meta).encode()
            for entry, content in entries.items():
                info = zipfile.ZipInfo(f"{number}/{entry}", FIXED_TIME)
                archive.writestr(info, content, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    sys.exit(main())
