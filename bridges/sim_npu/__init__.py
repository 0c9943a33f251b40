"""sim_npu, the reference device: README.md says what is where."""
