"""TpuLang's graph of a region while bridges add to it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lite.bridges.tpu.compiled import Result, TpuModel
from lite.bridges.tpu.sdk import tpu_lang
from lite.errors import CompileError
from lite.ir.types import Array
from lite.ops.view import Meta

Tensor = Any
"""A `TpuLang.Tensor`, float32; TpuLang infers shapes only when it compiles."""


class Builder:
    """Inputs, constants and results; `lang` is TpuLang, whose functions add ops."""

    def __init__(self, chip: str) -> None:
        self.lang: Any = tpu_lang()
        self.lang.init(chip)
        self._inputs: list[Tensor] = []
        self._outputs: list[Tensor] = []
        self._views: dict[int, tuple[Tensor, Result]] = {}
        """Inputs, and inputs in other shapes, by the identity of their tensors, which are kept."""
        self._constants = 0

    def input(self, name: str, meta: Meta) -> Tensor:
        """An input of the region."""
        shape = list(meta.sizes) or [1]
        tensor = self.lang.Tensor(dtype="float32", shape=shape, name=f"in{len(self._inputs)}")
        self._views[id(tensor)] = tensor, Result("input", len(self._inputs), tuple(meta.sizes))
        self._inputs.append(tensor)
        return tensor

    def constant(self, name: str, array: Array) -> Tensor:
        """A tensor that never changes; one of rank 0 gets an axis."""
        data = np.array(array, np.float32, order="C")
        data = data if data.ndim else data.reshape(1)
        self._constants += 1
        return self.lang.Tensor(
            dtype="float32", ttype="coeff", shape=list(data.shape), data=data, name=f"const{self._constants}"
        )

    def output(self, name: str, tensor: Tensor) -> None:
        """The region's next output."""
        self._outputs.append(tensor)

    def shaped(self, tensor: Tensor, shape: Sequence[int]) -> Tensor:
        """The tensor in another shape; one of rank 0 keeps an axis."""
        sizes = tuple(int(size) for size in shape)
        result = self.lang.reshape(tensor, list(sizes) or [1])
        if id(tensor) in self._views:
            source = self._views[id(tensor)][1]
            self._views[id(result)] = result, Result("input", source.number, sizes)
        return result

    def transposed(self, tensor: Tensor, axes: Sequence[int]) -> Tensor:
        """The tensor with its axes permuted."""
        axes = [int(axis) for axis in axes]
        return tensor if axes == sorted(axes) else self.lang.permute(tensor, axes)

    def product(self, tensor: Tensor, matrix: Array) -> Tensor:
        """The tensor times a constant matrix, along its last axis."""
        return self.lang.matmul(tensor, self.constant("matrix", matrix))

    def channels_first(self, image: Tensor, rank: int, *, last: bool) -> Tensor:
        """An image as [N, C, …], which TpuLang takes; with `last` it is [N, …, C]."""
        return self.transposed(image, [0, rank - 1, *range(1, rank - 1)]) if last else image

    def channels_restored(self, image: Tensor, rank: int, *, last: bool) -> Tensor:
        """An image [N, C, …] in its own layout: with `last`, as [N, …, C]."""
        return self.transposed(image, [0, *range(2, rank), 1]) if last else image

    def compile(self, precision: str, optimization: int) -> TpuModel:
        """The bmodel of the graph; raises `CompileError`.

        TpuLang writes its files into the working directory, and leaves all of them there.
        """
        # A bmodel cannot return what it does not compute: an input, also in another shape.
        computed = list({id(each): each for each in self._outputs if id(each) not in self._views}.values())
        numbers = {id(tensor): n for n, tensor in enumerate(computed)}
        results = [
            self._views[id(each)][1] if id(each) in self._views else Result("output", numbers[id(each)])
            for each in self._outputs
        ]
        here = os.getcwd()
        with tempfile.TemporaryDirectory(dir=here) as folder:
            os.chdir(folder)
            try:
                if computed:
                    self._compile(computed, precision, optimization)
                content = Path(f"region_{precision}.bmodel").read_bytes() if computed else b""
            except OSError as error:
                raise CompileError(f"tpu: TPU-MLIR wrote no bmodel: {error}") from error
            finally:
                os.chdir(here)
                self.lang.deinit()
        return TpuModel(content, results)

    def _compile(self, outputs: list[Tensor], precision: str, optimization: int) -> None:
        for tensor in outputs:
            # Else TpuLang contradicts itself about a result of the shape [1].
            tensor.shape = []
        self.lang.compile_f32(
            "region",
            self._inputs,
            outputs,
            cmp=False,
            mode=precision,
            opt=optimization,
            mlir_inference=False,
            bmodel_inference=False,
            top_mlir_inference=False,
            tpu_mlir_inference=False,
            log_level="simple",
        )
