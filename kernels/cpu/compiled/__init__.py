"""What numba compiles: loops over vectors of float32 with explicit vector instructions.

Only functions import these modules, so that nothing here is needed where numba is not installed.
"""
