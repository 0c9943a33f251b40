"""Passes: graph in, graph out, one pass per file, run in the order of a list of names."""
