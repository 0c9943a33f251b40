"""The bridges of the device openvino, by family of ops."""
