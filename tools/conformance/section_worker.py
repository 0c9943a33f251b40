"""Runs the checks of one section in a process of its own, and prints each finding when it is there.

The only argument is a JSON object: the `device`, the `section`, the `ops` whose cases run (of the section
``ops``), the names of checks to `skip`, and the `path` for imports.  The section ``facts`` answers whether
the device can be used, and its version.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path


def main(request: dict[str, object]) -> int:
    """Answer the request; 4 for a device that no installed package registers."""
    sys.path[:] = list(map(str, json.loads(json.dumps(request["path"]))))
    from lite.errors import CompileError
    from lite.plugin.boundary import at_boundary
    from lite.plugin.device import DEVICES
    from lite.plugin.device.bridge_search import own_bridges
    from lite.plugin.device.opening import facts_of
    from lite.plugin.loader import load_devices
    from lite.session.devices import open_in_its_process
    from lite.spec.grammar import parse_spec
    from lite.tools.conformance.child import UNKNOWN_DEVICE, send
    from lite.tools.conformance.device_under_test import captured_warnings
    from lite.tools.conformance.sections import SectionRun

    text, section = str(request["device"]), str(request["section"])
    load_devices(parse_spec(text).name)
    if DEVICES.find(parse_spec(text).name) is None:
        return UNKNOWN_DEVICE
    if section == "facts":
        try:
            device = open_in_its_process(text)
            reason = facts_of(device).why_not
            version = "" if reason else str(at_boundary(device.name, "asking its version", device.version))
            bridged = own_bridges(device)
        except CompileError as error:
            reason, version, bridged = str(error), "", []
        send({"reason": reason, "version": version, "bridged": bridged, "done": True})
        return 0
    skip, ops = (set(map(str, json.loads(json.dumps(request[name])))) for name in ("skip", "ops"))
    with captured_warnings(), tempfile.TemporaryDirectory() as folder:
        run = SectionRun(text, section, Path(folder), ops)
        send({"checks": run.names})
        for name in run.names:
            if name in skip:
                continue
            send({"start": name})
            for finding in run.findings(name):
                send({"finding": asdict(finding)})
    send({"done": True})
    return 0


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
