"""The conformance kit: small frozen cases for every op, run on the host or on a device; graphs to divide.

>>> from lite.tools.conformance import check, check_partition, read_cases, read_scenarios
>>> all(verdict.ok for verdict in check(case for case in read_cases() if case.op == "relu"))
True
>>> all(verdict.ok for verdict in check_partition(read_scenarios()))
True

`check_device` asks a device all of it, and how it runs, keeps models, shares threads and fails:

>>> from lite.tools.conformance import check_device
>>> found = check_device("sim_npu", ops=["relu"], sections=["ops", "runs"])
>>> found.ok
True
"""

from lite.tools.conformance.cases import Case, Operand, read_cases
from lite.tools.conformance.check import Verdict, check
from lite.tools.conformance.check_device import check_device
from lite.tools.conformance.findings import Conformance, Finding
from lite.tools.conformance.partition import PartitionVerdict, Scenario, check_partition, read_scenarios

__all__ = [
    "Case",
    "Conformance",
    "Finding",
    "Operand",
    "PartitionVerdict",
    "Scenario",
    "Verdict",
    "check",
    "check_device",
    "check_partition",
    "read_cases",
    "read_scenarios",
]
