"""Intel OpenVINO: regions become `openvino.Model`s through the opset builder."""
