"""Functions that numba compiles: loops over float32 with explicit vector instructions.

Other files import these modules inside functions only, so that they can be imported without numba.
"""
