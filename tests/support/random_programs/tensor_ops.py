"""Random programs over many kinds of ops, valid for inputs with any number of rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from lite.ir import Var, VarKind
from lite.ir.types import Array, DType, Lod, Shape
from tests.support.random_programs.builder import (
    BOOL,
    FLOAT,
    INT,
    SEQUENCE_ROWS,
    UNKNOWN_ROWS,
    Case,
    DrawnProgram,
    Variable,
)

_ACTIVATIONS = ("relu", "tanh", "sigmoid", "leaky_relu", "hard_swish", "abs", "square", "softsign", "gelu")
_ARITHMETIC = ("elementwise_add", "elementwise_sub", "elementwise_mul", "elementwise_max", "elementwise_min")


def feeds(rows: int, lengths: Sequence[int], seed: int) -> tuple[dict[str, Array], dict[str, Lod]]:
    """The inputs: x float32[rows, 4], s float32[sum of lengths, 1] with its LoD, and a small k int64[1]."""
    rng = np.random.default_rng(seed)
    arrays: dict[str, Array] = {
        "x": rng.standard_normal((rows, 4)).astype(np.float32),
        "s": rng.standard_normal((sum(lengths), 1)).astype(np.float32),
        "k": np.array([seed % 4]),
    }
    return arrays, {"s": (tuple(int(end) for end in np.cumsum([0, *lengths])),)}


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A program of up to 14 drawn steps that fetches some of its values."""
    program = _Steps(draw)
    for _ in range(program.number(3, 14)):
        program.step()
    return program.case()


