"""Kernels, arrays in and arrays out, one folder a target; imported as `lite.kernels`."""

if __name__ == "kernels":
    raise ImportError("the folder kernels/ is imported as 'lite.kernels', not as 'kernels'")
