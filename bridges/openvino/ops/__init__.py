"""The bridges of the device openvino, one family a file."""
