"""Device tpu: Sophgo TPU-MLIR, op by op through TpuLang."""
