"""The reference interpreter: runs graphs and programs op by op, without passes or a plan.

`graphs` and `programs` know the control flow of the two forms, `tensors` and `terms` the two kinds of
values: arrays that the host's kernels compute, and symbols that identify expressions.
"""
