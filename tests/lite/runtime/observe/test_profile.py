"""Profile: sums, table, plain data and trace of recorded times."""

from __future__ import annotations

from dataclasses import replace

from lite.ir.types import DType
from lite.runtime.observe.profile import OpProfile, Profile, Span, Tensor

X = Tensor("x", DType.FLOAT32, (2, 3))
RELU = OpProfile(
    block="main",
    depth=0,
    position=0,
    op="relu",
    output="y",
    place="npu",
    calls=2,
    total_ms=3.0,
    self_ms=3.0,
    min_ms=1.0,
    max_ms=2.0,
    share=0.75,
    inputs=(X,),
    outputs=(X,),
    bytes=48,
)
TANH = replace(RELU, position=1, op="tanh", output="z", total_ms=0.8, self_ms=0.8, share=0.2)
VIEW = replace(RELU, position=2, op="reshape2", calls=0, total_ms=0.0, self_ms=0.0, share=0.0, bytes=0)
LAST = replace(RELU, position=3, total_ms=0.2, self_ms=0.2, share=0.05)
PROFILE = Profile(
    (RELU, TANH, VIEW, LAST),
    (Span(None, 1_000, 2_501_000), Span(None, 3_000_000, 5_500_000)),
    (Span(RELU, 2_000, 1_002_000), Span(TANH, 1_003_000, 1_403_500)),
    1,
)


def test_wall_and_op_time_are_means_over_runs() -> None:
    assert (PROFILE.wall_ms, PROFILE.op_ms) == (2.5, 2.0)
    assert PROFILE.summary == "ops take 2.000 ms of 2.500 ms a run (80.0%); 1 op had nothing to do"


def test_a_profile_is_printed_as_a_table_of_the_ops_that_ran() -> None:
    assert str(PROFILE) == (
        "op  type  output  place  calls  total ms  avg ms  min ms  max ms  share %  bytes  shapes\n"
        "0   relu  y       npu        2         3     1.5       1       2       75     48  [2,3] -> [2,3]\n"
        "1   tanh  z       npu        2       0.8     0.4       1       2       20     48  [2,3] -> [2,3]\n"
        "3   relu  y       npu        2       0.2     0.1       1       2        5     48  [2,3] -> [2,3]\n"
        f"{PROFILE.summary}"
    )


def test_ops_of_one_type_are_summed_up() -> None:
    assert [row.to_dict() for row in PROFILE.by_type()] == [
        {
            "op": "relu",
            "place": "npu",
            "ops": 2,
            "calls": 4,
            "self_ms": 3.2,
            "share": 0.8,
            "avg_ms": 0.8,
        },
        {
            "op": "tanh",
            "place": "npu",
            "ops": 1,
            "calls": 2,
            "self_ms": 0.8,
            "share": 0.2,
            "avg_ms": 0.4,
        },
    ]


def test_to_dict_has_all_fields_as_plain_data() -> None:
    data = PROFILE.to_dict()
    assert list(data) == ["runs", "warmup", "wall_ms", "op_ms", "ops", "types"]
    assert (data["runs"], data["warmup"]) == (2, 1)
    assert RELU.to_dict() == {
        **vars(RELU),
        "avg_ms": 1.5,
        "inputs": [{"name": "x", "dtype": "float32", "shape": [2, 3]}],
        "outputs": [{"name": "x", "dtype": "float32", "shape": [2, 3]}],
    }


def test_trace_events_are_in_microseconds_from_the_first_run() -> None:
    detail = {"place": "npu", "shapes": "[2,3] -> [2,3]"}
    common = {"ph": "X", "pid": 0, "tid": 0}
    assert PROFILE.chrome_trace() == {
        "traceEvents": [
            {"name": "run 0", "cat": "run", "ts": 0.0, "dur": 2500.0, **common, "args": {}},
            {"name": "run 1", "cat": "run", "ts": 2999.0, "dur": 2500.0, **common, "args": {}},
            {
                "name": "relu",
                "cat": "op",
                "ts": 1.0,
                "dur": 1000.0,
                **common,
                "args": {"output": "y", **detail},
            },
            {
                "name": "tanh",
                "cat": "op",
                "ts": 1002.0,
                "dur": 400.5,
                **common,
                "args": {"output": "z", **detail},
            },
        ],
        "displayTimeUnit": "ms",
    }


def test_the_size_of_a_tensor_is_0_if_it_is_unknown() -> None:
    assert X.bytes == 24
    assert Tensor("s", DType.FLOAT64, ()).bytes == 8
    assert Tensor("list", DType.FLOAT32, None).bytes == 0
    assert Tensor("open", DType.FLOAT32, (2, "?")).bytes == 0
