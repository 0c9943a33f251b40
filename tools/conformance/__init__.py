"""The conformance kit: op cases for the host and for devices, graphs to divide, and checks of a device.

`check` runs op cases on the host, and `check_partition` divides graphs by all planners:

>>> from lite.tools.conformance import check, check_partition, read_cases, read_scenarios
>>> all(verdict.ok for verdict in check(case for case in read_cases() if case.op == "relu"))
True
>>> all(verdict.ok for verdict in check_partition(read_scenarios()))
True

`check_device` runs both on a device, and checks its runs, its cache, its threads and its failures:

>>> from lite.tools.conformance import check_device
>>> conformance = check_device("sim_npu", ops=["relu"], sections=["ops", "runs"])
>>> conformance.ok
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