class _Steps(DrawnProgram):
    """Adds ops of many kinds to a program."""

    def step(self) -> None:
        steps = (
            self.activation, self.activation, self.arithmetic, self.arithmetic, self.with_weight, self.scale,
            self.reshape, self.reshape, self.unsqueeze, self.transpose, self.split, self.concat, self.slice,
            self.reduce, self.matmul, self.softmax, self.shape_chain, self.stack, self.assign,
            self.select_rows, self.count_up, self.conditional, self.loop, self.tensor_array,
            self.sequence_softmax, self.lod_reset, self.sequence_pool, self.sequence_reverse,
            self.overwrite, self.constants, self.fully_connected,
        )  # fmt: skip
        self.choose(steps)()

    def activation(self) -> None:
        x = self.floats()
        if x is not None:
            kind = self.choose(_ACTIVATIONS)
            self.emit(kind, {"X": x}, {"Out": self.new(x.shape, has_lod=x.has_lod)})

    def arithmetic(self) -> None:
        x = self.floats()
        y = x and self.floats(lambda value: value.shape == x.shape or _is_suffix(value.shape, x.shape))
        if x is not None and y is not None and (UNKNOWN_ROWS not in y.shape or x == y):
            kind = self.choose(_ARITHMETIC)
            self.emit(kind, {"X": x, "Y": y}, {"Out": self.new(x.shape, has_lod=x.has_lod)}, axis=-1)

    def with_weight(self) -> None:
        x = self.floats(lambda value: value.rank > 1 and isinstance(value.shape[-1], int))
        if x is not None and isinstance(x.shape[-1], int):
            kind = self.choose(_ARITHMETIC)
            w = self.weights(x.shape[-1])
            self.emit(kind, {"X": x, "Y": w}, {"Out": self.new(x.shape, has_lod=x.has_lod)}, axis=x.rank - 1)

    def scale(self) -> None:
        x = self.floats()
        if x is not None:
            out = self.new(x.shape, has_lod=x.has_lod)
            scale, bias, bias_last = (
                self.number(-2, 2) / 2,
                float(self.number(-1, 1)),
                bool(self.number(0, 1)),
            )
            self.emit("scale", {"X": x}, {"Out": out}, scale=scale, bias=bias, bias_after_scale=bias_last)

    def reshape(self) -> None:
        x = self.floats(lambda value: value.rank >= 2)
        if x is None:
            return
        if self.number(0, 1) or not _is_static(x.shape[1:]):
            self.emit("reshape2", {"X": x}, {"Out": self.new((_fresh(),))}, shape=[-1])
        else:
            width = int(np.prod([dim for dim in x.shape[1:] if isinstance(dim, int)]))
            out = self.new((x.shape[0], width), has_lod=x.has_lod)
            self.emit("reshape2", {"X": x}, {"Out": out}, shape=[0, -1])

    def unsqueeze(self) -> None:
        x = self.floats(lambda value: value.rank in (1, 2))
        if x is not None:
            axis = self.number(int(x.has_lod), x.rank)
            out = self.new((*x.shape[:axis], 1, *x.shape[axis:]))
            self.emit("unsqueeze2", {"X": x}, {"Out": out}, axes=[axis])
            if self.number(0, 1):
                self.emit("squeeze2", {"X": out}, {"Out": self.new(x.shape)}, axes=[axis])

    def transpose(self) -> None:
        x = self.floats(lambda value: value.rank >= 2)
        if x is not None:
            axes = [*range(1, x.rank), 0]
            out = self.new(tuple(x.shape[axis] for axis in axes))
            self.emit("transpose2", {"X": x}, {"Out": out}, axis=axes)

    def split(self) -> None:
        x = self.floats(lambda value: value.rank > 1 and value.shape[-1] in (2, 3, 4, 8))
        if x is not None and isinstance(x.shape[-1], int):
            sections = [1, x.shape[-1] - 1]
            outs = [self.new((*x.shape[:-1], size), has_lod=x.has_lod) for size in sections]
            self.emit("split", {"X": x}, {"Out": outs}, axis=x.rank - 1, sections=sections)

    def concat(self) -> None:
        x = self.floats(lambda value: value.rank >= 1)
        y = x and self.floats(lambda value: value.shape == x.shape)
        if x is None or y is None or (UNKNOWN_ROWS in x.shape and x != y):
            return
        axis = self.number(0, x.rank - 1)
        dim = x.shape[axis]
        size = dim * 2 if isinstance(dim, int) else _fresh()
        out = self.new((*x.shape[:axis], size, *x.shape[axis + 1 :]))
        self.emit("concat", {"X": [x, y]}, {"Out": out}, axis=axis)

    def stack(self) -> None:
        x = self.floats(lambda value: value.rank <= 2)
        y = x and self.floats(lambda value: value.shape == x.shape)
        if x is not None and y is not None and (UNKNOWN_ROWS not in x.shape or x == y):
            self.emit("stack", {"X": [x, y]}, {"Y": self.new((2, *x.shape))}, axis=0)

    def slice(self) -> None:
        x = self.floats(lambda value: value.rank > 1 and isinstance(value.shape[-1], int))
        if x is not None and isinstance(x.shape[-1], int) and x.shape[-1] > 1:
            stop = self.number(1, x.shape[-1])
            out = self.new((*x.shape[:-1], stop), has_lod=x.has_lod)
            self.emit("slice", {"Input": x}, {"Out": out}, axes=[x.rank - 1], starts=[0], ends=[stop])

    def reduce(self) -> None:
        x = self.floats(lambda value: value.rank >= 2)
        if x is not None:
            keep = bool(self.number(0, 1))
            out = self.new((*x.shape[:-1], 1) if keep else x.shape[:-1])
            kind = self.choose(("reduce_sum", "reduce_mean"))
            self.emit(kind, {"X": x}, {"Out": out}, dim=[-1], keep_dim=keep)

    def matmul(self) -> None:
        x = self.floats(lambda value: value.rank >= 2 and isinstance(value.shape[-1], int))
        if x is not None and isinstance(x.shape[-1], int):
            out = self.new((*x.shape[:-1], 3), has_lod=x.has_lod)
            self.emit("matmul_v2", {"X": x, "Y": self.weights(x.shape[-1], 3)}, {"Out": out})

    def fully_connected(self) -> None:
        """Three ops that passes fuse to an fc with an activation."""
        x = self.floats(lambda value: value.rank == 2 and isinstance(value.shape[-1], int))
        if x is not None and isinstance(x.shape[-1], int):
            shape = (x.shape[0], 4)
            product, summed = self.new(shape, has_lod=x.has_lod), self.new(shape, has_lod=x.has_lod)
            self.emit("matmul_v2", {"X": x, "Y": self.weights(x.shape[-1], 4)}, {"Out": product})
            self.emit("elementwise_add", {"X": product, "Y": self.weights(4)}, {"Out": summed}, axis=-1)
            self.emit("relu", {"X": summed}, {"Out": self.new(shape, has_lod=x.has_lod)})

    def softmax(self) -> None:
        x = self.floats(lambda value: value.rank >= 1)
        if x is not None and x.shape[-1] != UNKNOWN_ROWS:
            self.emit("softmax", {"X": x}, {"Out": self.new(x.shape, has_lod=x.has_lod)}, axis=-1)

    def assign(self) -> None:
        x = self.floats()
        if x is not None:
            self.emit("assign", {"X": x}, {"Out": self.new(x.shape, has_lod=x.has_lod)})

    def shape_chain(self) -> None:
        """A tensor with the shape of another one, computed from the elements of its shape."""
        x = self.floats(lambda value: value.rank == 2)
        if x is not None:
            shape = self.new((2,), DType.INT32)
            filled, out = self.new(x.shape), self.new(x.shape, has_lod=x.has_lod)
            self.emit("shape", {"Input": x}, {"Out": shape})
            self.emit("fill_constant", {"ShapeTensor": shape}, {"Out": filled}, dtype=FLOAT.code, value=1.5)
            self.emit("elementwise_add", {"X": x, "Y": filled}, {"Out": out}, axis=-1)

    def constants(self) -> None:
        """An op on weights alone."""
        self.emit("tanh", {"X": self.weights(4)}, {"Out": self.new((4,))})

    def select_rows(self) -> None:
        """The elements above zero, whose number depends on data."""
        x = self.floats(lambda value: value.rank == 2)
        if x is not None:
            zero = self.weight(np.zeros(1, np.float32))
            mask, where = self.new(x.shape, BOOL), self.new((UNKNOWN_ROWS, 2), INT)
            self.emit("greater_than", {"X": x, "Y": zero}, {"Out": mask}, axis=-1)
            self.emit("where_index", {"Condition": mask}, {"Out": where})
            self.emit("gather_nd", {"X": x, "Index": where}, {"Out": self.new((UNKNOWN_ROWS,))})

    def count_up(self) -> None:
        """0, 1, … below k."""
        numbers, out = self.new((UNKNOWN_ROWS,), INT), self.new((UNKNOWN_ROWS,))
        start, step = self.weight(np.array([0])), self.weight(np.array([1]))
        self.emit("range", {"Start": start, "End": self.known[2], "Step": step}, {"Out": numbers})
        self.emit("cast", {"X": numbers}, {"Out": out}, in_dtype=INT.code, out_dtype=FLOAT.code)

    def overwrite(self) -> None:
        """Write a variable again."""
        x = self.floats(lambda value: value.name.startswith("v"))
        if x is not None:
            self.emit("tanh", {"X": x}, {"Out": x})

    def conditional(self) -> None:
        """If k > 1, write an outer variable again."""
        x = self.floats(lambda value: value.name.startswith("v"))
        if x is not None:
            condition = self.new((1,), BOOL)
            self.emit(
                "greater_than",
                {"X": self.known[2], "Y": self.weight(np.array([1]))},
                {"Out": condition},
                axis=-1,
            )
            body = self.nested(lambda: self.halve(x))
            self.emit(
                "conditional_block",
                {"Cond": condition, "Input": [x]},
                {"Out": [x]},
                sub_block=body,
                is_scalar_condition=True,
            )

    def loop(self) -> None:
        """Write an outer variable again, k times."""
        x = self.floats(lambda value: value.name.startswith("v"))
        if x is not None:
            counter, condition = self.new((1,), INT), self.new((1,), BOOL)
            self.emit("fill_constant", {}, {"Out": counter}, shape=[1], dtype=INT.code, value=0.0)
            self.emit("less_than", {"X": counter, "Y": self.known[2]}, {"Out": condition}, axis=-1)

            def body() -> None:
                self.halve(x)
                self.emit("increment", {"X": counter}, {"Out": counter}, step=1.0)
                self.emit("less_than", {"X": counter, "Y": self.known[2]}, {"Out": condition}, axis=-1)

            index = self.nested(body)
            inputs: dict[str, Variable | Sequence[Variable]] = {"Condition": condition, "X": [x, counter]}
            self.emit("while", inputs, {"Out": [x, counter, condition]}, sub_block=index)
            self.known = [value for value in self.known if value not in (counter, condition)]

    def halve(self, x: Variable) -> None:
        """Half of x plus its hyperbolic tangent, by two variables of the block."""
        before = list(self.known)
        half, tanh = self.new(x.shape), self.new(x.shape)
        self.emit("scale", {"X": x}, {"Out": half}, scale=0.5)
        self.emit("tanh", {"X": half}, {"Out": tanh})
        self.emit("elementwise_add", {"X": half, "Y": tanh}, {"Out": x}, axis=-1)
        self.known = before

    def tensor_array(self) -> None:
        """Write two tensors to a tensor array, and read one of them."""
        x, y = self.floats(), self.floats()
        if x is None or y is None:
            return
        self.count += 1
        array = Variable(f"a{self.count}", ())
        self.block.vars[array.name] = Var(array.name, VarKind.TENSOR_ARRAY, FLOAT)
        first, second = self.weight(np.array([0])), self.weight(np.array([1]))
        self.emit("write_to_array", {"X": x, "I": first}, {"Out": array})
        self.emit("write_to_array", {"X": y, "I": second}, {"Out": array})
        read = y if self.number(0, 1) else x
        out = self.new(read.shape, has_lod=read.has_lod)
        self.emit("read_from_array", {"X": array, "I": second if read is y else first}, {"Out": out})

    def sequence_softmax(self) -> None:
        x = self.floats(lambda value: value.has_lod and value.shape == (SEQUENCE_ROWS, 1))
        if x is not None:
            self.emit("sequence_softmax", {"X": x}, {"Out": self.new(x.shape, has_lod=True)})

    def sequence_reverse(self) -> None:
        x = self.floats(lambda value: value.has_lod and value.shape[0] == SEQUENCE_ROWS)
        if x is not None:
            self.emit("sequence_reverse", {"X": x}, {"Y": self.new(x.shape, has_lod=True)})

    def sequence_pool(self) -> None:
        x = self.floats(lambda value: value.has_lod and value.shape[0] == SEQUENCE_ROWS)
        if x is not None:
            out = self.new((UNKNOWN_ROWS, *x.shape[1:]))
            self.emit("sequence_pool", {"X": x}, {"Out": out}, pooltype=self.choose(("SUM", "MAX", "LAST")))

    def lod_reset(self) -> None:
        """Give a value with as many rows as s the LoD of s."""
        x = self.floats(lambda value: value.rank >= 2 and value.shape[0] == SEQUENCE_ROWS)
        y = self.pick(lambda value: value.has_lod)
        if x is not None and y is not None:
            self.emit("lod_reset", {"X": x, "Y": y}, {"Out": self.new(x.shape, has_lod=True)})


_FRESH = iter(range(1 << 40))


def _fresh() -> str:
    """A size that equals no other size."""
    return f"d{next(_FRESH)}"


def _is_static(shape: Shape) -> bool:
    return all(isinstance(dim, int) for dim in shape)


def _is_suffix(shape: Shape, whole: Shape) -> bool:
    return 0 < len(shape) < len(whole) and whole[-len(shape) :] == shape
