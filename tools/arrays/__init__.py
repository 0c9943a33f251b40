"""Arrays of a run: inputs from files or generators, outputs to files, and the comparison of both."""
