"""Runs compiled functions: finds or compiles their code, loads it, and shares the work among threads.

No file here imports numba, except to compile.
"""
