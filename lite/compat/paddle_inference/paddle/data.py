"""``paddle.io``: data sets and batches, one after another in the process itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from lite.compat.paddle_inference.paddle.tensor import Tensor, array_of, to_tensor


class Dataset:
    """A base class of data with ``__getitem__`` and ``__len__``."""


class IterableDataset(Dataset):
    """A base class of data with ``__iter__``."""


class TensorDataset(Dataset):
    """Rows of tensors of equal length."""

    def __init__(self, tensors: Sequence[Any]) -> None:
        self._tensors = tensors

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return tuple(tensor[index] for tensor in self._tensors)

    def __len__(self) -> int:
        return len(self._tensors[0])


class DataLoader:
    """Batches of a data set in its order, made in this process; ``num_workers`` has no effect.

    With ``shuffle`` the order is random.  ``batch_size=None`` passes the items as they are.
    """

    def __init__(
        self,
        dataset: Any,
        *_: object,
        batch_size: int | None = 1,
        shuffle: bool = False,
        drop_last: bool = False,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        **options: object,
    ) -> None:
        self._dataset, self._size, self._shuffle, self._drop = dataset, batch_size, shuffle, drop_last
        self._collate = collate_fn or collate

    def __len__(self) -> int:
        count = len(self._dataset)
        if self._size is None:
            return count
        return count // self._size if self._drop else -(-count // self._size)

    def __iter__(self) -> Iterator[Any]:
        batch: list[Any] = []
        for item in self._items():
            if self._size is None:
                yield item
                continue
            batch.append(item)
            if len(batch) == self._size:
                yield self._collate(batch)
                batch = []
        if batch and not self._drop:
            yield self._collate(batch)

    __call__ = __iter__

    def _items(self) -> Iterator[Any]:
        if isinstance(self._dataset, IterableDataset):
            yield from self._dataset  # type: ignore[misc]
            return
        order = np.arange(len(self._dataset))
        if self._shuffle:
            np.random.default_rng().shuffle(order)
        for index in order:
            yield self._dataset[int(index)]


def collate(batch: list[Any]) -> Any:
    """A batch of items as tensors: fields of tuples, lists and dicts are joined one by one."""
    first = batch[0]
    if isinstance(first, dict):
        return {key: collate([item[key] for item in batch]) for key in first}
    if isinstance(first, (tuple, list)):
        return [collate(list(field)) for field in zip(*batch, strict=True)]
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, (np.ndarray, Tensor)):
        return Tensor(np.stack([array_of(item) for item in batch]))
    return to_tensor(batch)
