"""PassManager runs, orders, retries and reports passes."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import pytest

from lite.errors import ConfigError, GraphError, PassError, VerifyError
from lite.ir.graph import Graph
from lite.ir.text import parse_graph
from lite.ir.types import HOST, DType, Place
from lite.passes.base import Outcome, Pass, PassContext, Result, Retry
from lite.passes.manager import MAX_RETRIES, PassManager
from lite.passes.registry import PASSES, register_pass

LOOP = """
graph main(%c: bool[1], %x: float32[2]) {
  %c#1, %x#1 = while(Condition=%c, X=%x) {carried=2} : bool[1], float32[2]
    graph block1(%c: bool[1], %x: float32[2]) {
      %y = relu(X=%x) : float32[2]
      return c=%c, x=%y
    }
  return %x#1
}
"""

SEEN: list[str] = []


class Base(Pass):
    def run(self, graph: Graph, ctx: PassContext) -> Result:
        SEEN.append(f"{self.name} {graph.name}")
        return Outcome.UNCHANGED


@dataclass(frozen=True)
class First(Base):
    name: ClassVar[str] = "first_pass"


@dataclass(frozen=True)
class Second(Base):
    name: ClassVar[str] = "second_pass"
    after: ClassVar[tuple[str, ...]] = ("first_pass", "absent_pass")
    whole_program: ClassVar[bool] = True


@dataclass(frozen=True)
class Elsewhere(Base):
    name: ClassVar[str] = "elsewhere_pass"
    targets: ClassVar[tuple[str, ...]] = ("npu", "gpu")


@dataclass(frozen=True)
class Again(Base):
    """Wants to run `times` times more, by the number of its own runs seen."""

    times: int = 1
    name: ClassVar[str] = "again_pass"
    whole_program: ClassVar[bool] = True

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        super().run(graph, ctx)
        return Retry("more to do") if len(SEEN) <= self.times else Outcome.UNCHANGED


@dataclass(frozen=True)
class Failing(Base):
    name: ClassVar[str] = "failing_pass"

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        raise GraphError("no such thing")


@dataclass(frozen=True)
class Crashing(Base):
    name: ClassVar[str] = "crashing_pass"

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        raise KeyError("slot")


@dataclass(frozen=True)
class Breaking(Base):
    """Leaves a graph that does not verify."""

    name: ClassVar[str] = "breaking_pass"
    whole_program: ClassVar[bool] = True

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        graph.args.clear()
        return Outcome.CHANGED


@dataclass(frozen=True)
class Reshaping(Base):
    """Makes the result of a relu that of an unsqueeze or a cast, without a change of its stated type."""

    op: str = "unsqueeze2"
    name: ClassVar[str] = "reshaping_pass"

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        for node in graph:
            node.op = self.op
            node.attrs = {"axes": [0]} if self.op == "unsqueeze2" else {"out_dtype": DType.INT32.code}
        return Outcome.CHANGED


@pytest.fixture(autouse=True)
def passes() -> Iterator[None]:
    SEEN.clear()
    classes = (First, Second, Elsewhere, Again, Failing, Crashing, Breaking, Reshaping)
    for cls in classes:
        register_pass(cls)
    yield
    for cls in classes:
        PASSES.remove(cls.name)


def context() -> PassContext:
    return PassContext()


def test_inner_blocks_come_first_and_whole_program_passes_run_once() -> None:
    ctx = context()

    records = PassManager(["first_pass", "second_pass", "first_pass"]).run(parse_graph(LOOP), ctx)

    once = ["first_pass block1", "first_pass main"]
    assert [*once, "second_pass main", *once] == SEEN
    assert ctx.results.history == ["first_pass", "second_pass", "first_pass"]
    assert [(r.name, r.changed, r.ops_before, r.ops_after) for r in records] == [
        ("first_pass", False, 2, 2),
        ("second_pass", False, 2, 2),
        ("first_pass", False, 2, 2),
    ]


def test_after_each_receives_every_pass() -> None:
    calls: list[tuple[str, str, int, bool, bool]] = []

    def after_each(name: str, graph: Graph, index: int, seconds: float, changed: bool) -> None:
        calls.append((name, graph.name, index, seconds >= 0, changed))

    PassManager(["first_pass", "again_pass{times=1}"], after_each=after_each).run(
        parse_graph(LOOP), context()
    )

    # One run of again_pass sees two runs of first_pass before it, so it does not ask for another.
    assert calls == [("first_pass", "main", 0, True, False), ("again_pass", "main", 1, True, False)]


def test_targets_restrict_passes() -> None:
    manager = PassManager(["elsewhere_pass"])

    assert manager.run(parse_graph(LOOP), context()) == []
    assert len(manager.run(parse_graph(LOOP), PassContext((Place(HOST), Place("npu"))))) == 1


def test_a_wrong_order_is_an_error() -> None:
    message = "pass second_pass must come after first_pass, which the list has later"
    with pytest.raises(PassError, match=message):
        PassManager(["second_pass", "first_pass"])


def test_a_wrong_order_is_a_warning_in_a_users_list(caplog: pytest.LogCaptureFixture) -> None:
    PassManager(["second_pass", "first_pass"], strict_order=False)

    assert [(r.levelname, r.getMessage()) for r in caplog.records] == [
        ("WARNING", "pass second_pass must come after first_pass, which the list has later")
    ]


@pytest.mark.parametrize("specs", [["second_pass"], ["first_pass", "second_pass", "first_pass"]])
def test_the_order_is_checked_by_first_positions(specs: list[str]) -> None:
    PassManager(specs)


def test_retry_runs_again_and_counts_as_a_change() -> None:
    [record] = PassManager([f"again_pass{{times={MAX_RETRIES}}}"]).run(parse_graph(LOOP), context())

    assert SEEN == ["again_pass main"] * (MAX_RETRIES + 1)
    assert record.changed


def test_retry_is_bounded() -> None:
    manager = PassManager([f"again_pass{{times={MAX_RETRIES + 1}}}"])

    with pytest.raises(PassError) as error:
        manager.run(parse_graph(LOOP), context())
    assert (
        str(error.value)
        == "pass again_pass failed: it asked to run again more than 5 times on main: more to do"
    )
    assert len(SEEN) == MAX_RETRIES + 1


def test_a_failure_names_the_passes_before() -> None:
    with pytest.raises(PassError) as error:
        PassManager(["first_pass", "second_pass", "failing_pass"]).run(parse_graph(LOOP), context())
    assert str(error.value) == "pass failing_pass failed after first_pass, second_pass: no such thing"
    assert isinstance(error.value.__cause__, GraphError)


def test_a_programming_error_becomes_a_pass_error() -> None:
    with pytest.raises(PassError) as error:
        PassManager(["crashing_pass"]).run(parse_graph(LOOP), context())
    assert str(error.value) == "pass crashing_pass failed: KeyError: 'slot'"


def test_debug_verifies_the_graph() -> None:
    PassManager(["breaking_pass"]).run(parse_graph(LOOP), context())

    with pytest.raises(PassError, match="pass breaking_pass failed: rule ") as error:
        PassManager(["breaking_pass"], debug=True).run(parse_graph(LOOP), context())
    assert isinstance(error.value.__cause__, VerifyError)


@pytest.mark.parametrize(("op", "became"), [("unsqueeze2", r"float32\[1,2,n\]"), ("cast", r"int32\[2,n\]")])
def test_debug_names_a_pass_that_changes_the_type_of_a_value(op: str, became: str) -> None:
    text = "graph main(%x: float32[2,n]) {\n%y = relu(X=%x) : float32[2,n]\nreturn %y\n}"
    specs = [f"reshaping_pass{{op={op}}}"]
    PassManager(specs).run(parse_graph(text), context())

    with pytest.raises(PassError, match=rf"pass reshaping_pass .*was float32\[2,n\], became {became}"):
        PassManager(specs, debug=True).run(parse_graph(text), context())


def test_names_of_paddle_lite_are_resolved(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    manager = PassManager(
        ["lite_conv_bn_fuse_pass", "npu_subgraph_pass", "__xpu__fc_fuse_pass", "lite_first_pass"]
    )

    assert [item.name for item in manager.passes] == ["conv_bn_fuse_pass", "first_pass"]
    assert [record.getMessage() for record in caplog.records] == [
        "passes of Paddle-Lite that are not needed here are skipped: npu_subgraph_pass, __xpu__fc_fuse_pass"
    ]


def test_unknown_names_are_errors() -> None:
    with pytest.raises(ConfigError, match="'conv_bn_fuze_pass'; did you mean 'conv_bn_fuse_pass'"):
        PassManager(["conv_bn_fuze_pass"])
    with pytest.raises(ConfigError, match="pass first_pass: no option 'x'"):
        PassManager(["first_pass{x=1}"])
