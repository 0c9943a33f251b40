"""Command line programs, imported as `lite.tools`."""

if __name__ == "tools":
    raise ImportError("the folder tools/ is imported as 'lite.tools', not as 'tools'")
