"""Model formats: one folder each, read through `lite.plugin.format.parsers`."""

if __name__ == "model_parser":
    raise ImportError("import it as lite.model_parser: the folder is part of the package lite")
