"""Bridges from graph ops to the devices' own formats, one folder a device; imported as `lite.bridges`."""

if __name__ == "bridges":
    raise ImportError("the folder bridges/ is imported as 'lite.bridges', not as 'bridges'")
