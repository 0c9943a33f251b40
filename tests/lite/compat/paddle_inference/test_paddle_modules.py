"""The modules around ``paddle.inference``; expected values were computed by Paddle 3.3.1."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite.compat import paddle_inference
from lite.compat.paddle_inference.paddle import (
    creation,
    data,
    functional,
    jit,
    manipulation,
    math,
    runtime,
    search,
    transforms,
)
from lite.compat.paddle_inference.paddle.dtypes import DTYPES, as_dtype
from lite.compat.paddle_inference.paddle.placeholders import Layer
from lite.compat.paddle_inference.paddle.tensor import Tensor, to_tensor
from lite.errors import ConfigError, InputError, PluginError
from tests.lite.compat.paddle_inference import models

A = to_tensor([[1.0, -2.0, 3.0], [4.0, 0.5, -6.0]])


@pytest.mark.parametrize(
    ("value", "dtype", "shape"),
    [
        (1.5, "float32", []),
        ([1, 2], "int64", [2]),
        (np.float64(2), "float64", []),
        (np.arange(2.0), "float64", [2]),
        ([np.float64(1.0)], "float32", [1]),
        (True, "bool", []),
    ],
)
def test_to_tensor_chooses_the_dtype(value: Any, dtype: str, shape: list[int]) -> None:
    tensor = to_tensor(value)
    assert (str(tensor.dtype), tensor.shape) == (f"paddle.{dtype}", shape)


def test_to_tensor_copies_and_converts() -> None:
    numbers = np.array([1, 2], np.float64)
    tensor, half = to_tensor(numbers), to_tensor(numbers, dtype="float16")
    numbers[:] = 0
    assert (tensor.tolist(), str(half.dtype)) == ([1, 2], "paddle.float16")
    with pytest.raises(InputError, match="expected numbers, got dict"):
        to_tensor({})


def test_dtypes_compare_with_names() -> None:
    assert A.dtype == DTYPES["float32"] == "float32"
    assert A.dtype != "int64"
    assert (as_dtype("paddle.int64").name, len({as_dtype("int8"), DTYPES["int8"]})) == ("INT64", 1)
    with pytest.raises(InputError, match="'float33' is not an element type"):
        as_dtype("float33")


@pytest.mark.parametrize(
    ("result", "dtype", "expected"),
    [
        (A + 1, "float32", [[2, -1, 4], [5, 1.5, -5]]),
        (2 - A, "float32", [[1, 4, -1], [-2, 1.5, 8]]),
        (A * A, "float32", [[1, 4, 9], [16, 0.25, 36]]),
        (A > 0, "bool", [[True, False, True], [True, True, False]]),
        (A @ A.T, "float32", [[14, -15], [-15, 52.25]]),
        (A[A > 3], "float32", [4]),
        (A[0, 1:], "float32", [-2, 3]),
        (A.sum(1), "float32", [2, -1.5]),
        (A.max([0, 1]), "float32", 4),
        (A.min(0, keepdim=True), "float32", [[1, -2, -6]]),
        (A.argmax(1), "int64", [2, 0]),
        (A.argmin(), "int64", 5),
        (A.reshape([0, -1]), "float32", [[1, -2, 3], [4, 0.5, -6]]),
        (A.unsqueeze([0, 1]).squeeze().flatten(), "float32", [1, -2, 3, 4, 0.5, -6]),
        (A.astype("int32"), "int32", [[1, -2, 3], [4, 0, -6]]),
        (A.numel(), "int64", 6),
        (manipulation.concat([A, A], 1)[0], "float32", [1, -2, 3, 1, -2, 3]),
        (manipulation.stack([A, A], 0)[1, 0], "float32", [1, -2, 3]),
        (manipulation.split(A, [1, -1], 1)[1], "float32", [[-2, 3], [0.5, -6]]),
        (manipulation.split(A, 3, 1)[2], "float32", [[3], [-6]]),
        (search.topk(A, 1)[1], "int64", [[2], [0]]),
        (search.topk(A, 2, largest=False)[0], "float32", [[-2, 1], [-6, 0.5]]),
        (search.argsort(to_tensor([1, 2, 1]), descending=True), "int64", [1, 0, 2]),
        (search.where(A > 3)[0], "int64", [1]),
        (search.where(A > 0, A, -A), "float32", [[1, 2, 3], [4, 0.5, 6]]),
        (math.clip(A, -1, 2), "float32", [[1, -1, 2], [2, 0.5, -1]]),
        (creation.full([1, 2], 3, "int32"), "int32", [[3, 3]]),
        (creation.arange(0, 1, 0.5), "float32", [0, 0.5]),
        (creation.arange(3), "int64", [0, 1, 2]),
        (functional.relu(A), "float32", [[1, 0, 3], [4, 0.5, 0]]),
    ],
)
def test_operators_and_functions(result: Tensor, dtype: str, expected: Any) -> None:
    assert str(result.dtype) == f"paddle.{dtype}"
    assert result.tolist() == expected


def test_softmax_and_its_relatives() -> None:
    expected = [[0.1184996, 0.005899749, 0.8756006], [0.970645, 0.02931094, 4.406721e-05]]
    np.testing.assert_allclose(functional.softmax(A).numpy(), expected, rtol=1e-4)
    np.testing.assert_allclose(functional.log_softmax(A).numpy(), np.log(expected), rtol=1e-4)
    np.testing.assert_allclose(functional.sigmoid(A).numpy()[0], [0.731059, 0.119203, 0.952574], rtol=1e-5)
    np.testing.assert_allclose(functional.normalize(A).numpy()[0], [0.267261, -0.534522, 0.801784], rtol=1e-5)


def test_a_tensor_is_an_array_and_a_number() -> None:
    assert np.asarray(A, np.float64).dtype == np.float64
    one = to_tensor(3)
    assert (int(one), float(one), [0, 1, 2, 3][one], bool(one), len(A), one.item()) == (3, 3.0, 3, True, 2, 3)
    changed = A.clone()
    changed[0] = 0
    assert (changed[0].tolist(), A[0].tolist()) == ([0, 0, 0], [1, -2, 3])
    assert [row.shape for row in A] == [[3], [3]]


def test_a_saved_model_is_called_like_a_layer(tmp_path: Path) -> None:
    models.save_relu_of_sum(tmp_path)
    (prefix,) = (path.with_suffix("") for path in tmp_path.glob("*.pdmodel"))
    layer = jit.load(str(prefix))
    x = np.ones((2, 3), np.float32)

    result = layer.eval()(to_tensor(x))

    assert isinstance(result, Tensor)
    np.testing.assert_array_equal(result.numpy(), models.relu_of_sum(x))
    assert [op.type for op in layer.program().blocks[0].ops if op.type not in ("feed", "fetch")] == [
        "elementwise_add",
        "scale",
        "relu",
    ]
    with pytest.raises(ConfigError, match="train with Paddle"):
        layer.train()


def test_images_are_prepared_as_in_paddle() -> None:
    image = np.arange(2 * 4 * 3, dtype=np.uint8).reshape(2, 4, 3)
    chain = transforms.Compose(
        [transforms.CenterCrop(2), transforms.Transpose(), transforms.Normalize([1, 2, 3], [2, 2, 2])]
    )
    assert chain(image)[0].tolist() == [[1, 2.5], [7, 8.5]]
    assert transforms.ToTensor()(image).shape == [3, 2, 4]
    assert transforms.ToTensor()(np.full((1, 1), 51, np.uint8)).tolist() == [[[pytest.approx(0.2)]]]
    with pytest.raises(ConfigError, match="expected one of nearest"):
        transforms.Resize(2, "best")


def test_images_are_resized_by_the_smaller_side() -> None:
    pytest.importorskip("cv2")
    assert transforms.Resize(12)(np.zeros((33, 40, 3), np.uint8)).shape == (12, 14, 3)
    assert transforms.Resize((5, 6))(np.zeros((33, 40, 1), np.uint8)).shape == (5, 6, 1)
    image = pytest.importorskip("PIL.Image").new("RGB", (40, 33))
    assert transforms.Resize(12)(image).size == (14, 12)
    assert transforms.CenterCrop(10)(image).size == (10, 10)


class Numbers(data.Dataset):
    def __len__(self) -> int:
        return 5

    def __getitem__(self, index: int) -> tuple[Any, int, str]:
        return np.full(2, index, np.float32), index, f"row {index}"


def test_batches_of_a_data_set() -> None:
    loader = data.DataLoader(Numbers(), batch_size=2)
    rows, indices, names = list(loader)[1]
    assert (len(loader), rows.tolist(), indices.tolist(), names) == (
        3,
        [[2, 2], [3, 3]],
        [2, 3],
        ["row 2", "row 3"],
    )
    assert [len(batch[1]) for batch in data.DataLoader(Numbers(), batch_size=2, drop_last=True)] == [2, 2]
    assert sorted(int(batch[1]) for batch in data.DataLoader(Numbers(), shuffle=True)) == [0, 1, 2, 3, 4]
    assert data.DataLoader(data.TensorDataset([A]), batch_size=None).__len__() == 2


def test_versions_devices_and_processes(capsys: pytest.CaptureFixture[str]) -> None:
    paddle_inference.install()
    paddle: Any = importlib.import_module("paddle")
    assert paddle.__version__ == paddle.version.full_version == "3.3.1"
    assert (paddle.version.cuda(), paddle.device.get_available_device()) == ("False", ["cpu"])
    assert (paddle.distributed.get_rank(), paddle.distributed.get_world_size()) == (0, 1)
    paddle.set_flags({"FLAGS_a": 1})
    assert paddle.get_flags(["FLAGS_a"]) == {"FLAGS_a": 1}
    paddle.utils.run_check()
    assert "litebridge" in capsys.readouterr().out
    paddle.utils.require_version("2.5")
    with pytest.raises(PluginError, match="the program needs Paddle 9"):
        paddle.utils.require_version("9.0")
    with pytest.raises(ImportError, match="pip install a_package"):
        paddle.utils.try_import("a_package.module")


def test_no_grad_is_a_block_and_a_decorator() -> None:
    def double(x: int) -> int:
        return 2 * x

    with runtime.no_grad():
        pass
    called: Any = runtime.no_grad(double)
    assert (runtime.no_grad()(double)(2), called(2)) == (4, 4)


def test_layers_can_be_imported_and_not_used() -> None:
    paddle_inference.install()
    nn: Any = importlib.import_module("paddle.nn")

    class Net(nn.Layer):  # type: ignore[misc]
        def forward(self, x: int) -> int:
            return x + 1

    assert Net()(1) == 2
    assert isinstance(Net().eval(), Layer)
    with pytest.raises(PluginError, match=r"paddle\.nn\.Linear is not there.*install paddlepaddle"):
        nn.Linear(2, 3)
    assert not hasattr(nn, "_hidden")
