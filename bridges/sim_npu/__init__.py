"""sim_npu, the reference device; README.md describes its files."""
