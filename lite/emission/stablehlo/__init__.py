"""StableHLO, the portable dialect of MLIR that compilers such as XLA and IREE read."""
