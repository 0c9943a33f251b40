"""ONNX nodes from ops: the graph under construction, conversions as bridges, and the ModelProto."""
