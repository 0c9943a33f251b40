"""Compiled functions as kernels call them: found on disk or compiled, loaded, and run by several threads.

Nothing here needs numba, which is imported only to compile.
"""
