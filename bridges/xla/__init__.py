"""XLA, the compiler of JAX: regions become StableHLO, which runs on CPUs, on GPUs and on TPUs."""
