"""The protobuf messages of the Open Inference Protocol, under a private package name."""
