"""The bridges of the device sim_npu, one family a file."""
