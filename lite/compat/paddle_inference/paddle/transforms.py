"""``paddle.vision.transforms``: what prepares images for a model, on numpy arrays and PIL images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lite.compat.paddle_inference.paddle.tensor import Tensor
from lite.errors import ConfigError, InputError
from lite.ir.types import Array

_INTERPOLATIONS = {"nearest": 0, "bilinear": 1, "bicubic": 2, "area": 3, "lanczos": 4}
"""Names → the numbers of OpenCV."""


class Compose:
    """Transforms one after another."""

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = transforms

    def __call__(self, data: Any) -> Any:
        """The transformed image."""
        for transform in self.transforms:
            data = transform(data)
        return data


class BaseTransform:
    """A base class: `_apply_image` is the program's own code."""

    def __init__(self, keys: Sequence[str] | None = None) -> None:
        self.keys = keys

    def __call__(self, inputs: Any) -> Any:
        """The transformed image."""
        return self._apply_image(inputs)

    def _apply_image(self, image: Any) -> Any:
        raise NotImplementedError


class Resize(BaseTransform):
    """An image in height and width, or with its smaller side of a size; arrays need OpenCV, images PIL."""

    def __init__(self, size: int | Sequence[int], interpolation: str = "bilinear", keys: Any = None) -> None:
        super().__init__(keys)
        if interpolation not in _INTERPOLATIONS:
            names = ", ".join(_INTERPOLATIONS)
            raise ConfigError(f"Resize: expected one of {names}, got {interpolation!r}")
        self.size, self.interpolation = size, interpolation

    def _apply_image(self, image: Any) -> Any:
        is_array = isinstance(image, np.ndarray)
        height, width = image.shape[:2] if is_array else (image.height, image.width)
        if isinstance(self.size, int):
            if height <= width:
                target = self.size, int(self.size * width / height)
            else:
                target = int(self.size * height / width), self.size
        else:
            target = self.size[0], self.size[1]
        if is_array:
            import cv2

            number = _INTERPOLATIONS[self.interpolation]
            resized = cv2.resize(image, target[::-1], interpolation=number)
            return resized[:, :, None] if image.ndim == 3 and image.shape[2] == 1 else resized
        from PIL import Image

        return image.resize(target[::-1], Image.Resampling[self.interpolation.upper()])


class CenterCrop(BaseTransform):
    """The middle of an image, in height and width."""

    def __init__(self, size: int | Sequence[int], keys: Any = None) -> None:
        super().__init__(keys)
        self.size = (size, size) if isinstance(size, int) else tuple(size)

    def _apply_image(self, image: Any) -> Any:
        is_array = isinstance(image, np.ndarray)
        height, width = image.shape[:2] if is_array else (image.height, image.width)
        top, left = round((height - self.size[0]) / 2), round((width - self.size[1]) / 2)
        if is_array:
            return image[top : top + self.size[0], left : left + self.size[1]]
        return image.crop((left, top, left + self.size[1], top + self.size[0]))


class Transpose(BaseTransform):
    """An image as an array with its axes in another order, channels first by default."""

    def __init__(self, order: Sequence[int] = (2, 0, 1), keys: Any = None) -> None:
        super().__init__(keys)
        self.order = tuple(order)

    def _apply_image(self, image: Any) -> Array:
        array = np.asarray(image)
        return (array[..., None] if array.ndim == 2 else array).transpose(self.order)


class Normalize(BaseTransform):
    """(image - mean) / std by channel, in float32."""

    def __init__(
        self,
        mean: float | Sequence[float] = 0.0,
        std: float | Sequence[float] = 1.0,
        data_format: str = "CHW",
        to_rgb: bool = False,
        keys: Any = None,
    ) -> None:
        super().__init__(keys)
        self.mean = [mean] * 3 if isinstance(mean, (int, float)) else list(mean)
        self.std = [std] * 3 if isinstance(std, (int, float)) else list(std)
        self.data_format, self.to_rgb = data_format, to_rgb

    def _apply_image(self, image: Any) -> Any:
        array = np.asarray(image, np.float32)
        if array.ndim != 3:
            raise InputError(f"Normalize: expected an image with three axes, got {list(array.shape)}")
        shape = (-1, 1, 1) if self.data_format == "CHW" else (1, 1, -1)
        channels = 0 if self.data_format == "CHW" else 2
        array = np.flip(array, channels) if self.to_rgb else array
        mean, std = (np.array(part, np.float32).reshape(shape) for part in (self.mean, self.std))
        result = (array - mean) / std
        return Tensor(result) if isinstance(image, Tensor) else result


class ToTensor(BaseTransform):
    """An image as a float32 tensor, channels first; integers are divided by 255."""

    def __init__(self, data_format: str = "CHW", keys: Any = None) -> None:
        super().__init__(keys)
        self.data_format = data_format

    def _apply_image(self, image: Any) -> Tensor:
        array = np.asarray(image)
        array = array[..., None] if array.ndim == 2 else array
        scaled = array.astype(np.float32) / (255 if array.dtype == np.uint8 else 1)
        return Tensor(
            np.ascontiguousarray(scaled.transpose(2, 0, 1) if self.data_format == "CHW" else scaled)
        )
