"""The conformance kit: small frozen cases for every op, run on the host or on a device.

>>> from lite.tools.conformance import check, read_cases
>>> all(verdict.ok for verdict in check(case for case in read_cases() if case.op == "relu"))
True
"""

from lite.tools.conformance.cases import Case, Operand, read_cases
from lite.tools.conformance.check import Verdict, check

__all__ = ["Case", "Operand", "Verdict", "check", "read_cases"]
