"""The reference interpreter: runs graphs and programs op by op, without passes or a plan.

`graphs` and `programs` know the control flow of the two forms, `tensors` and `terms` what a value is: arrays
that the host's kernels compute, or symbols that only say which expression computes them.
"""
