"""Passes: graph in, graph out, one pass a file, run in the order of a list of names."""
