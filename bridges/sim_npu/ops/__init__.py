"""The bridges of the device sim_npu, by family of ops."""
