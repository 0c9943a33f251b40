"""Items of tensor lists, which TensorFlow Lite has as tensors with an axis of items in front."""

from __future__ import annotations

from lite.dataclass import dataclass
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.tensors import Tensor


@dataclass(frozen=True)
class ReplacedItem:
    """A list with another item at a position, integers ``[1]``."""

    items: Tensor
    position: Tensor
    item: Tensor


def replaced_item(node: TfliteNode, writer: GraphWriter) -> ReplacedItem | None:
    """The item that a CONCATENATION puts between the items of a list before a position and those after it.

    ``concat(x[:i], item, x[i + 1:])`` → ``x`` with item i replaced.  TensorFlow Lite's converter writes
    TensorListSetItem so, in each iteration of a loop.  None for every other CONCATENATION.
    """
    if len(node.inputs) != 3 or node.integer("axis") not in (0, -node.output().rank):
        return None
    before, item, after = (node.input(position) for position in range(3))
    first, last = (_producer(each, "SLICE", writer) for each in (before, after))
    if first is None or last is None or first.input(0) is not last.input(0) or item.shape[:1] != (1,):
        return None
    if not _are_all(first.input(1), 0) or not _are_all(last.input(2), -1):
        return None
    end, start = _leading(first.input(2), -1, writer), _leading(last.input(1), 0, writer)
    if end is None or start is None or not _follows(start, end, writer):
        return None
    return ReplacedItem(first.input(0), end, item)


def _producer(tensor: Tensor, op: str, writer: GraphWriter) -> TfliteNode | None:
    node = writer.producers.get(tensor.name)
    return node if node is not None and node.op == op else None


def _leading(tensor: Tensor, number: int, writer: GraphWriter) -> Tensor | None:
    """The first element, as ``[1]``, of a vector that is otherwise one number."""
    node = _producer(tensor, "CONCATENATION", writer)
    if node is None or len(node.inputs) != 2 or node.input(0).shape != (1,):
        return None
    return node.input(0) if _are_all(node.input(1), number) else None


def _follows(tensor: Tensor, other: Tensor, writer: GraphWriter) -> bool:
    """Whether one number is another one plus 1."""
    node = _producer(_scalar(tensor, writer), "ADD", writer)
    if node is None:
        return False
    operands = (node.input(0), node.input(1))
    summands = [each for each in operands if not _are_all(each, 1)]
    return len(summands) == 1 and summands[0] is _scalar(other, writer)


def _scalar(tensor: Tensor, writer: GraphWriter) -> Tensor:
    """What a tensor of one element is a reshape of."""
    node = _producer(tensor, "RESHAPE", writer)
    return tensor if node is None else node.input(0)


def _are_all(tensor: Tensor, number: int) -> bool:
    return tensor.elements is not None and bool((tensor.elements == number).all())
